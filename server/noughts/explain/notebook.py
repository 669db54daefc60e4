"""The engines as a library, for programs and notebooks: positions and trees that display themselves."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from noughts.engine import LEVELS, Method, choose, levels_of, parse_tree, usable_engine_of
from noughts.explain.as_svg import as_svg
from noughts.explain.as_text import as_text
from noughts.explain.drawing import Drawing
from noughts.explain.position import BadRequest, game_of, position_of, split
from noughts.explain.solve import SECONDS, Solution, solution, within
from noughts.explain.tree import Wish, drawing, leaves_drawing
from noughts.games import Game, Position, Side
from noughts.games.sentences import level_of, no_such_level

if TYPE_CHECKING:
    from noughts.explain.widget import Board

VALUES_S = 1
"""The longest search for the values of a board's moves, unless somebody asks for another."""

HINT = "depth=N shows N plies, fold=False shows reflections too."


class Turn(NamedTuple):
    """The ``move`` that the computer plays, and the ``position`` after it."""

    move: str
    position: Position


def solve(
    game: str, position: str = "", *, moves: str = "", seconds: float = SECONDS, search: str = "", seed: int = 0
) -> Solution:
    """The value of every move, as ``noughts solve`` shows it, searched for at most ``seconds``.

    ``position`` is the position as text, the start of the game if empty, and ``moves`` are played from there. A
    notebook shows the board and the values, ``print`` what the command prints. Warns if the game has a compiled search
    that cannot be used.

    ``search`` is the game's own if empty, or ``mcts``, Monte-Carlo tree search, whose playouts ``seed`` decides.

    Raises :class:`ValueError` if there is no such game, position, move or search.
    """
    if search not in ("", "mcts"):
        raise BadRequest(f"there is no search {search!r}, but mcts")
    found = game_of(game)
    there = position_of(found, position, moves)
    return solution(found, there, seconds, _warn_slow, playouts=search == "mcts", seed=seed)


def play(
    game: str,
    position: str = "",
    *,
    moves: str = "",
    level: str = "",
    seconds: float | None = None,
    seed: int | None = None,
) -> Turn:
    """The move that the computer plays there at ``level``, the game's strongest if empty.

    It takes about ``seconds`` at most, by default the level's own. ``seed`` makes its draws among the level's moves
    repeat.

    Raises :class:`ValueError` if there is no such game, position, move or level, or if the game is over.
    """
    found = game_of(game)
    there = position_of(found, position, moves)
    move = _computer(found, level, seconds, random.Random(seed))(there)
    return Turn(move, there.play(move))


def _computer(game: Game, level: str, seconds: float | None, rng: random.Random) -> Callable[[Position], str]:
    """The computer's move in a position. Raises :class:`BadRequest` if there is no such level."""
    names = levels_of(game)
    known = level_of(level or names[0], names)
    if known is None:
        raise BadRequest(no_such_level(game.title, level, names))
    goal = LEVELS[known]
    engine, _ = usable_engine_of(game)
    limit = goal.seconds if seconds is None else seconds

    def move(there: Position) -> str:
        found, _, _ = within(limit, lambda stop: choose(engine, there, goal, rng, stop))
        return found

    return move


def board(
    game: str,
    position: str = "",
    *,
    moves: str = "",
    level: str = "",
    side: str = "first",
    seconds: float | None = None,
    values: bool = False,
) -> Board:
    """A board on which one can click, with a slider for its moves; it needs the extra ``notebook``.

    ``moves`` are played from the ``position``, the start of the game if empty. With a ``level`` the computer plays
    against ``side``, ``first`` or ``second``, within about ``seconds`` for each move, by default the level's own. With
    ``values``, or its box ticked, it says what each move is worth, as :func:`solve` does, searched for as long, by
    default ``VALUES_S``.

    Raises :class:`ValueError` if there is no such game, position, move, level or side, and ImportError without
    anywidget.
    """
    from noughts.explain.widget import Board  # noqa: PLC0415 - it needs an extra

    found = game_of(game)
    there = position_of(found, position, "")
    if side not in (Side.FIRST.value, Side.SECOND.value):
        raise BadRequest(f"there is no side {side!r}, but first and second")
    position_of(found, position, moves)  # which says what is wrong with a move
    reply = _computer(found, level, seconds, random.Random()) if level else None

    def explain(shown: Position) -> str:
        return solution(found, shown, VALUES_S if seconds is None else seconds, _warn_slow).findings()

    made = Board(found, there, split(found, moves), explain=explain, reply=reply, side=Side(side).other)
    made.valued = values
    return made


def _warn_slow(why: str) -> None:
    warnings.warn(f"without numba the search is much slower ({why})", RuntimeWarning, stacklevel=4)


@dataclass(frozen=True, slots=True, repr=False)
class Tree:
    """A tree that was searched. A notebook shows it as a picture, ``print`` as text."""

    drawing: Drawing

    def _repr_svg_(self) -> str:
        return as_svg(self.drawing)

    def __repr__(self) -> str:
        return as_text(self.drawing)


def tree(
    game: str,
    position: str = "",
    *,
    moves: str = "",
    search: str = "alphabeta",
    strict: bool = False,
    depth: int | None = None,
    fold: bool = True,
) -> Tree:
    """The tree that ``noughts tree`` draws; the arguments are those of the command, see docs/solving.md.

    Raises :class:`ValueError` if there is no such game, position, move or search, or if the tree is too large.
    """
    wish = Wish(Method(search), depth=depth, strict=strict, folded=fold, hint=HINT)
    found = game_of(game)
    return Tree(drawing(found, position_of(found, position, moves), wish))


def leaves(tree: str, *, search: str = "alphabeta", strict: bool = False, depth: int | None = None) -> Tree:
    """The tree that ``noughts tree --leaves`` draws.

    Raises :class:`ValueError` if ``tree`` is not one, or if there is no such search.
    """
    return Tree(leaves_drawing(parse_tree(tree), Wish(Method(search), depth=depth, strict=strict)))
