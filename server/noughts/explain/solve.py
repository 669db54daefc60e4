"""``noughts solve``: search a position in bounded time and show the value of every move."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from html import escape
from typing import Any, TypeVar

from wcwidth import ljust
from wcwidth import width as columns

from noughts.columns import table
from noughts.engine import (
    Analysis,
    Bound,
    Engine,
    Interrupt,
    Limits,
    MonteCarlo,
    MoveValue,
    Stopped,
    Verdict,
    alpha_beta,
    has_kernel,
    minimax,
    named,
    usable_engine_of,
    verdict_of,
)
from noughts.engine.levels import is_decided
from noughts.explain.drawing import counted, plies, side_name
from noughts.games import Game, Outcome, Position, Side
from noughts.games.board import board, glyphs
from noughts.games.notation import number_of, numbered

T = TypeVar("T")

COMPARED = ("tictactoe",)
"""Games small enough for plain minimax. They are searched by minimax and by alpha-beta, to compare the node counts."""

SECONDS = 10
"""The longest search, unless somebody asks for another."""

WAIT_S = 0.1
"""The longest single wait. Where a wait cannot be interrupted, Ctrl-C is noticed this late."""

WIDTH = 100
"""The width of a table in a notebook."""

MOST_ROWS = 20
"""The number of moves the table shows: with the board, about a screen."""

PLAYOUTS = "Monte-Carlo tree search"
METHODS = {"minimax": "minimax", "alphabeta": "alpha-beta", "kernel": "compiled search", "mcts": PLAYOUTS}

SIGNS = {Bound.UPPER: "<=", Bound.LOWER: ">=", None: "~"}
"""The signs before a value that is not exact."""


@dataclass(frozen=True, slots=True, repr=False)
class Solution:
    """The result of a search. ``nodes`` has the positions visited by each method; None if that method was stopped.

    A notebook shows it as the board and a table, ``print`` as ``noughts solve`` does.
    """

    game: Game
    position: Position
    analysis: Analysis
    nodes: dict[str, int | None]
    seconds: float
    stopped: bool

    @property
    def best(self) -> tuple[str, ...]:
        """The moves that may be called best; ``analysis`` says how that is known."""
        return self.analysis.best

    @property
    def values(self) -> dict[str, int]:
        """The value of each legal move; ``analysis`` says which of them are exact."""
        return {name: move.value for name, move in self.analysis.moves.items()}

    def __repr__(self) -> str:
        return in_words(self, WIDTH)

    def _repr_html_(self) -> str:
        # A game of another package may have no picture of its positions.
        picture = getattr(self.position, "_repr_svg_", str)()
        return f"{picture}<pre>{escape(self.findings())}</pre>"

    def findings(self) -> str:
        """The values and the cost of the search, without the board, as a notebook shows them."""
        return "\n".join(_findings(self, WIDTH))


def solution(
    game: Game,
    position: Position,
    seconds: float,
    say: Callable[[str], None] = lambda _: None,
    *,
    playouts: bool = False,
    seed: int = 0,
) -> Solution:
    """Search for at most ``seconds``, or until Ctrl-C, and return the best found by then.

    It is the game's own search, or Monte-Carlo tree search by ``playouts`` with this ``seed``. ``say`` is called with
    the reason if the game has a compiled search that cannot be used.
    """
    if playouts:
        engine: Engine = MonteCarlo(game, seed)
        analysis, elapsed, stopped = within(seconds, lambda stop: engine.analyse(position, Limits(), stop))
        nodes: dict[str, int | None] = {"mcts": analysis.nodes}
    elif game.key in COMPARED:
        found, elapsed, stopped = within(seconds, lambda stop: _compared(game, position, stop))
        analysis, nodes = found
    else:
        engine, why = usable_engine_of(game)
        analysis, elapsed, stopped = within(seconds, lambda stop: engine.analyse(position, Limits(), stop))
        if why is not None and analysis.nodes:  # the opening table needs no search
            say(why)
        nodes = {"kernel" if has_kernel(game) and why is None else "alphabeta": analysis.nodes}
    return Solution(game, position, named(game, position, analysis), nodes, elapsed, stopped)


def within(seconds: float, search: Callable[[Interrupt], T]) -> tuple[T, float, bool]:
    """Run ``search``. Returns its result, the seconds it took, and whether the time limit or Ctrl-C stopped it.

    It runs in its own thread, because compiled code in this one would delay Ctrl-C.
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
            stop.set()  # otherwise the pool would wait for the search to end
        found = future.result()
    return found, time.monotonic() - begun, stopped


def _compared(game: Game, position: Position, stop: Interrupt) -> tuple[Analysis, dict[str, int | None]]:
    """Search by both methods. Alpha-beta takes a tenth of a second and always finishes; minimax may be stopped."""
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
    """The moves to the end of the game if both sides play their first best move."""
    line = []
    while best := alpha_beta(position).best:
        line.append(best[0])
        position = position.play(best[0])
    return line


def without_depth(analysis: Analysis) -> Analysis:
    """The same analysis with 10 for every exact win, -10 for a loss and 0 for a draw, however soon or large.

    All moves that keep an exact result are best. A bound that proves the result is exact, other bounds become bounds of
    the result. Estimates do not change.
    """
    moves = {name: _without_depth(move) for name, move in analysis.moves.items()}
    if analysis.exact:
        return replace(analysis, value=_sign(analysis.value), moves=moves)
    known = [move.value for move in moves.values() if move.exact]
    if 10 in known or (len(known) == len(moves) and not analysis.claim):
        return replace(analysis, value=max(known), exact=True, moves=moves)
    return replace(analysis, moves=moves)


def _without_depth(move: MoveValue) -> MoveValue:
    if not move.exact and move.bound is None:
        return move
    value = _sign(move.value)
    decided = move.bound is not None and value == (10 if move.bound is Bound.LOWER else -10)
    return replace(move, value=value, exact=move.exact or decided, bound=None if decided else move.bound)


def _sign(value: int) -> int:
    return 10 * ((value > 0) - (value < 0))


def as_object(solution: Solution) -> dict[str, Any]:
    """The object that ``--json`` prints; docs/solving.md describes it."""
    analysis = solution.analysis
    verdict, best = verdict_of(analysis)
    return {
        "game": solution.game.key,
        "position": solution.position.text,
        "to_move": solution.position.to_move,
        "value": analysis.value,
        "exact": analysis.exact,
        "best": list(best),
        "verdict": verdict,
        "moves": {name: _move(move) for name, move in analysis.moves.items()},
        "nodes": solution.nodes,
        "seconds": round(solution.seconds, 6),
    }


def _move(move: MoveValue) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "value": move.value,
        "distance": move.distance,
        "line": list(move.line),
        "exact": move.exact,
    }
    if move.names:
        shown["names"] = list(move.names)
    if move.playouts:
        shown["playouts"] = move.playouts
    if move.mean is not None:
        shown["mean"] = round(move.mean, 4)
    return shown if move.bound is None else {**shown, "bound": move.bound}


def in_words(solution: Solution, width: int, *, every_move: bool = False) -> str:
    """The board, a table of the moves, and the cost of the search, in lines of ``width`` columns if possible.

    The table begins with the best move. It shows :data:`MOST_ROWS` of them, or all with ``every_move``.
    """
    game = solution.game
    rows = (f"  {line}".rstrip() for line in board(game, glyphs(game, solution.position)))
    return "\n".join([game.title, "", *rows, "", *_findings(solution, width, every_move=every_move)])


def _findings(solution: Solution, width: int, *, every_move: bool = False) -> list[str]:
    """The lines below the board."""
    game, position, analysis = solution.game, solution.position, solution.analysis
    if position.outcome is not None:
        return [_ended(solution, position.outcome)]
    assert position.to_move is not None
    value = str(analysis.value) if analysis.exact else _value(analysis.moves[analysis.best[0]])
    lines = [f"{side_name(game, position.to_move)} to move, value {value}", ""]
    best = analysis.best
    ranked = sorted(analysis.moves, key=lambda name: (name in best, *_rank(analysis.moves[name])), reverse=True)
    most_rows = len(ranked) if every_move else MOST_ROWS
    shown, left_out = ranked[:most_rows], ranked[most_rows:]
    lines += _table(solution, shown, width)
    if left_out:
        most, least = (_value(analysis.moves[name]) for name in (left_out[0], left_out[-1]))
        between = f"of {most}" if most == least else f"from {most} to {least}"
        lines += _wrapped(f"and {len(left_out)} more, {between} (--all shows them)", width)
    lines += ["", *_wrapped(_best(solution), width)]
    if analysis.claim:
        lines.append(f"{side_name(game, position.to_move)} may claim a draw instead.")
    lines += _wrapped(" ".join(_what_is_inexact(solution)), width)
    searched = [
        f"{METHODS[name]} {'stopped' if count is None else f'{count:,}'}" for name, count in solution.nodes.items()
    ]
    if not analysis.nodes:
        searched = ["none, the opening table has the answer"]
    return [*lines, f"Nodes: {', '.join(searched)}", f"Time: {solution.seconds:.3g} s"]


def _best(solution: Solution) -> str:
    """A sentence on what is known about the best moves."""
    analysis = solution.analysis
    verdict, found = verdict_of(analysis)
    best = [solution.game.name(solution.position, move) for move in found]
    if len(analysis.moves) == 1:
        return f"Only move: {best[0]}"
    if analysis.exact and verdict is not Verdict.PROVED:
        return (
            "The position's value is proved, by the opening table; which move keeps it is not proved. "
            f"The search's guess is {best[0]}."
        )
    if verdict is Verdict.PREFERRED:
        return f"No move is proved best. The search prefers {best[0]}."
    undecided = [move for move in analysis.moves.values() if not move.exact]
    if verdict is Verdict.UNKNOWN:
        others = "" if len(undecided) == len(analysis.moves) else " whose values are not proved"
        return f"No move is proved best. The search found no difference between the moves{others}."
    rivals = any(move.bound is not Bound.UPPER or move.value >= analysis.value for move in undecided)
    return f"Best: {', '.join(best)}{' (others may be as good)' if rivals else ''}"


def _what_is_inexact(solution: Solution) -> list[str]:
    """The sentences that explain the signs before values that are not exact; none if all are exact."""
    game, analysis = solution.game, solution.analysis
    inexact = [move for move in analysis.moves.values() if not move.exact]
    if not inexact:
        return []
    why = "The search was stopped" if solution.stopped else "The search ended"
    estimated = any(move.bound is None for move in inexact)
    if any(move.mean is not None for move in inexact):
        playouts = counted(sum(move.playouts for move in analysis.moves.values()), "playout", "playouts")
        bounds = " <= and >= mark bounds." if any(move.bound is not None for move in inexact) else ""
        return [f"{why} after {playouts}.{bounds} % is the share of the points in the playouts that began with a move."]
    sentences = [f"{why} after {plies(analysis.depth)}." if estimated else f"{why} before every value was known."]
    if any(move.bound is not None for move in inexact):
        sentences.append("<= and >= mark bounds.")
    if estimated:
        sentences.append("~ marks an estimate.")
        if game.heuristic is not None:
            sentences.append(f"With an estimate of {game.heuristic.unit}, expect to win ten games out of eleven.")
    return sentences


def _rank(move: MoveValue) -> tuple[int, int]:
    """A sort key, greater for better moves. Exact wins come before all estimates and exact losses after them, because
    their values may be in different units.
    """
    sure = (move.value > 0) - (move.value < 0) if is_decided(move) else 0
    return sure, move.value


def _table(solution: Solution, shown: Sequence[str], width: int) -> list[str]:
    """One line for each move, in the order of ``shown``; long principal variations are wrapped."""
    game, position, analysis = solution.game, solution.position, solution.analysis
    verdict, best = verdict_of(analysis)
    number, second = number_of(game, position), position.to_move is Side.SECOND
    moves = [(name, analysis.moves[name]) for name in shown]
    sampled = any(move.playouts for move in analysis.moves.values())
    rows = [["", "move", "value", "result", "plies", *["playouts"] * sampled]]
    for name, move in moves:
        distance = "" if move.distance is None else str(move.distance)
        mark = "*" if verdict is Verdict.PROVED and name in best else " "
        playouts = [f"{move.playouts:,}"] * sampled
        rows.append([mark, game.name(position, name), _value(move), _result(move), distance, *playouts])
    right: tuple[int, ...] = (2, 4, 5)
    if not any(row[3] or row[4] for row in rows[1:]):  # nothing is decided
        rows, right = [row[:3] + row[5:] for row in rows], (2, 3)
    aligned = table(rows, right=right)
    indent = max(map(columns, aligned)) + 2
    lines = [f"{ljust(aligned[0], indent)}line"]
    for row, (_, move) in zip(aligned[1:], moves, strict=True):
        first, *rest = _evenly(
            " ".join(numbered(move.names or move.line, number, second=second)), max(width - indent, 20)
        )
        lines += [f"{ljust(row, indent)}{first}", *(" " * indent + part for part in rest)]
    return lines


def _evenly(words: str, width: int) -> list[str]:
    """Wrap ``words`` into as few lines as possible, of similar length, so that the last is not a single move."""
    lines = textwrap.wrap(words, width) or [""]
    while len(lines) > 1 and len(narrower := textwrap.wrap(words, width - 1)) == len(lines):
        lines, width = narrower, width - 1
    return lines


def _value(move: MoveValue) -> str:
    if move.mean is not None:
        return percent(move.mean)
    return str(move.value) if move.exact else f"{SIGNS[move.bound]}{move.value}"


def percent(mean: float) -> str:
    """The mean result of playouts. It is 0 or 100 only if all were lost or won."""
    return f"~{min(max(round(100 * mean), mean > 0), 99 + (mean == 1))} %"


def _result(move: MoveValue) -> str:
    if not move.exact:
        return ""
    return "win" if move.value > 0 else "loss" if move.value < 0 else "draw"


def _ended(solution: Solution, outcome: Outcome) -> str:
    if outcome.winner is None:
        return "The game is over: a draw."
    won = f"The game is over: {side_name(solution.game, outcome.winner)} has won"
    return f"{won} with {', '.join(outcome.cells)}." if outcome.cells else f"{won}."


def _wrapped(words: str, width: int) -> list[str]:
    return textwrap.wrap(words, width, subsequent_indent="  ")
