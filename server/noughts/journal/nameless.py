"""Names of deleted players in what is stored. The records keep them; whoever reads gets another word in their place."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Any

from noughts.players.names import DELETED_NAME

# A player in a record, a listing or a line of chat: the id, and right after it the name.
_PLAYER = re.compile(rb'"id":"([A-Za-z0-9_-]{1,64})","name":"(?:[^"\\]|\\.)*"')


def without_names(rows: Sequence[Any], players: Container[str]) -> list[Any]:
    """Rows of a database in which no JSON has the name of any of ``players``, given by their ids."""
    return [_row(row, players) if any(type(value) is bytes for value in row) else row for row in rows]


def _row(row: Sequence[Any], players: Container[str]) -> Sequence[Any]:
    def name(found: re.Match[bytes]) -> bytes:
        if found[1].decode() not in players:
            return found[0]
        return b'"id":"%b","name":"%b"' % (found[1], DELETED_NAME.encode())

    return tuple(_PLAYER.sub(name, value) if type(value) is bytes else value for value in row)
