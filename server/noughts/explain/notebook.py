"""The engines as a library, for programs and notebooks: positions and trees that display themselves."""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass
from typing import NamedTuple

from noughts.engine import LEVELS, Method, choose, levels_of, parse_tree, usable_engine_of
from noughts.explain.as_svg import as_svg
from noughts.explain.as_text import as_text
from noughts.explain.drawing import Drawing
from noughts.explain.position import BadRequest, game_of, position_of
from noughts.explain.solve import SECONDS, Solution, solution, within
from noughts.explain.tree import Wish, drawing, leaves_drawing
from noughts.games import Position
from noughts.games.sentences import level_of, no_such_level

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
    names = levels_of(found)
    known = level_of(level or names[0], names)
    if known is None:
        raise BadRequest(no_such_level(found.title, level, names))
    goal = LEVELS[known]
    engine, _ = usable_engine_of(found)
    limit = goal.seconds if seconds is None else seconds
    move, _, _ = within(limit, lambda stop: choose(engine, there, goal, random.Random(seed), stop))
    return Turn(move, there.play(move))


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
