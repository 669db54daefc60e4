"""The cells that the name of a move goes through. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Container


def cells_of(move: str, names: Container[str]) -> tuple[tuple[str, ...], str]:
    """The cells of ``move`` in order, and the rest of its name: ``e2`` and ``e8`` and ``q`` of ``e2e8q``.

    ``names`` are those of all cells. A name of a cell is taken as long as it may be; ``-`` and ``x`` may stand between.
    """
    found: list[str] = []
    rest = move
    while rest:
        here = rest[1:] if found and rest[0] in "-x" else rest
        length = next((length for length in range(len(here), 0, -1) if here[:length] in names), 0)
        if not length:
            break
        found.append(here[:length])
        rest = here[length:]
    return tuple(found), rest
