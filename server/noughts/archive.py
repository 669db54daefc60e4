"""Exports finished games from a journal, in the order of their ends."""

from __future__ import annotations

from collections.abc import AsyncIterator

from noughts.journal import GameResult, Journal
from noughts.projection import is_stripped
from noughts.protocol.gamefile import RecordedGame, recorded

CHUNK = 100
"""How many results to fetch at once. Only one game at a time is in memory."""


class NotThere(Exception):
    """The journal does not have what was asked for; the text says what."""


async def game_of(journal: Journal, room: str) -> RecordedGame:
    """The finished game in ``room``.

    Raises :class:`NotThere`, :class:`~noughts.protocol.UnknownRecord` and :class:`~noughts.journal.JournalError`.
    """
    records = await journal.read(room)
    if not records:
        raise NotThere(f"there is no room {room}")
    if is_stripped(records):
        raise NotThere(f"room {room} was aborted before its first move, and its records were deleted")
    game = recorded(records)
    if game.room.status != "over":
        raise NotThere(f"the game in room {room} is not over")
    return game


async def games(
    journal: Journal,
    *,
    player: str | None = None,
    game: str | None = None,
    since: int = 0,
    private: bool = False,
    chunk: int = CHUNK,
) -> AsyncIterator[RecordedGame]:
    """The games with a result that ended at ``since`` or later, in ms since the epoch.

    Only those of one ``player``, by id or registered name, and of one ``game``, where given; those of ``private`` rooms
    too if that is set. Raises what :func:`game_of` does.
    """
    player_id = None if player is None else await _id_of(journal, player)
    after: GameResult | None = None
    while True:
        finished = await journal.results.finished(
            player=player_id, game=game, since=since, private=private, after=after, limit=chunk
        )
        for after in finished:
            yield await game_of(journal, after.room)
        if len(finished) < chunk:
            return


async def _id_of(journal: Journal, who: str) -> str:
    if who.startswith("computer:"):  # computers are not stored as players
        return who
    player = await journal.people.find(who)
    if player is None:
        raise NotThere(f"there is no player with the id or registered name {who}")
    return player.id
