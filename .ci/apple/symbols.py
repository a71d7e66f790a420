"""Writes the symbol graphs of the library's modules for macOS into a folder, for .ci/check-api. They have the declarations
that exist only on Apple's platforms.

  .ci/apple/symbols.py FOLDER [OPTION-OF-SYMBOLGRAPH-EXTRACT…]
"""
import sys
import tempfile
from pathlib import Path

import check
import modules

package, toolchain = check.Package("."), modules.Toolchain()
prepared, triple = modules.prepare(toolchain), package.triple("macos")
# Declarations are enough.
emit = ["-emit-module", "-experimental-skip-non-inlinable-function-bodies"]
with tempfile.TemporaryDirectory() as work:
    compiler = check.Compiler(toolchain, prepared, Path(work))
    for name in package.products:
        target = package.targets[name]
        if files := check.sources(package.folder_of(target)):
            compiler.swift("macos", triple, name, files, *check.flags_of(target), emit=emit)
            compiler.run(
                "swift-symbolgraph-extract", "-module-name", name, "-target", triple, "-output-dir", sys.argv[1],
                "-I", compiler.work / "macos", "-I", prepared / "macos/modules", "-I", prepared / "macos/c", *sys.argv[2:])
