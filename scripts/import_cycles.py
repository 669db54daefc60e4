#!/usr/bin/env python3
"""Fails if any modules of the server and the client, ``__init__`` files included, import each other in a cycle."""

from __future__ import annotations

import sys
from graphlib import CycleError, TopologicalSorter

import grimp

PACKAGES = ("noughts", "noughts_client")


def main() -> int:
    graph = grimp.build_graph(*PACKAGES)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    # A package's own __init__ runs before any of its modules, so a module must not need names from it.
    own = [(module, used) for module, those in imports.items() for used in those if module.startswith(f"{used}.")]
    for module, package in own:
        print(f"{module} imports from its own package, {package}", file=sys.stderr)
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        print("import cycle: " + " -> ".join(error.args[1]), file=sys.stderr)
        return 1
    return 1 if own else 0


if __name__ == "__main__":
    sys.exit(main())
