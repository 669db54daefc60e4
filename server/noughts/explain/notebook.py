"""Trees that display themselves in notebooks. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.engine import Method, parse_tree
from noughts.explain.as_svg import as_svg
from noughts.explain.as_text import as_text
from noughts.explain.drawing import Drawing
from noughts.explain.position import game_of, position_of
from noughts.explain.tree import Wish, drawing, leaves_drawing

HINT = "depth=N shows N plies, fold=False shows reflections too."


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
