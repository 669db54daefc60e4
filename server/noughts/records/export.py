"""The games that are over, out of a journal: one after the other, in the order of their ends."""

from __future__ import annotations

from collections.abc import AsyncIterator

from noughts.journal import GameResult, Journal
from noughts.protocol.gamefile import RecordedGame, recorded

CHUNK = 100
"""How many games are looked up at once. Of the games themselves one at a time is in memory."""


class NotThere(Exception):
    """What is to be taken out of the journal is not in it; the text says what."""


async def game_of(journal: Journal, room: str) -> RecordedGame:
    """The game in ``room``, which is over.

    Raises :class:`NotThere`, :class:`~noughts.protocol.UnknownRecord` and :class:`~noughts.journal.JournalError`.
    """
    records = await journal.read(room)
    if not records:
        raise NotThere(f"there is no room {room}")
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
) -> AsyncIterator[RecordedGame]:
    """The games that came to a result, at ``since`` or later, in ms since the epoch.

    Of one ``player``, by id or registered name, and of one ``game``, where these are given; those of ``private`` rooms
    if that is set. Raises as :func:`game_of` does.
    """
    player_id = None if player is None else await _id_of(journal, player)
    after: GameResult | None = None
    while True:
        finished = await journal.results.finished(
            player=player_id, game=game, since=since, private=private, after=after, limit=CHUNK
        )
        for after in finished:
            yield await game_of(journal, after.room)
        if len(finished) < CHUNK:
            return


async def _id_of(journal: Journal, who: str) -> str:
    if who.startswith("computer:"):  # who is not kept among the players
        return who
    player = await journal.people.find(who)
    if player is None:
        raise NotThere(f"there is no player of the id or the registered name {who}")
    return player.id
