"""All that a journal holds about one player, as JSON: for the player, who may ask the operator for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from pydantic_core import from_json, to_json

from noughts import archive
from noughts.journal import FOREVER, Journal, StoredClass, StoredPlayer
from noughts.journal.talk import REPORTS
from noughts.protocol.render import timestamp

PAGE = 100
"""The number of games that are asked for at once."""

POINTS = 1_000_000
"""More than any player has of a rating's values."""


async def data_of(journal: Journal, player: StoredPlayer) -> AsyncIterator[str]:
    """The parts of a JSON object about ``player``, in order: a game at a time, however many there are.

    Records are those of the journal (docs/records.md). Times are in UTC. Raises
    :class:`~noughts.journal.JournalError`, and :class:`~noughts.protocol.records.UnknownRecord` for a game of a newer
    server.
    """
    for name, value in (await _about(journal, player)).items():
        yield f"{'{' if name == 'player' else ','}\n{_json(name)}: {_json(value)}"
    yield ',\n"games": ['
    between = ""
    async for game in archive.games(journal, player=player.id, private=True):
        yield f"{between}\n{_game(game.room.id, list(game.records))}"
        between = ","
    yield '\n],\n"unfinished": ['
    between, after = "", None
    while page := await journal.games.unfinished(player.id, after, PAGE):
        for room, _ in page:
            yield f"{between}\n{_game(room, await journal.read(room))}"
            between = ","
        after = page[-1][0]
    yield "\n]\n}"


async def _about(journal: Journal, player: StoredPlayer) -> dict[str, Any]:
    results, webhook = journal.results, await journal.webhooks.of(player.id)
    return {
        "player": {
            "id": player.id,
            "name": player.name,
            "kind": player.kind,
            "registered": player.registered,
            "invited": player.invited,
            "muted_until": _until(player.muted_until),
            "banned_until": _until(player.banned_until),
        },
        "devices": [
            {"label": each.label, "added_at": _at(each.added), "used_at": _at(each.used)}
            for each in await journal.tokens.of(player.id)
        ],
        "ratings": [
            {
                "game": each.game,
                "pool": each.pool,
                "rating": each.rating,
                "deviation": each.deviation,
                "games": each.games,
                "course": [
                    {"at": timestamp(at), "rating": rating}
                    for at, rating in await results.rating_history(player.id, each.game, each.pool, POINTS)
                ],
            }
            for each in await results.ratings([player.id])
        ],
        "chat": [from_json(line) for line in await journal.talk.said_by(player.id)],
        "webhook": None if webhook is None else webhook.url,
        "puzzles": [
            {"at": timestamp(each.tried_at), "puzzle": f"{each.game}/{each.puzzle}", "score": each.score}
            for each in await journal.puzzles.of(player.id)
        ],
        "puzzle_sets": [
            {"at": timestamp(each.made_at), "title": each.title, "puzzles": each.puzzles}
            for each in await journal.puzzles.sets_of(player.id)
        ],
        "classes": [await _class(journal, each, player.id) for each in await journal.classes.of(player.id)],
        "muted": [each.id for each in await journal.talk.muted(player.id)],
        "reports": [
            {"at": timestamp(each.at), "room": each.room, "player": each.player, "reason": each.reason}
            for each in await journal.talk.reports(REPORTS)
            if each.reporter == player.id
        ],
        "acts": [
            {"at": timestamp(each.at), "kind": each.kind, "detail": each.detail}
            for each in await journal.acts.about(player.id)
        ],
    }


async def _class(journal: Journal, found: StoredClass, player: str) -> dict[str, Any]:
    """A class that the player organises, or has joined under a name."""
    shown: dict[str, Any] = {"at": timestamp(found.made_at), "title": found.title}
    if found.player == player:
        return {**shown, "names": found.entries}
    own = [one.entry for one in await journal.classes.members(found.id) if one.player.id == player]
    return {**shown, "name": own[0]} if own else shown


def _game(room: str, records: list[bytes]) -> str:
    return _json({"room": room, "records": [from_json(record) for record in records]})


def _json(value: Any) -> str:
    return to_json(value).decode()


def _at(time: int) -> str | None:
    return timestamp(time) if time else None


def _until(time: int) -> str | None:
    return "forever" if time >= FOREVER else _at(time)
