"""The rooms that the lobby lists. If there are too many, the openers share its places."""

# ruff: noqa: S608  # the statements are put together from constants
from __future__ import annotations

from noughts.journal.database import Database
from noughts.journal.queries import TURNS

FEW, MANY = 4, 20
"""Among how many times as many rooms as there are places they are chosen, the last changed ones. To choose among many
takes some 20 ms, so it is done only when it matters."""

_CHOSEN = TURNS.format(
    order="changed DESC",
    rooms="(SELECT * FROM rooms WHERE {which} ORDER BY changed DESC LIMIT $2) AS latest",
)
_LISTED = f"""
SELECT listing, address_turn FROM rooms JOIN (SELECT number, address_turn FROM {_CHOSEN}) AS chosen USING (number)
ORDER BY changed DESC
"""
_PUBLIC = _LISTED.format(which="public AND status <> 'over'")
_OF_GAME = _LISTED.format(which="game = $3 AND public AND status <> 'over'")


async def listed(database: Database, game: str | None, limit: int) -> list[bytes]:
    """As :meth:`Journal.lobby`."""
    for among in (FEW, MANY):
        which = (_PUBLIC,) if game is None else (_OF_GAME, game)
        rows = await database.fetch(which[0], limit, among * limit, *which[1:])
        # With a place for each of many addresses, older rooms cannot have a better claim.
        if len(rows) < limit or all(turn == 1 for _, turn in rows):
            break
    return [listing for listing, _ in rows]
