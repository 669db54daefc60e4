"""The published positions; see data/README.md."""

from __future__ import annotations

from pathlib import Path

from noughts.games.connect4 import Connect4Position


def played(columns: str) -> Connect4Position:
    """The position after these moves."""
    position = Connect4Position()
    for column in columns:
        position = position.play(column)
    return position


def published(name: str) -> list[tuple[Connect4Position, int]]:
    """The positions of a file, such as ``L1_R1``, and their scores."""
    lines = (Path(__file__).parent / "data" / f"connect4_{name}.txt").read_text().splitlines()
    return [(played(columns), int(score)) for columns, score in map(str.split, lines)]
