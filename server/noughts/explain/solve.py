"""What every move in a position is worth, found by the engine in bounded time."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from noughts.engine import (
    Analysis,
    Bound,
    Interrupt,
    Limits,
    MoveValue,
    Stopped,
    alpha_beta,
    has_kernel,
    minimax,
    usable_engine_of,
)
from noughts.games import Game, Position

T = TypeVar("T")

COMPARED = ("tictactoe",)
"""The games that are small enough for plain minimax: they are searched by both methods of the lecture."""

WAIT_S = 0.1
"""How long to wait in one piece: where a wait cannot be broken off, this is how soon Ctrl-C is noticed."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What was found. ``nodes`` is how many each method visited, by its name; None where it was not let finish."""

    game: Game
    position: Position
    analysis: Analysis
    nodes: dict[str, int | None]
    seconds: float
    stopped: bool


def solution(game: Game, position: Position, seconds: float, say: Callable[[str], None] = lambda _: None) -> Solution:
    """Search for ``seconds`` at most, or until Ctrl-C; what was found by then counts.

    ``say`` is told why a game's compiled search cannot be had, where it was searched without.
    """
    if game.key in COMPARED:
        found, elapsed, stopped = within(seconds, lambda stop: _compared(game, position, stop))
        analysis, nodes = found
    else:
        engine, why = usable_engine_of(game)
        analysis, elapsed, stopped = within(seconds, lambda stop: engine.analyse(position, Limits(), stop))
        if why is not None and analysis.nodes:  # the table of openings needs no search
            say(why)
        nodes = {"kernel" if has_kernel(game) and why is None else "alphabeta": analysis.nodes}
    return Solution(game, position, analysis, nodes, elapsed, stopped)


def within(seconds: float, search: Callable[[Interrupt], T]) -> tuple[T, float, bool]:
    """What ``search`` finds, the seconds that it took, and whether it was interrupted, by the time or by Ctrl-C.

    It runs in a thread of its own, as compiled code in this one would keep Ctrl-C waiting.
    """
    stop = Interrupt()
    begun = time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        try:
            future = pool.submit(search, stop)
            with suppress(KeyboardInterrupt):
                while not future.done() and (left := begun + seconds - time.monotonic()) > 0:
                    wait([future], min(left, WAIT_S))
            stopped = not future.done()
        finally:
            stop.set()  # or the pool would wait for ever
        found = future.result()
    return found, time.monotonic() - begun, stopped


def _compared(game: Game, position: Position, stop: Interrupt) -> tuple[Analysis, dict[str, int | None]]:
    """Both searches of the lecture. Alpha-beta takes a tenth of a second and is not interrupted, minimax may be."""
    found = alpha_beta(position, win=game.win)
    moves = {}
    for move, value in found.values.items():
        line = (move, *_line(position.play(move)))
        moves[move] = MoveValue(value, True, len(line), line)
    depth = max((len(move.line) for move in moves.values()), default=0)
    analysis = Analysis(found.value, True, moves, found.best, found.nodes, depth)
    plain = None
    with suppress(Stopped):
        plain = minimax(position, win=game.win, stop=stop).nodes
    return analysis, {"minimax": plain, "alphabeta": found.nodes}


def _line(position: Position) -> list[str]:
    """The moves to the end when both sides play their first best move."""
    line = []
    while best := alpha_beta(position).best:
        line.append(best[0])
        position = position.play(best[0])
    return line


def without_depth(analysis: Analysis) -> Analysis:
    """The same with 10 for every exact win, -10 for a loss, 0 for a draw, however soon or great; all moves that keep
    an exact result are best. A bound becomes the bound of the result. Estimates stay as they are.
    """
    moves = {name: _without_depth(move) for name, move in analysis.moves.items()}
    if not analysis.exact:
        return replace(analysis, moves=moves)
    value = _sign(analysis.value)
    best = tuple(name for name, move in moves.items() if move.exact and move.value == value)
    return replace(analysis, value=value, moves=moves, best=best or analysis.best)


def _without_depth(move: MoveValue) -> MoveValue:
    if not move.exact and move.bound is None:
        return move
    value = _sign(move.value)
    decided = move.bound is not None and value == (10 if move.bound is Bound.LOWER else -10)
    return replace(move, value=value, exact=move.exact or decided, bound=None if decided else move.bound)


def _sign(value: int) -> int:
    return 10 * ((value > 0) - (value < 0))
