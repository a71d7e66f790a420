"""Checks which modules need ServiceProviderSupport, and that no room of ServiceProviderExtras uses another. Called by
.ci/check-extensions, with the folder of a debug build and one with the symbol graphs of ServiceProviderSupport.

The object file of each source names the symbols that it defines and those of other files that it needs. (Stored
properties of a struct have none, but the struct does.)
"""
import json
import pathlib
import re
import subprocess
import sys

build, graphs = map(pathlib.Path, sys.argv[1:])
support, extras = "ServiceProviderSupport", pathlib.Path("Sources/ServiceProviderExtras")
needed, definer, faults = {}, {}, []
for file in pathlib.Path("Sources").glob("ServiceProvider*/**/*.swift"):
    command = ["nm", "-g", build / f"{file.parts[1]}.build/{file.name}.o"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # The last two words of a line are a letter and the symbol, which starts with "_" on a Mac.
    symbols = [line.split()[-2:] for line in listed.splitlines() if " " in line]
    needed[file] = {name.lstrip("_") for kind, name in symbols if kind == "U"}
    # The other kinds are copies, which several files may have.
    definer |= {name.lstrip("_"): file for kind, name in symbols if kind in "TDSBR"}
uses = {file: {definer[name] for name in needed[file] if name in definer} for file in needed}


def modules(file, seen=frozenset()):
    """The module of a file, or those that need it, also through other files, if it's in ServiceProviderSupport."""
    if file.parts[1] != support:
        return {file.parts[1]}
    users = [other for other in uses if file in uses[other] and other not in seen]
    return set().union(*(modules(user, seen | {file}) for user in users))


def check(symbol):
    """Checks a type or a member of an extension."""
    identifier, kind = symbol["identifier"]["precise"], symbol["kind"]["identifier"]
    # A property and an initializer have several symbols, which only start like this.
    end = {"swift.property": -1, "swift.type.property": -2, "swift.init": -1}.get(kind)
    start = "$s" + identifier.removeprefix("s:")[:end]
    file = pathlib.Path("Sources", support, pathlib.Path(symbol["location"]["uri"]).name)
    users = {other for other in needed if other != file and any(name.startswith(start) for name in needed[other])}
    # Apps set it in their services, and only ServiceProviderTesting reads it.
    if symbol["pathComponents"][-1] == "sampleData":
        return
    is_package = symbol["accessLevel"] == "package" and not any(user.parts[1] != support for user in users)
    # Uses in the same file have no symbol.
    name = symbol["names"]["title"].split("(")[0]
    code = re.sub(rf"//.*|(func|var|let|struct|class|enum|protocol) {name}\b", "", file.read_text())
    if name != "init" and re.search(rf"\b{name}\b", code):
        users.add(file)
    needing = set().union(*map(modules, users))
    if is_package or len(needing) < 2:
        reason = "no other module uses it" if is_package else f"only these modules need it: {sorted(needing)}"
        faults.append(f"{file}: {'.'.join(symbol['pathComponents'])}: {reason}")


for graph in graphs.glob("*.json"):
    for symbol in json.loads(graph.read_text())["symbols"]:
        if len(symbol["pathComponents"]) == 1 or "@" in graph.stem:
            check(symbol)
for file in uses:
    for other in uses[file]:
        rooms = [path.relative_to(extras).parts[:-1] for path in (file, other) if extras in path.parents]
        if len(rooms) == 2 and rooms[0] != rooms[1] and all(rooms):
            faults.append(f"{file}: uses another room, {other}")
sys.exit("\n".join(["failed:", *sorted(faults)]) if faults else None)
