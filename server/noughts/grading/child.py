"""A student's search as a program that answers JSON lines: ``python -m noughts.grading.child student.py minimax``.

It is started by the parent, not by people. The student's function gets a position that counts which positions are
looked at, so that what it visits is not left to it to tell.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

import noughts_client
from noughts.games import Position, Side
from noughts.games.catalogue import game_named
from noughts.grading.forms import KNOWN, METHODS, Form, Own, form_of, other_names, unknown_parameters
from noughts.grading.readings import NoReading, readings
from noughts.grading.sampler import NAMES, sampler
from noughts_client.bots.child import NoFunction, function, load, own_pipes, serve, started
from noughts_client.failure import own_traceback
from noughts_client.state import refuse_to_start

HIDDEN = ("noughts.engine", "noughts.explain", "noughts.grading.cases")
"""Modules with the answers, which a graded file cannot import. That stops nobody who means it; a sandbox hides them."""

MOST_TOLD = 40_000
"""Characters: longer lists of visited positions are told by their digest."""


class Visits:
    """The positions that were looked at, each by the moves that led to it from where the search began."""

    def __init__(self) -> None:
        self.seen: dict[str, None] = {}

    def told(self) -> dict[str, Any]:
        """Their number, their digest, and if they are few, all of them."""
        lines = sorted(self.seen)
        text = "\n".join(lines)
        told = {"visited": len(lines), "digest": digest(lines)}
        return told | ({"paths": list(self.seen)} if len(text) <= MOST_TOLD else {})


def digest(lines: Iterable[str]) -> str:
    """The same for the same visited positions, given in sorted order."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _looked_at(name: str) -> property:
    """An attribute of a position that is watched."""
    return property(lambda watched: getattr(watched._look(), name))


class Watched:
    """A :class:`~noughts.games.Position` that tells ``visits`` when anything of it is looked at."""

    __slots__ = ("_line", "_position", "_seen", "_visits")

    def __init__(self, position: Position, visits: Visits, line: str = "") -> None:
        self._position = position
        self._visits = visits
        self._line = line
        self._seen = False

    def _look(self) -> Position:
        if not self._seen:
            self._seen = True
            self._visits.seen[self._line] = None
        return self._position

    to_move = _looked_at("to_move")
    ply = _looked_at("ply")
    legal_moves = _looked_at("legal_moves")
    outcome = _looked_at("outcome")
    rows = _looked_at("rows")
    text = _looked_at("text")

    def play(self, move: str) -> Watched:
        line = f"{self._line} {move}" if self._line else move
        return Watched(self._look().play(move), self._visits, line)

    def __eq__(self, other: object) -> bool:
        return self._look() == (other._look() if isinstance(other, Watched) else other)

    def __hash__(self) -> int:
        return hash(self._look())

    def __copy__(self) -> Watched:
        return self

    def __deepcopy__(self, _: object) -> Watched:
        return self  # a position does not change, and a copied list of visits would not be seen

    def __repr__(self) -> str:
        return repr(self._look())

    def __str__(self) -> str:
        return str(self._look())


class _NoServer:
    """The stand-in that a graded file gets for a name of noughts_client that needs a server: the real one imports the
    engine."""

    def __init__(self, *_: Any, **__: Any) -> None:
        refuse_to_start()
        raise RuntimeError("a graded file cannot play: there is no server")


def _without_a_server() -> None:
    """Let a graded file import noughts_client, as the file of a bot does."""
    for name in set(noughts_client.__all__) - {"Answer", "Bot", "BotState", "NoPosition"}:
        setattr(noughts_client, name, _NoServer)


class _Guard(MetaPathFinder):
    """Refuses to import :data:`HIDDEN` modules."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> None:  # noqa: ARG002
        if fullname.startswith(HIDDEN):
            raise ImportError(f"a graded file cannot import {fullname}: it has the answers")


def searcher(form: Form) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Answers questions about positions by a search. Its exceptions are answers too."""

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        game = game_named(question["game"])
        position = game.parse(question["position"])
        visits = Visits()
        began = time.perf_counter()
        maximizer = Side(question["maximizer"])
        told = {
            "form": form.said,
            "view": form.view,
            "counts": form.counts,
            "sides": form.sides,
            "either": form.either_maximizes,
            "told": form.remarks(game, maximizer),
        }
        if not form.fits(game):
            why = f"a board with marks of two sides cannot show {game.title}: grade a search of positions"
            return {"error": f"It was not called: {why}", "traceback": "", **told}
        try:
            said, changed = form.call(game, position, Watched(position, visits), maximizer)
            seconds = time.perf_counter() - began
            found = readings(said, lambda each: form.move(game, each), form.example(game))
        except NoReading as error:
            return {"error": str(error), "traceback": "", **told}
        except BaseException as error:  # also SystemExit: the file does not decide when it is done
            text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            return {"error": f"It raised {text.splitlines()[0][:200]}", "traceback": own_traceback(error), **told}
        return {"readings": found, "changed": changed, "seconds": seconds, **told, **visits.told()}

    return answer


def search_form(module: ModuleType, name: str) -> Form:
    """The form of the function ``name`` of a student's file, or the first of several names with commas that it has.

    If it has none, another function will do whose method cannot be told from its visits, or that has alpha and beta.
    Raises NoFunction.
    """
    own = own_code(module)
    wanted = name.split(",")
    name = next((each for each in wanted if callable(getattr(module, each, None))), wanted[0])
    if callable(getattr(module, name, None)):
        search = getattr(module, name)
        form = form_of(search, own)
        if form is None:
            unknown = ", ".join(unknown_parameters(search))
            raise NoFunction(
                f"{name} needs {unknown}, and it is not known what that is. Known are {KNOWN}: rename it, a count of "
                "plies to depth. A default would change how deep it searches."
            )
        return form
    others = other_names([each for each, found in vars(module).items() if inspect.isfunction(found)], name)
    for other in others:
        form = form_of(getattr(module, other), own)
        if form is not None and (form.takes != "position" or {"alpha", "beta"} <= set(form.kinds.values())):
            return form
    try:
        function(module, name)
    except NoFunction as error:
        hint = next((f" To grade its {each}, add --function {each}." for each in METHODS if each in others), "")
        hint = hint or _method_hint(module)
        raise NoFunction(f"{error}{hint}") from None
    raise AssertionError("it has no such function")


def _method_hint(module: ModuleType) -> str:
    """A hint to the class that has the search as a method, if one has."""
    for name, found in vars(module).items():
        if inspect.isclass(found) and found.__module__ == module.__name__:
            for each in METHODS:
                if callable(getattr(found, each, None)):
                    return f" Its class {name} has a method {each}: write a function {each} that calls it."
    return ""


def own_code(module: ModuleType) -> Own:
    """The definitions of a student's file and the modules beside it."""
    folder = Path(str(module.__file__)).parent
    files = [each for each in sys.modules.values() if Path(getattr(each, "__file__", None) or "/").parent == folder]
    names: dict[str, Any] = {}
    trees = []
    for each in (*files, module):
        names |= vars(each)
        with suppress(OSError, SyntaxError, UnicodeDecodeError):
            trees.append(ast.parse(Path(str(each.__file__)).read_text(encoding="utf-8")))
    return Own(names, tuple(trees))


def _loaded(file: str) -> ModuleType:
    try:
        return load(file)
    except EOFError:
        raise NoFunction('It asks for input when it is loaded: put that below if __name__ == "__main__".') from None


def _answerer(module: ModuleType, name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return sampler(module) if name == NAMES[0] else searcher(search_form(module, name))


def main() -> None:
    lines_in, lines_out = own_pipes()
    file, name = sys.argv[1:3]
    sys.meta_path.insert(0, _Guard())
    _without_a_server()
    answer = started(lines_out, lambda: _answerer(_loaded(file), name))
    if answer is not None:
        serve(lines_in, lines_out, answer)


if __name__ == "__main__":
    main()
