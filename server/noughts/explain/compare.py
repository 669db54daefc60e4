"""``noughts compare``: one position searched by several methods, to compare what they cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from noughts.columns import table
from noughts.engine import Analysis, Interrupt, Limits, Method, MonteCarlo, Stopped
from noughts.engine.grow import (
    DEEPEST,
    NODES_PER_POLL,
    Node,
    Plan,
    TooLarge,
    cautions,
    estimating,
    grow,
    scoring,
    without_win,
)
from noughts.explain.drawing import METHODS, plies, side_name
from noughts.explain.solve import PLAYOUTS, percent, within
from noughts.games import Game, Position
from noughts.games.board import board, glyphs
from noughts.games.symmetry import Turns, canonical, turns_of

SHALLOW = 4
"""In plies: the depth of the search that is compared with those to the end of the game."""

SECONDS = 60
"""For each method by default: minimax takes 3 s for tic-tac-toe, and several times that on a busy machine."""

MOST_NODES = 2_000_000
"""Of one method: a table of so many takes some 500 MB."""

Why = Literal["time", "nodes", "interrupt"]
"""The reason why a method has no value: it ran out of its time or nodes, or Ctrl-C stopped it."""

REASONS: dict[Why, str] = {
    "time": "out of time",
    "nodes": f"stopped at {MOST_NODES:,} nodes",
    "interrupt": "stopped by Ctrl-C",
}


@dataclass(frozen=True, slots=True)
class Way:
    """A way to search. ``depth`` is in plies, None for to the end of the game; ``turns`` are the reflections that its
    table knows.
    """

    name: str
    method: Method | Literal["mcts"]
    depth: int | None = None
    turns: Turns = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """The findings of one way to search, and their cost.

    ``value`` is for the side to move, None if the search was stopped; ``why`` says why. ``estimated``: it rests on
    positions that were not searched to the end. ``move`` is one that has the value, None if there is none. ``nodes``
    counts the positions visited. Playouts that have not proved a value have a ``mean`` instead: that of those that
    began with the move, from 0 if all were lost to 1 if all were won.
    """

    way: Way
    value: float | None
    estimated: bool
    nodes: int
    seconds: float
    why: Why | None = None
    move: str | None = None
    mean: float | None = None
    playouts: int = 0


def ways(game: Game, depth: int | None) -> list[Way]:
    """The ways that are compared: to the end of the game and to :data:`SHALLOW` plies, or all to ``depth`` plies.

    Playouts go to the end of the game, so they are not compared at a depth.
    """
    found = [Way(METHODS[method], method, depth) for method in Method]
    if turns := turns_of(game):
        found.append(Way(f"{METHODS[Method.TABLE]} and symmetry", Method.TABLE, depth, turns))
    if depth is None:
        found.append(Way(f"{METHODS[Method.ALPHA_BETA]}, {plies(SHALLOW)} deep", Method.ALPHA_BETA, SHALLOW))
        found.append(Way(PLAYOUTS, "mcts"))
    return found


def compared(game: Game, position: Position, depth: int | None, seconds: float) -> Iterator[Cost]:
    """The cost of each of the :func:`ways`, each searched for at most ``seconds``. Ctrl-C ends the last of them."""
    for way in ways(game, depth):
        cost = (_cost if isinstance(way.method, Method) else _cost_of_playouts)(game, position, way, seconds)
        yield cost
        if cost.why == "interrupt":
            return


def _cost(game: Game, position: Position, way: Way, seconds: float) -> Cost:
    polls = 0

    def polled(stop: Interrupt) -> Callable[[], bool]:
        def poll() -> bool:
            nonlocal polls
            polls += 1
            return stop()

        return poll

    def search(stop: Interrupt) -> Node | Why:
        assert isinstance(way.method, Method)
        plan = Plan(
            scoring(game, position, min(way.depth or DEEPEST, DEEPEST)),
            way.method,
            keep=0,
            most=MOST_NODES,
            estimate=estimating(game, position),
            stop=polled(stop),
            form=(lambda one: canonical(game, one, way.turns)) if way.turns else None,
        )
        try:
            return grow(position, plan)
        except TooLarge:
            return "nodes"
        except Stopped:
            return "time"

    found, elapsed, _ = within(seconds, search)
    if not isinstance(found, str):
        value = found.value if game.margin is None or found.estimated else without_win(found.value, game.win)
        return Cost(way, value, found.estimated, found.nodes, elapsed, move=next(iter(found.best), None))
    nodes = MOST_NODES if found == "nodes" else (polls - 1) * NODES_PER_POLL
    return Cost(way, None, False, nodes, elapsed, "interrupt" if found == "time" and elapsed < seconds else found)


def _cost_of_playouts(game: Game, position: Position, way: Way, seconds: float) -> Cost:
    limits = Limits(nodes=MOST_NODES, every_move=False)

    def search(stop: Interrupt) -> Analysis:
        return MonteCarlo(game).analyse(position, limits, stop)

    found, elapsed, stopped = within(seconds, search)
    move = next(iter(found.choices), None)
    playouts = sum(one.playouts for one in found.moves.values())
    if found.exact or move is None:
        return Cost(way, found.value, False, found.nodes, elapsed, move=move, playouts=playouts)
    best = found.moves[move]
    why: Why | None = None
    if stopped:
        why = "time" if elapsed >= seconds else "interrupt"
    elif found.nodes > MOST_NODES:
        why = "nodes"
    value = best.value if best.mean is None else None
    return Cost(way, value, value is not None, found.nodes, elapsed, why, move, best.mean, playouts)


def as_object(game: Game, position: Position, costs: list[Cost]) -> dict[str, Any]:
    """The object that ``--json`` prints; docs/solving.md describes it."""
    return {
        "game": game.key,
        "position": position.text,
        "to_move": position.to_move,
        "methods": [
            {
                "method": cost.way.method,
                "symmetry": bool(cost.way.turns),
                "depth": cost.way.depth,
                "value": cost.value,
                "estimated": cost.estimated,
                "move": cost.move,
                **({"mean": cost.mean, "playouts": cost.playouts} if cost.way.method == "mcts" else {}),
                "nodes": cost.nodes,
                "seconds": round(cost.seconds, 6),
                "stopped": cost.why,
            }
            for cost in costs
        ],
    }


def head_lines(game: Game, position: Position, widest: int) -> list[str]:
    """The board and the head of a table, in which the names of methods have up to ``widest`` characters."""
    lines = [game.title, "", *(f"  {line}".rstrip() for line in board(game, glyphs(game, position))), ""]
    lines += [f"{side_name(game, position.to_move)} to move" if position.to_move else "The game is over.", ""]
    return [*lines, _row(("method", "value", "move", "nodes", "seconds"), widest)]


def row(game: Game, position: Position, cost: Cost, widest: int) -> str:
    """The line of a method in the table."""
    value = "?" if cost.value is None else f"{'~' if cost.estimated else ''}{cost.value:g}"
    if cost.mean is not None:
        value = percent(cost.mean)
    move = "" if cost.move is None else game.name(position, cost.move)
    cells = _row((cost.way.name, value, move, f"{cost.nodes:,}", f"{cost.seconds:.3f}"), widest)
    return cells if cost.why is None else f"{cells}  {REASONS[cost.why]}"


def _row(cells: tuple[str, str, str, str, str], widest: int) -> str:
    (line,) = table([cells], right=(1, 3, 4), least=(widest, 5, 4, 9, 7))
    return line


def foot_lines(game: Game, costs: Sequence[Cost]) -> list[str]:
    """The meaning of the signs in the table, and what the searches leave out of account."""
    signs = (
        ["~ marks an estimate: the search ended before the game did."] if any(cost.estimated for cost in costs) else []
    )
    means = [f"{cost.playouts:,} playouts: % is the share of the points." for cost in costs if cost.mean is not None]
    lines = [*signs, *means, *cautions(game, Method.TABLE)]
    return ["", *lines] if lines else []
