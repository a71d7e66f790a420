"""Prepares the modules that the Apple check compiles against, once per toolchain.

A Linux toolchain has no modules for Apple's platforms. They are built here, with an Apple target:

- Swift, _Concurrency, _StringProcessing, Synchronization, Observation and Testing, from the textual interfaces that
  the toolchain has for Linux. These contain the availability on Apple's platforms. For watches with an `Int` of 32
  bits, `Int` and `UInt` are changed.
- FoundationEssentials (Data, URL, Date, JSONDecoder, FileManager and so on), from the interface that
  `swift-synthesize-interface` prints of the toolchain's module. It contains the availability too.
- The rest of Foundation (URLSession, FileHandle, NSNumber, locks and so on), Dispatch, Darwin, ObjectiveC,
  UniformTypeIdentifiers, Security, CryptoKit, Combine, SwiftUI and its neighbours, from `stubs`: declarations written by hand from
  Apple's documentation.
"""
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
STUBS = HERE / "stubs"
# The oldest systems the modules are for. A package can require newer ones, but not older ones.
TARGETS = {
    "macos": "arm64-apple-macosx12.0", "ios": "arm64-apple-ios15.0", "tvos": "arm64-apple-tvos15.0",
    "watchos": "arm64-apple-watchos8.0", "visionos": "arm64-apple-xros1.0",
    # `Int` has 32 bits on watches before Series 9.
    "watchos32": "arm64_32-apple-watchos8.0",
}
# It has no modules of its own: those of iOS have its availability, too.
CATALYST = "maccatalyst"


class Toolchain:
    def __init__(self):
        if not shutil.which("swiftc"):
            raise SystemExit("failed: swiftc isn't installed")
        info = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, check=True).stdout
        self.lib = Path(json.loads(info)["paths"]["runtimeResourcePath"])
        self.bin = self.lib.parent.parent / "bin"
        self.version = subprocess.run(
            [self.bin / "swiftc", "--version"], capture_output=True, text=True, check=True).stdout
        interfaces = sorted((self.lib / "linux/Swift.swiftmodule").glob("*-linux-gnu.swiftinterface"))
        if not interfaces:
            raise SystemExit("failed: this isn't a toolchain for Linux with textual interfaces")
        self.host = interfaces[0].stem

    def interface(self, module):
        return self.lib / f"linux/{module}.swiftmodule/{self.host}.swiftinterface"

    @functools.cache
    def printed(self, module):
        """Returns the interface of a module that the toolchain has only as a binary."""
        return subprocess.run(
            [self.bin / "swift-synthesize-interface", "-print-fully-qualified-types", "-module-name", module,
             "-target", self.host, "-I", self.lib / "linux", "-I", self.lib], stdout=subprocess.PIPE, text=True,
            check=True).stdout


def module_file(target):
    """The file name of a module: the target without its version."""
    return re.sub(r"macosx?$", "macos", re.sub(r"[0-9.]+(-macabi)?$", r"\1", target)) + ".swiftmodule"


def prepare(toolchain):
    """Returns the folder with a folder of modules for each platform. Builds it if it doesn't exist."""
    parts = [toolchain.version.encode(), Path(__file__).read_bytes()]
    for path in sorted(STUBS.rglob("*")):
        if path.is_file():
            parts += [str(path.relative_to(STUBS)).encode(), path.read_bytes()]
    name = hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:16]
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ServiceProvider/apple"
    folder = caches / name
    if folder.is_dir():
        os.utime(folder)
        return folder
    caches.mkdir(parents=True, exist_ok=True)
    remove_unused(caches)
    # The folder is renamed when it's complete, so that parallel runs don't disturb each other.
    work = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=caches))
    try:
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(toolchain.printed, ["FoundationEssentials", "Foundation"]))
            list(pool.map(lambda platform: Preparation(toolchain, platform, work / platform).run(), TARGETS))
        for platform in TARGETS:
            shutil.copytree(STUBS / "c", work / platform / "c")
        try:
            work.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder


def remove_unused(caches):
    """Removes folders that no run has used for a month."""
    for folder in caches.iterdir():
        try:
            if folder.stat().st_mtime < time.time() - 30 * 86_400:
                shutil.rmtree(folder, ignore_errors=True)
        except FileNotFoundError:
            pass  # Another run has just renamed or removed it.


class Preparation:
    """Builds the modules of one platform."""

    def __init__(self, toolchain, platform, folder):
        self.toolchain, self.folder, self.target = toolchain, folder, TARGETS[platform]
        self.platform = platform
        self.has_small_int = self.target.startswith("arm64_32")

    def run(self):
        (self.folder / "modules").mkdir(parents=True)
        (self.folder / "work").mkdir()
        for module in ["Swift", "SwiftOnoneSupport", "_Concurrency", "_StringProcessing"]:
            self.standard(module, "-parse-stdlib")
        self.stub("ObjectiveC")
        self.stub("Darwin")
        if self.has_small_int:
            # An empty module, which FoundationEssentials imports.
            self.build("Synchronization", self.head("Synchronization", 6))
        else:
            self.standard("Synchronization", "-parse-stdlib")
        self.standard("Observation")
        self.stub("Dispatch")
        text = essentials(self.toolchain.printed("FoundationEssentials"))
        self.build("FoundationEssentials", self.head("FoundationEssentials", 5) + text)
        text = core_foundation(self.toolchain.printed("Foundation"))
        self.build("CoreFoundation", self.head("CoreFoundation", 6) + text)
        self.stub("Foundation")
        self.stub("UniformTypeIdentifiers")
        self.stub("Security")
        self.stub("CryptoKit")
        self.stub("Combine")
        # These check their own platforms: macOS has an empty UIKit.
        self.stub("UIKit")
        self.stub("AppKit")
        self.stub("SwiftUI")
        self.stub("CoreTransferable")
        self.stub("PhotosUI")
        if self.platform in ("macos", "ios"):
            self.standard("Testing")
        shutil.rmtree(self.folder / "work")

    def standard(self, module, *flags):
        """Builds a module of the toolchain from its interface for Linux."""
        text = self.toolchain.interface(module).read_text()
        start = re.search(r"\n(public )?import", text).start()
        head, body = text[:start], text[start:]
        head = head.replace(self.toolchain.host, self.target)
        head = re.sub(r"-disable-objc-(interop|attr-requires-foundation-module)", "", head)
        # A module may use newer declarations of its own.
        extra = "-disable-availability-checking -Onone -experimental-skip-non-inlinable-function-bodies -module-name"
        head = head.replace("-module-name", extra, 1)
        body = body.replace("import Glibc", "import Darwin").replace("_swift_stdlib_gettid()", "UInt32(0)")
        # The attribute requires a body, and interfaces for Linux have none. It doesn't affect availability.
        body = re.sub(r"@backDeployed\([^)]*\)\s*", "", body)
        if module == "Swift":
            body = standard_library(body)
            if self.has_small_int:
                body = with_small_int(body)
        elif module == "Testing" and self.platform == "ios":
            # Exit tests start a process, which apps can't.
            body = re.sub(r"(@discardableResult\n)?.*public macro \w+\(processExitsWith .*\n", "", body)
        elif module == "_Concurrency":
            # Objective-C methods that are async call it.
            body += """
@available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
public func _runTaskForBridgedAsyncMethod(_ body: __owned @Sendable @escaping () async -> Swift.Void)
"""
        body = re.sub(r"@usableFromInline\s+", "@usableFromInline ", body)
        self.build(module, head + re.sub("^.*$", not_inlinable, body, flags=re.MULTILINE), *flags)

    def stub(self, module):
        text = (STUBS / f"{module}.swift").read_text()
        self.build(module, self.head(module, 6) + text)

    def head(self, module, version):
        imports = ["Swift"]
        if module not in ("Darwin", "ObjectiveC"):
            imports += ["_Concurrency", "_StringProcessing"]
        return "\n".join([
            "// swift-interface-format-version: 1.0",
            "// swift-compiler-version: Swift version 6",
            f"// swift-module-flags: -target {self.target} -enable-library-evolution -swift-version {version} -O "
            f"-disable-availability-checking -module-name {module}",
            *[f"import {name}" for name in imports], ""])

    def build(self, module, text, *flags):
        interface = self.folder / f"work/{module}.swiftinterface"
        interface.write_text(re.sub(r"@available\([^()]*\*\)", add_visionos, text))
        output = self.folder / f"modules/{module}.swiftmodule"
        output.mkdir()
        if "-ios" in self.target:
            (output / "arm64-apple-ios-macabi.swiftmodule").symlink_to(module_file(self.target))
        self.execute(
            "swiftc", "-frontend", "-compile-module-from-interface", interface, "-o", output / module_file(self.target),
            "-module-name", module, "-target", self.target, "-module-cache-path", self.folder / "work/cache",
            "-I", self.folder / "modules", "-I", STUBS / "c", *flags)

    def execute(self, tool, *arguments):
        done = subprocess.run([self.toolchain.bin / tool, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"failed: preparing the modules for {self.target}\n{done.stdout}{done.stderr}")


def not_inlinable(line):
    """Removes the attributes that make the compiler read the body of a function, which takes most of the time. Only
    the bodies of transparent functions matter, because the compiler's checks look into them."""
    text = re.sub(r"@(inlinable|_alwaysEmitIntoClient) (?=\S)", "", line[0])
    if "@_transparent" in text or text == line[0]:
        return line[0]
    is_hidden = "@usableFromInline" not in text and re.search(r"\binternal\b", text)
    return re.sub(r"^ *", r"\g<0>@usableFromInline ", text) if is_hidden else text


def add_visionos(match):
    """Adds the version of visionOS that belongs to the version of iOS. Without an SDK, the compiler can't."""
    ios = re.search(r"\biOS (\d+)(?:\.(\d+))?", match[0])
    if "visionOS" in match[0] or not ios:
        return match[0]
    major, minor = int(ios[1]), int(ios[2] or 0)
    if major >= 26:
        version = f"{major}.{minor}"
    elif (major, minor) <= (17, 1):
        version = "1.0"
    else:
        version = f"1.{minor - 1}" if major == 17 else f"{major - 16}.{minor}"
    return match[0].replace("*)", f"visionOS {version}, *)")


def standard_library(body):
    # These two functions exist only on x86.
    body = re.sub(r"self = _stdlib_(remainderl|squareRootl)\([^\n]*\)", "fatalError()", body)
    # The standard library has these declarations only with Objective-C.
    return body + """
@frozen public struct AutoreleasingUnsafeMutablePointer<Pointee> : Swift._Pointer {
  public let _rawValue: Builtin.RawPointer
  public init(_ _rawValue: Builtin.RawPointer) { self._rawValue = _rawValue }
  public var pointee: Pointee { get set }
}
public func _bridgeAnyObjectToAny(_ possiblyNullObject: Swift.AnyObject?) -> Any
"""


def with_small_int(body):
    """Gives `Int` and `UInt` 32 bits. The toolchain's interface is for a processor with 64."""
    def smaller(match):
        text = re.sub(r"(Builtin\.|_|Vec\d+x)Int64(?=\b|_)", r"\1Int32", match[0])
        extended = "zext" if "struct UInt" in text else "sext"
        text = re.sub(r"[sz]extOrBitCast_Word_Int32", "truncOrBitCast_Word_Int32", text)
        return text.replace("truncOrBitCast_Int32_Word", f"{extended}OrBitCast_Int32_Word")

    def replaced(pattern, replacement, text):
        return re.sub(pattern, replacement, text, flags=re.M | re.S)

    heads = r"@frozen public struct U?Int :|extension Swift.U?Int : Swift.SIMDScalar "
    body = replaced(rf"^({heads}).*?^}}", smaller, body)
    body = body.replace(" Int(Builtin.assumeNonNegative_Int64(", " Int(Builtin.assumeNonNegative_Int32(")
    # Conversions from and to other types. Without a body, they are opaque.
    for signature in [r"init\(_ v: Swift.Int\)", r"init\(_truncatingBits bits: Swift.UInt\)"]:
        body = replaced(rf"^  @_transparent (public {signature}) {{.*?^  }}", r"  \1", body)
    body = replaced(
        r"^  @_transparent (public var _lowWord: Swift.UInt) {.*?^  }\n  }", r"  \1 { get }", body)
    # Vectors, which the project doesn't use.
    vectors = r"\d+ where Scalar == Swift.U?Int|Mask where Storage == Swift.SIMD\d+<Swift.U?Int>"
    return replaced(rf"^extension Swift.SIMD({vectors}) {{.*?^}}", "", body)


def compilable(text, *attributes):
    """Turns an interface that was printed for people into one that compiles."""
    text = re.sub(r"^\s*///.*\n", "", text, flags=re.M).replace("Glibc", "Darwin")
    # Settable properties have no braces in the printed interface.
    text = re.sub(r"^(?!\s*//)(.*\b(?:var|subscript)\b[^{}\n]*)$", r"\1 { get set }", text, flags=re.M)
    names = "|".join(["inlinable", "frozen", "usableFromInline", r"inline\(__always\)", *attributes])
    return re.sub(rf"@?({names}) ?", "", text)


def essentials(printed):
    text = compilable(printed, "_alwaysEmitIntoClient", r"(?:internal|private)\(set\)")
    # Toolchains give these systems to everything that is newer than macOS 14. In Apple's SDKs, most of it needs
    # macOS 26. The rest (macOS 15) look the same, so it needs macOS 26 here, too.
    text = text.replace("macOS 15, iOS 18, tvOS 18, watchOS 11", "macOS 26, iOS 26, tvOS 26, watchOS 26")
    return re.sub(
        r"^.*\b(?:Mutable|Output)?(?:Raw)?Span\b.*$|^extension \S*Template\.Element .*\n}$", "", text, flags=re.M)


def core_foundation(printed):
    """Returns the interface of CGFloat alone."""
    blocks = re.findall(
        r"^(?:@frozen )?(?:public struct|extension) (?:Foundation\.)?CGFloat\b.*?^}", printed, flags=re.M | re.S)
    lines = "\n".join(blocks).replace("Foundation.", "CoreFoundation.").splitlines()
    return compilable("\n".join(line for line in lines if "Float80" not in line), "_transparent")
