"""Compiles the package for Apple's platforms, with the modules of modules.py. Called by .ci/check-apple.

The compiler finds data races and overflows in SIL, so each source is compiled to SIL or IR where it can differ: for
macOS, for watches on which `Int` has 32 bits, and for each platform if it has code for single ones. Everything else is
only type-checked. Warnings are errors. The targets, their flags and the oldest systems come from Package.swift.
"""
import glob
import itertools
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import delegates
import metadata
import modules
import platforms
import privacy

HERE = Path(__file__).resolve().parent
SNIPPET = "Snippet/ServiceProvider.swift"
# The settings that Xcode gives a new app, as in .ci/check-snippet.
XCODE = ["-default-isolation", "MainActor"]
XCODE += ["-enable-upcoming-feature", "NonisolatedNonsendingByDefault"]
XCODE += ["-enable-upcoming-feature", "InferIsolatedConformances"]
# Types of stored properties with metadata that only reflection needs. The type with the property has an empty mirror.
HIDDEN_FIELDS = {"nonisolated(nonsending) (ServiceResponse) async throws -> B"}  # ServicePages
# Also a setting of a new app. It is on for everything but tests, since code that passes with it passes without it, too.
VISIBILITY = ["-enable-upcoming-feature", "MemberImportVisibility"]
MODES = {
    "Swift 6": ["-swift-version", "6"],
    "Swift 6, new Xcode app": ["-swift-version", "6", *XCODE],
    "Swift 5": ["-swift-version", "5"],
    "Swift 5, new Xcode app": ["-swift-version", "5", *XCODE],
    "Swift 5, complete concurrency": ["-swift-version", "5", "-strict-concurrency=complete"],
}
MODES = {name: [*flags, *VISIBILITY] for name, flags in MODES.items()}
# The modes of an app for other platforms than iOS.
OTHER_MODES = ["Swift 6", "Swift 5, complete concurrency"]

# The tests take as long as everything else. Those with the recipes, and their imports, are always compiled.
WITH_TESTS = "--tests" in sys.argv
RECIPES = ["RecipeTests", "TestSupport", "TestTraits"]

WARNING = r"^(\S[^:\n]*):(\d+):\d+: warning: (.*)"


def counts(warning):
    """Whether a warning is a problem. The deprecated setter of header fields may only be used where it adds some."""
    file, line, text = warning
    if not text.startswith("setter for 'allHTTPHeaderFields'"):
        return True
    return not Path(file).read_text().splitlines()[int(line) - 1].endswith("// Only adds fields.")


class Failure(Exception):
    """A failed step, with the compiler's message. If there were only warnings, later steps can import the module."""

    def __init__(self, message, importable=False):
        super().__init__(message)
        self.importable = importable


class Compiler:
    def __init__(self, toolchain, prepared, work):
        self.toolchain, self.prepared, self.work = toolchain, prepared, work
        self.demangle = metadata.demangler(toolchain.bin / "swift-demangle")

    def run(self, tool, *arguments):
        done = subprocess.run([self.toolchain.bin / tool, *arguments], capture_output=True, text=True)
        message = done.stdout + done.stderr
        if done.returncode != 0 or any(map(counts, re.findall(WARNING, message, re.M))):
            raise Failure(message, importable=done.returncode == 0)

    def types(self, *arguments):
        """Checks the types of a module that no other imports."""
        self.swift(*arguments, emit=["-typecheck"])

    def types_and_module(self, *arguments):
        """Checks the types of a module that others import."""
        self.types(*arguments)
        self.swift(*arguments, emit=["-emit-module", "-experimental-skip-non-inlinable-function-bodies"])

    def swift(self, platform, target, module, files, *flags, emit=("-emit-sil", "-o", os.devnull)):
        """Compiles a module, which later ones can import."""
        # Mac Catalyst uses the modules of iOS.
        prepared, built = self.prepared / platform.replace(modules.CATALYST, "ios"), self.work / platform
        output = built / f"{module}.swiftmodule"
        output.mkdir(parents=True, exist_ok=True)
        if emit[0] != "-typecheck":
            emit = [*emit, "-emit-module-path", output / modules.module_file(target)]
        self.run(
            "swiftc", "-frontend", *emit, "-module-name", module, "-target", target,
            "-parse-as-library", "-enable-testing", "-module-cache-path", self.prepared / "cache",
            "-package-name", "serviceprovider",
            "-I", prepared / "modules", "-I", prepared / "c", "-I", built,
            "-plugin-path", self.toolchain.lib / "host/plugins", *flags, *files)

    def product(self, platform, target, module, files, *flags):
        """Compiles a module, and finds problems for its users: metadata that older systems don't have, APIs that
        need a privacy manifest, delegate methods that are never called, and public API of some platforms only."""
        ir, message = self.work / f"{platform}-{module}.ll", ""
        try:
            self.swift(platform, target, module, files, *flags, emit=["-emit-ir", "-o", ir])
        except Failure as failure:
            if not failure.importable:
                raise
            message = str(failure)
        text = ir.read_text()
        found, fields = metadata.uses(text, self.demangle)
        for name in found:
            message += f"error: this needs metadata of a function type that macOS 14 and iOS 17 don't have: {name}\n"
        for name in set(fields) - HIDDEN_FIELDS:
            message += f"error: printing a value with a property of this type crashes on macOS 14 and iOS 17: {name}\n"
        for problem in metadata.newer(text):
            message += f"error: {problem}\n"
        for name in privacy.uses(text, files):
            message += f"error: this API needs a privacy manifest: {name}\n"
        for problem in delegates.uses(text, self.toolchain.bin / "swift-demangle"):
            message += f"error: {problem}\n"
        for problem in platforms.differences(files):
            message += f"error: {problem}\n"
        if message:
            raise Failure(message, importable=True)


@dataclass
class Result:
    passed: bool = False
    importable: bool = False
    message: str = ""


class Plan:
    """Runs steps in parallel. Each step starts after the steps it depends on."""

    def __init__(self):
        # Steps only wait for steps that were added before them, so the pool can't deadlock.
        self.pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
        self.steps = []

    def add(self, name, action, *arguments, after=()):
        def step():
            results = [future.result() for future in after]
            if not all(result.importable for result in results):
                return Result(message="skipped, because a module that it imports failed")
            try:
                action(*arguments)
                return Result(passed=True, importable=True)
            except Failure as failure:
                return Result(message=str(failure), importable=failure.importable)

        future = self.pool.submit(step)
        self.steps.append((name, future))
        return future

    def finish(self):
        """Prints the failures. Returns whether all steps passed."""
        failed = 0
        for name, future in self.steps:
            result = future.result()
            if not result.passed:
                failed += 1
                print(f"failed: {name}\n{shortened(result.message)}", flush=True)
        print(f"{len(self.steps) - failed} of {len(self.steps)} steps passed")
        return failed == 0


def shortened(message, limit=60):
    """The first lines of a compiler's output, and the number of lines that follow."""
    lines = message.splitlines()
    if len(lines) > limit:
        lines[limit:] = [f"... and {len(lines) - limit} more lines"]
    return "".join(f"    {line}\n" for line in lines)


class Package:
    """The contents of a Package.swift."""

    def __init__(self, folder):
        command = ["swift", "package", "--package-path", folder, "dump-package"]
        contents = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
        self.folder = Path(folder)
        self.targets = {target["name"]: target for target in contents["targets"]}
        # The targets of the products, each after the targets that it depends on.
        self.products = []
        for product in contents["products"]:
            for name in product["targets"]:
                self.add_product(name)
        self.programs = [name for name, target in self.targets.items() if target["type"] == "executable"]
        self.oldest = {platform["platformName"]: platform["version"] for platform in contents["platforms"]}

    def compiled(self, platform):
        """The names of the targets to compile for a platform. Those that they depend on come with them."""
        if platform != "macos":
            return [*self.products, *self.programs]
        return [name for name in self.targets if WITH_TESTS or name not in self.tests or name in RECIPES]

    @property
    def tests(self):
        return [name for name, target in self.targets.items() if target["type"] == "test"]

    def add_product(self, name):
        if name in self.targets and name not in self.products:
            for other in dependencies(self.targets[name]):
                self.add_product(other)
            self.products.append(name)

    def triple(self, platform):
        """The compiler's target for the oldest system of a platform."""
        if platform == modules.CATALYST:
            return self.triple("ios") + "-macabi"
        return re.sub(r"[0-9.]+$", "", modules.TARGETS[platform]) + self.oldest[platform]

    def folder_of(self, target):
        kind = "Tests" if target["type"] == "test" else "Sources"
        return self.folder / (target.get("path") or f"{kind}/{target['name']}")


def flags_of(target):
    """The compiler flags of a target's settings in Package.swift."""
    flags = {"-swift-version": "6"}
    for setting in target["settings"]:
        kind, value = next((kind, value.get("_0")) for kind, value in setting["kind"].items())
        if setting.get("condition"):
            sys.exit(f"failed: .ci/apple/check.py doesn't support settings with conditions, as in '{target['name']}'")
        if kind == "swiftLanguageMode":
            flags["-swift-version"] = value
        elif kind == "defaultIsolation":
            flags["-default-isolation"] = value or "nonisolated"
        elif kind == "enableUpcomingFeature":
            flags[f"-enable-upcoming-feature={value}"] = None
        elif kind == "enableExperimentalFeature":
            flags[f"-enable-experimental-feature={value}"] = None
        elif kind == "define":
            flags[f"-D{value}"] = None
        else:
            sys.exit(f"failed: .ci/apple/check.py doesn't support the setting '{kind}' of '{target['name']}'")
    return [part for flag, value in flags.items() for part in [*flag.split("=", 1), value] if part]


def dependencies(target, platform="macos"):
    """The names of targets that a target depends on. Products of other packages have the names of their targets."""
    names = []
    for entry in target["dependencies"]:
        name, *_, condition = next(iter(entry.values()))
        if platform in (condition or {}).get("platformNames", [platform]):
            names.append(name)
    return names


def sources(folder):
    """The Swift files of a folder. Unlike `rglob`, `glob` also follows links to folders, such as to shared tests."""
    return sorted(glob.glob(f"{folder}/**/*.swift", recursive=True))


# The platforms for which a line of `mistakes` is wrong. visionOS 1 has the APIs of iOS 17.
WRONG = {
    "": lambda platform: True,
    "OLD": lambda platform: platform != "visionos",
    "SMALL": lambda platform: platform in ("tvos", "watchos", "watchos32"),
    "TV": lambda platform: platform == "tvos",
    "NOT MAC": lambda platform: platform != "macos",
}


def expected_texts(file, platform):
    """The marked lines of a file, and the text that the diagnostic of each must contain."""
    texts = {}
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if mark := re.search(r"// WRONG(?:, ([A-Z ]+))?: (.+)$", line):
            if WRONG[mark[1] or ""](platform):
                texts[number] = mark[2]
        elif re.search(r"// WRONG(, [A-Z ]+)?$", line):
            raise Failure(f"{file.name}:{number}: the mark has no text")
    return texts


def check_diagnostics(compiler, file, platform):
    """Checks that the compiler diagnoses each marked line with the text of the mark, and no other line."""
    expected = expected_texts(file, platform)
    try:
        compiler.swift(platform, modules.TARGETS[platform], f"Mistakes{file.stem}", [file], *MODES["Swift 6"])
        message = ""
    except Failure as failure:
        message = str(failure)
    seen = {}
    for line, text in re.findall(rf"{re.escape(file.name)}:(\d+):\d+: (?:error|warning): (.*)", message):
        seen.setdefault(int(line), []).append(text)
    missing = [line for line, text in expected.items() if not any(text in other for other in seen.get(line, []))]
    others = sorted(set(seen) - set(expected))
    if not expected or missing or others:
        raise Failure(f"{file.name}: not diagnosed as marked: {missing}, diagnosed without a mark: {others}\n{message}")


def check_product(compiler, file):
    """Checks that `Compiler.product` finds each marked problem, and no other. A mark has a part of the message."""
    expected = re.findall(r"// FINDS (.+)$", file.read_text(), re.M)
    try:
        compiler.product("macos", modules.TARGETS["macos"], f"Mistakes{file.stem}", [file], *MODES["Swift 6"])
        message = ""
    except Failure as failure:
        message = str(failure)
    lines = message.splitlines()
    missing = [text for text in expected if not any(text in line for line in lines)]
    others = [line for line in lines if not any(text in line for text in expected)]
    if not expected or missing or others:
        raise Failure(f"{file.name}: not found: {missing}, found without a mark: {others}\n{message}")


def add_mistakes(plan, compiler):
    """Adds the tests of this check: files with planted mistakes."""
    folder = HERE / "mistakes"
    files = {name: ["macos"] for name in ["Combine", "Concurrency", "DataRaces", "Glibc", "Networking", "ObjectiveC"]}
    files |= {"Types": modules.TARGETS, "Availability": ["macos", "ios", "visionos"], "C": ["macos", "tvos", "watchos"]}
    files |= {"Int": ["watchos32"], "Views": ["macos", "tvos", "visionos"]}
    for name, names in files.items():
        for platform in names:
            plan.add(
                f"planted mistakes, {name} for {platform}", check_diagnostics, compiler, folder / f"{name}.swift",
                platform)
    for name in ["Metadata", "Privacy", "Delegates", "Platforms"]:
        plan.add(f"planted mistakes, {name}", check_product, compiler, folder / f"{name}.swift")


def add_packages(plan, compiler, packages, importers):
    """Adds steps that compile each product and program for each platform of its package, and the other targets for macOS.
    Returns the steps of each platform. `importers` has the targets that import modules and are compiled later."""
    steps = {platform: {} for platform in [*modules.TARGETS, modules.CATALYST]}
    for platform, futures in steps.items():
        supporting = [package for package in packages if platform in package.oldest]
        compiled = [package.targets[name] for package in supporting for name in package.compiled(platform)]
        imported = {other for target in [*compiled, *importers] for other in dependencies(target, platform)}
        for package in supporting:
            for name in package.compiled(platform):
                add_target(plan, compiler, package, platform, name, imported, futures)
    return steps


def add_ios_tests(plan, compiler, package, futures):
    """Adds steps that compile the tests for iOS, which has neither exit tests nor command-line tools."""
    imported = {other for target in package.targets.values() for other in dependencies(target, "ios")}
    for name in package.tests:
        add_target(plan, compiler, package, "ios", name, imported, futures)


def add_target(plan, compiler, package, platform, name, imported, futures):
    """Adds the steps of a target and of those it depends on. `futures` has the steps that exist, by the target's name,
    and `imported` the names of targets that others depend on."""
    if name in futures:
        return futures[name]
    target, triple = package.targets[name], package.triple(platform)
    after = [add_target(plan, compiler, package, platform, other, imported, futures)
             for other in dependencies(target, platform)]
    folder = package.folder_of(target)
    listed = [str(folder / file) for file in target.get("sources") or []]
    if files := listed or sources(folder):
        if platform == "macos" and name in package.products:
            # The metadata is the same on each platform, so macOS is enough.
            compile_ = compiler.product
        elif target["type"] != "test" and (platform in ("macos", "watchos32") or platforms.has_conditions(files)):
            compile_ = compiler.swift
        else:
            # Code that is the same on each platform has the same data races there. Tests have those of Linux.
            compile_ = compiler.types_and_module if name in imported else compiler.types
        flags = [] if target["type"] == "test" else VISIBILITY
        step = [compile_, platform, triple, name, files, *flags, *flags_of(target)]
    else:
        step = [compiler.run, "clang", "-target", triple, "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
        step += ["-I", folder / "include", *sorted(folder.glob("*.c"))]
    futures[name] = plan.add(f"{name} for {platform} {package.oldest[platform]}", *step, after=after)
    return futures[name]


def with_previews(files, folder):
    """Copies files into a folder, with functions in place of previews: only Xcode has the macro. Returns the copies."""
    folder.mkdir(parents=True)
    copies = []
    for number, file in enumerate(files):
        text = re.sub(r"^#Preview\(.*\) {$", "@MainActor @ViewBuilder private func preview() -> some View {",
                      Path(file).read_text(), flags=re.M)
        # Each name is new, and messages name the line of the original.
        names = itertools.count()
        text = re.sub(r"private func preview\(\)", lambda _: f"private func preview{next(names)}()", text)
        copies.append(folder / f"{number}-{Path(file).name}")
        copies[-1].write_text(f'#sourceLocation(file: "{file}", line: 1)\n{text}')
    return copies


def compile_app(compiler, platform, triple, module, files, *flags):
    """Compiles an app for debugging, which includes its previews."""
    copies = with_previews(files, compiler.work / platform / f"{module}-sources")
    # The problems that only `product` finds are the same on each platform.
    compile_ = compiler.product if platform == "macos" else compiler.swift
    compile_(platform, triple, module, copies, "-DDEBUG", *flags)


def add_app(plan, compiler, package, futures):
    """Adds steps that compile HeroApp for each of its platforms: with the settings of a new app in Xcode, and with
    those of plain Swift 6. With `--tests`, its tests are compiled for macOS."""
    app, tests = package.targets["HeroApp"], package.targets["HeroAppTests"]
    for platform in filter(package.oldest.get, futures):
        triple = package.triple(platform)
        modules_of_app = [futures[platform][name] for name in dependencies(app)]
        for module, flags in [("HeroApp", flags_of(app)), ("HeroAppInSwift6", MODES["Swift 6"])]:
            futures[platform][module] = plan.add(
                f"{module} for {platform} {package.oldest[platform]}", compile_app, compiler, platform, triple,
                module, sources(package.folder_of(app)), *flags, after=modules_of_app)
    if not WITH_TESTS:
        return
    plan.add(
        "HeroAppTests for macos", compiler.types, "macos", package.triple("macos"), "HeroAppTests",
        sources(package.folder_of(tests)), *flags_of(tests), after=[futures["macos"]["HeroApp"]])


def add_snippet(plan, compiler, package):
    """Adds steps that compile the snippet as a file of an app, for each platform."""
    for platform in modules.TARGETS:
        for mode in MODES if platform == "ios" else OTHER_MODES:
            # The rest is the same on each platform.
            compile_ = compiler.product if platform == "ios" else compiler.types
            plan.add(
                f"the snippet for {platform} {package.oldest[platform]}, {mode}", compile_, platform,
                package.triple(platform), f"App{len(plan.steps)}", [SNIPPET], *MODES[mode])


def add_readme(plan, compiler, package, futures):
    """Adds steps that compile README's block for a view, with the declarations of its first block."""
    blocks = re.findall(r"^```swift\n(.*?)^```$", Path("README.md").read_text(), re.M | re.S)
    view = next(block for block in blocks if "some View" in block)
    file = compiler.work / "Readme.swift"
    file.write_text(f"import SwiftUI\n{blocks[0]}\nstruct ReadmeView: View {{\n{view}}}\n")
    for mode in ["Swift 6", "Swift 6, new Xcode app"]:
        plan.add(f"README's view, {mode}", compiler.swift, "ios", package.triple("ios"), f"Readme{len(plan.steps)}", [file],
                 *MODES[mode], after=[futures["ios"]["ServiceProvider"]])


def main():
    if sys.platform != "linux":
        sys.exit("failed: this check is for Linux. On a Mac, Xcode compiles for each platform")
    start = time.monotonic()
    package = Package(".")
    package.oldest[modules.CATALYST] = package.oldest["ios"]
    package.oldest["watchos32"] = package.oldest["watchos"]
    toolchain = modules.Toolchain()
    prepared = modules.prepare(toolchain)
    print(f"prepared in {prepared} ({time.monotonic() - start:.0f}s)", flush=True)
    with tempfile.TemporaryDirectory() as work:
        compiler, plan = Compiler(toolchain, prepared, Path(work)), Plan()
        add_mistakes(plan, compiler)
        app = Package("Examples/HeroApp")
        others = [Package(folder) for folder in ["Tests/OutsidePackage", "Migration", ".ci/mac"]]
        importers = [app.targets["HeroApp"]]
        if WITH_TESTS:
            importers += [package.targets[name] for name in package.tests]
        futures = add_packages(plan, compiler, [package, *others], importers)
        add_app(plan, compiler, app, futures)
        add_snippet(plan, compiler, package)
        if WITH_TESTS:
            add_ios_tests(plan, compiler, package, futures["ios"])
        passed = plan.finish()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"took {time.monotonic() - start:.0f}s, {used.ru_utime + used.ru_stime:.0f}s of a processor")
    sys.exit(not passed)


if __name__ == "__main__":
    main()
