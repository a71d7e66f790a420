"""Finds methods named `urlSession` that URLSession never calls, and those that have the selector of another one.

URLSession only calls Objective-C methods that have a selector of a delegate protocol. Other methods compile without a
warning: those with a wrong label or type, private ones, and those of another protocol than the class adopts.
"""
import re
import subprocess
from pathlib import Path

STUB = Path(__file__).resolve().parent / "stubs/Foundation.swift"
# In the stub, the selectors of async variants start with "async".
SELECTORS = set(re.findall(r"@objc\((?:async)?(URLSession:[\w:]+)\)", STUB.read_text()))


def uses(ir, tool):
    """Yields a description of each such method, from LLVM IR. `tool` is the path of swift-demangle."""
    entry = r'\{ ptr @"\\01L_selector_data\(([\w:]*)\)", ptr @[^,]+, ptr @"([^"]+)To" \}'
    selectors = {method: selector.removeprefix("async") for selector, method in re.findall(entry, ir)}
    methods = re.findall(r'^define .*?@"(\$s\w+F)"\(', ir, re.MULTILINE)
    names = subprocess.run(
        [tool, "-compact", "-simplified"], input="\n".join(methods), capture_output=True, text=True, check=True).stdout
    seen = set()
    for method, name in zip(methods, names.splitlines()):
        owner, _, labels = name.rpartition(".urlSession(")
        if not owner or " in " in owner:  # A closure or function in such a method.
            continue
        selector = selectors.get(method)
        if selector not in SELECTORS:
            yield f"URLSession never calls this delegate method: {owner}, urlSession({labels}"
        elif (owner, selector) in seen:
            yield f"two methods of a class have the selector {selector}: {owner}"
        seen.add((owner, selector))
