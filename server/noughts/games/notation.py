"""Lines of moves as people write them, numbered where the records of a game are. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from noughts.games.base import Game, Position, Side


def names_of(game: Game, position: Position, moves: Iterable[str]) -> tuple[str, ...]:
    """The names of ``moves``, legal ones from ``position`` on; nothing in a game without a notation."""
    if game.notation is None:
        return ()
    names = []
    for move in moves:
        names.append(game.notation(position, move))
        position = position.play(move)
    return tuple(names)


def number_of(game: Game, position: Position) -> int | None:
    """The number of the next move at ``position``, which both sides' moves share; None where nobody numbers them.

    The first move has the number 1, or the one that a FEN ends with.
    """
    if game.record is None or game.record.syntax != "pgn":
        return None
    fields = game.start.text.split()
    first = int(fields[5]) if len(fields) == 6 else 1
    return first + (position.ply - game.start.ply + (game.start.to_move is Side.SECOND)) // 2


def numbered(names: Iterable[str], number: int | None, *, second: bool) -> Iterator[str]:
    """The words of a line whose first move has ``number``: ``1.``, ``e4``, ``e5``, ``2.``, ``Nf3``. Without a number,
    only the names. ``second``: the second side begins, after ``1...``.
    """
    for index, name in enumerate(names, int(second)):
        if number is not None and (index % 2 == 0 or index == second):
            yield f"{number + index // 2}{'...' if index % 2 else '.'}"
        yield name
