"""Finds uses of metadata that systems before macOS 15 and iOS 18 don't have.

Generic functions need the metadata of their arguments' types. For function types with typed throws or
`nonisolated(nonsending)`, older systems lack the runtime function that builds it. Compilers before Swift 6.3 call
that function without a check, and the app crashes. Newer compilers fall back to the metadata of another type.
"""
import re
import subprocess

FUNCTION = "swift_getExtendedFunctionTypeMetadata"
# Other runtime functions that older systems don't have, and what calls them. The compiler doesn't report these calls.
NEWER = {"swift_task_deinitOnExecutor": "isolated deinit needs macOS 15.4 and iOS 18.4"}


def newer(ir):
    """Returns a description of each newer runtime function that a module calls, from LLVM IR."""
    return [description for function, description in NEWER.items() if f"@{function}(" in ir]


def uses(ir, demangle):
    """Returns two sorted lists, from LLVM IR: functions that need the metadata, and types of stored properties
    whose metadata is only needed by reflection (`print`, `dump` and `Mirror`)."""
    callees, caller = {}, None
    for line in ir.splitlines():
        if match := re.match(r'define .*?@("[^"]+"|[\w.$]+)\(', line):
            caller = match[1].strip('"')
        elif line.startswith("}"):
            caller = None
        elif caller and "_backDeploy" not in caller:
            for name in re.findall(r'\bcall [^(]*?@("[^"]+"|[\w.$]+)\(', line):
                callees.setdefault(caller, set()).add(name.strip('"'))
    found, fields, visited = set(), set(), set()
    pending = [name for name, called in callees.items() if any(FUNCTION in other for other in called)]
    while pending:
        name = pending.pop()
        if name in visited:
            continue
        visited.add(name)
        if name.startswith("get_type_metadata "):
            fields.add("$s" + name.split()[1] + "D")
        elif name.endswith("Ma"):
            # The accessor of a type's metadata: its callers use the metadata.
            pending += [other for other, called in callees.items() if name in called]
        else:
            found.add(name)
    return sorted(set(map(demangle, found))), sorted(set(map(demangle, fields)))


def demangler(tool):
    def demangle(name):
        done = subprocess.run([tool, "-compact", name], capture_output=True, text=True, check=True)
        # Removes the names of modules. A single letter is a generic parameter.
        return re.sub(r"\b\w{2,}\.(?=[A-Z])", "", done.stdout.strip())
    return demangle
