"""A student's search as a program that answers JSON lines: ``python -m noughts.grading.child student.py minimax``.

It is started by the parent, not by people. The student's function gets a position that counts which positions are
looked at, so that what it visits is not left to it to tell.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.abc import MetaPathFinder
from numbers import Real
from typing import Any

import noughts_client
from noughts.games import GAMES, Outcome, Position, Side
from noughts_client import loading
from noughts_client.bots.child import NoFunction, function, load, own_pipes, serve, started
from noughts_client.own_traceback import own_traceback

HIDDEN = ("noughts.engine", "noughts.explain", "noughts.grading.cases")
"""Modules with the answers, which a graded file cannot import. That stops nobody who means it; a sandbox hides them."""

MOST_TOLD = 40_000
"""Characters: longer lists of visited positions are told by their digest."""

FIRST_ARGUMENTS = {"alpha": -math.inf, "beta": math.inf}
"""What required parameters besides the position are called with, by their names."""


class WrongAnswer(Exception):
    """What the function returned is no answer. The text says why to the student."""


class Visits:
    """The positions that were looked at, each by the moves that led to it from where the search began."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def told(self) -> dict[str, Any]:
        """How many there are, their digest, and if they are few, all of them."""
        lines = sorted(self.seen)
        text = "\n".join(lines)
        told = {"visited": len(lines), "digest": digest(lines)}
        return told | ({"paths": lines} if len(text) <= MOST_TOLD else {})


def digest(lines: Iterable[str]) -> str:
    """The same for the same visited positions, given in sorted order."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


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
            self._visits.seen.add(self._line)
        return self._position

    @property
    def to_move(self) -> Side | None:
        return self._look().to_move

    @property
    def ply(self) -> int:
        return self._look().ply

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return self._look().legal_moves

    @property
    def outcome(self) -> Outcome | None:
        return self._look().outcome

    @property
    def rows(self) -> tuple[str, ...]:
        return self._look().rows

    @property
    def text(self) -> str:
        return self._look().text

    def play(self, move: str) -> Watched:
        line = f"{self._line} {move}" if self._line else move
        return Watched(self._look().play(move), self._visits, line)

    def __eq__(self, other: object) -> bool:
        return self._look() == (other._look() if isinstance(other, Watched) else other)

    def __hash__(self) -> int:
        return hash(self._look())

    def __repr__(self) -> str:
        return repr(self._look())

    def __str__(self) -> str:
        return str(self._look())


class _NoServer:
    """What a graded file gets for a name of noughts_client that needs a server: the real one imports the engine."""

    def __init__(self, *_: Any, **__: Any) -> None:
        loading.refuse_to_start()
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


def searcher(search: Callable[..., Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Answers questions about positions by ``search``. Its exceptions are answers too."""
    given = _arguments(search)

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        visits = Visits()
        position = Watched(GAMES[question["game"]].parse(question["position"]), visits)
        began = time.perf_counter()
        try:
            said = search(position, *given)
            seconds = time.perf_counter() - began
            value, moves = read(said)
        except WrongAnswer as error:
            return {"error": str(error), "traceback": ""}
        except BaseException as error:  # also SystemExit: the file does not decide when it is done
            text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            return {"error": f"It raised {text.splitlines()[0][:200]}", "traceback": own_traceback(error)}
        return {"value": value, "moves": moves, "seconds": seconds, **visits.told()}

    return answer


def read(said: Any) -> tuple[float, list[str] | str | None]:
    """The value and the best move or moves, None if there are none, in what a search returned.

    Raises :class:`WrongAnswer`.
    """
    value, moves = said if isinstance(said, tuple) and len(said) == 2 else (said, None)
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise WrongAnswer(
            f"It returned {said!r:.200}, but must return a number, or a number and the best move or moves."
        )
    if moves is not None and not isinstance(moves, str):
        try:
            moves = list(moves)
        except TypeError:
            moves = [moves]
        if not all(isinstance(move, str) for move in moves):
            raise WrongAnswer(f"It returned {said!r:.200}, but a move must be a string.")
    return float(value), moves


def _arguments(search: Callable[..., Any]) -> list[float]:
    """What ``search`` is called with after the position. Raises NoFunction if that cannot be known."""
    _, *others = inspect.signature(search).parameters.values() or [None]
    required = [each.name for each in others if each is not None and each.default is each.empty and each.kind < 2]
    if unknown := [name for name in required if name not in FIRST_ARGUMENTS]:
        raise NoFunction(f"{search.__name__} needs {', '.join(unknown)} to be called: give them defaults.")
    return [FIRST_ARGUMENTS[name] for name in required]


def main() -> None:
    lines_in, lines_out = own_pipes()
    file, name = sys.argv[1:3]
    sys.meta_path.insert(0, _Guard())
    _without_a_server()
    answer = started(lines_out, lambda: searcher(function(load(file), name)))
    if answer is not None:
        serve(lines_in, lines_out, answer)


if __name__ == "__main__":
    main()
