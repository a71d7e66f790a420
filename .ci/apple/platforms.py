"""Finds public declarations that only some of Apple's platforms have.

An app for several platforms can't use them without conditions of its own. `#if os(macOS) || os(iOS)` is easily written
where `#if canImport(Darwin)` is meant. For a difference that is meant, there is `@available(tvOS, unavailable)`.
"""
import itertools
import re
from pathlib import Path

PLATFORMS = ["macOS", "iOS", "tvOS", "watchOS", "visionOS"]
# The platforms with these modules. Others, such as Darwin, are on each platform.
MODULES = {
    "AppKit": ["macOS"], "Cocoa": ["macOS"], "UIKit": ["iOS", "tvOS", "watchOS", "visionOS"],
    "WatchKit": ["iOS", "watchOS"],
}
TERM = r"\w+\([^()]*\)|\w+"


def has_conditions(files):
    """Whether files have code for single platforms. It can have data races that other platforms don't have."""
    return any(
        depends_on_platform(condition)
        for file in files for _, condition in re.findall(r"^\s*#(if|elseif) (.*)", Path(file).read_text(), re.M))


def depends_on_platform(condition):
    return any(len(set(values)) > 1 for values in outcomes(condition))


def differences(files):
    """Yields a description of each public line that is missing on some platform."""
    for file in files:
        found = public_lines(Path(file).read_text())
        for line in sorted(set().union(*found.values())):
            missing = [platform for platform in PLATFORMS if line not in found[platform]]
            if 0 < len(missing) < len(PLATFORMS):
                declaration = re.sub(r"\s*//.*", "", line)
                yield f"this public declaration isn't on {', '.join(missing)}: {Path(file).name}, {declaration}"


def public_lines(text):
    """The public lines of a file, by platform. A line counts if it's compiled in any case of the other conditions."""
    found = {platform: set() for platform in PLATFORMS}
    branches = []
    for line in map(str.strip, text.splitlines()):
        if directive := re.match(r"#(if|elseif|else|endif)\b\s*(.*)", line):
            kind, condition = directive[1], re.sub(r"//.*", "", directive[2])
            if kind == "if":
                branches.append(condition)
            elif kind == "elseif":
                branches[-1] = f"!({branches[-1]}) && ({condition})"
            elif kind == "else":
                branches[-1] = f"!({branches[-1]})"
            else:
                branches.pop()
        elif re.match(r"(@[\w.]+(\([^()]*\))? )*([a-z]+(\([a-z]+\))? )*(public|open) ", line):
            # A type may have another name on each platform, such as NSImage.
            line = re.sub(r"(typealias \w+) =.*", r"\1", line)
            cases = list(outcomes(" && ".join(f"({branch})" for branch in branches) or "true"))
            for index, platform in enumerate(PLATFORMS):
                if any(values[index] for values in cases):
                    found[platform].add(line)
    return found


def outcomes(condition):
    """For each case of the terms that don't name a platform, whether each platform meets a condition."""
    terms = set(re.findall(TERM, condition)) - {"true", "false"}
    others = sorted(term for term in terms if platforms_of(term) is None)
    for case in itertools.product([False, True], repeat=len(others)):
        known = dict(zip(others, case))
        yield [holds(condition, platform, known) for platform in PLATFORMS]


def platforms_of(term):
    """The platforms that meet a term, or None if it isn't about platforms."""
    name = re.fullmatch(r"(os|canImport|targetEnvironment)\((\w+)\)", term)
    if not name:
        return None
    if name[1] == "os":
        return [name[2]]
    if name[1] == "targetEnvironment":
        return ["iOS"] if name[2] == "macCatalyst" else None
    return MODULES.get(name[2])


def holds(condition, platform, known):
    def value(match):
        term = match[0]
        if term in ("true", "false"):
            return term.capitalize()
        return str(known[term] if term in known else platform in platforms_of(term))

    text = re.sub(r"!(?!=)", " not ", re.sub(TERM, value, condition))
    return eval(text.replace("&&", " and ").replace("||", " or "), {})  # Only True, False, operators and parentheses.
