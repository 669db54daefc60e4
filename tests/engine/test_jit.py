"""The parts of kernels: an edit of any module that a compiled function uses compiles it anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import noughts

SOURCE = Path(noughts.__file__).parent
KERNELS = [
    ".".join(("noughts", *path.relative_to(SOURCE).with_suffix("").parts))
    for path in sorted(SOURCE.glob("engine/*/*.py"))
    if "@kernel(" in path.read_text(encoding="utf-8")
]


class Module:
    """A module's source: what it defines by name, and what it imports: the module, and the name there."""

    def __init__(self, name: str) -> None:
        path = SOURCE.joinpath(*name.split(".")[1:])
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        self.tree = ast.parse(file.read_text(encoding="utf-8"))
        self.defined: dict[str, ast.stmt] = {}
        self.imported: dict[str, tuple[str, str]] = {}
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("noughts"):
                self.imported |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.defined[node.name] = node
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
                self.defined |= {each.id: node for each in names if isinstance(each.ctx, ast.Store)}


module = cache(Module)


def used(name: str, thing: str, seen: set[tuple[str, str]]) -> Iterator[str]:
    """The modules with what ``thing`` of the module ``name`` uses, directly or through others, and ``name`` itself."""
    if (name, thing) in seen:
        return
    seen.add((name, thing))
    yield name
    here = module(name)
    found = here.defined.get(thing)
    body = found.body if isinstance(found, ast.FunctionDef) else [found] if found is not None else []
    for node in (node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name)):
        if node.id in here.defined:
            yield from used(name, node.id, seen)
        elif node.id in here.imported:
            yield from used(*here.imported[node.id], seen)


def named(name: str, call: ast.Call) -> set[str]:
    """The modules that a decorator names as parts."""
    here = module(name)
    parts = [
        node.id
        for argument in call.args[1:]
        for node in ast.walk(here.defined[argument.value.id] if isinstance(argument, ast.Starred) else argument)  # type: ignore[attr-defined]
        if isinstance(node, ast.Name) and node.id in here.imported
    ]
    return {".".join(here.imported[part]) for part in parts}


@pytest.mark.parametrize("name", KERNELS)
def test_a_compiled_function_names_all_modules_that_it_uses(name: str) -> None:
    for thing, node in module(name).defined.items():
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "kernel":
                missing = set(used(name, thing, set())) - {name, "noughts.engine.jit"} - named(name, decorator)
                assert not missing, f"{thing} does not name {missing}"
