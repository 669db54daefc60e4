"""The bot kit: a bot is a function from the state of a game to the name of a move."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import closing, suppress
from typing import Any, Literal

from noughts.protocol import Snapshot, State, Update
from noughts.protocol.messages import OutcomeInfo, SideName
from noughts_client.claiming import Claiming
from noughts_client.connection import Connection
from noughts_client.control import time_control
from noughts_client.dial import ConnectionLost, RequestError
from noughts_client.pushed import Pushed

Bot = Callable[[State], str | tuple[str, str]]
Result = Literal["won", "lost", "drawn"]

NOTE_BYTES = 1024
"""So much of a note the server takes, in UTF-8."""

SIDES: tuple[SideName, SideName] = ("first", "second")

_HOW = {
    "line": "by a line",
    "count": "by count",
    "resignation": "by resignation",
    "time": "on time",
    "abandonment": "because somebody did not come back",
    "agreement": "by agreement",
    "forfeit": "by forfeit",
}


def run(
    bot: Bot,
    url: str = "ws://127.0.0.1:8765/ws",
    *,
    name: str = "bot",
    game: str = "tictactoe",
    against: str | None = None,
    side: str | None = None,
    room: str | None = None,
    clock: str | None = None,
    rated: bool = False,
    games: int = 1,
    token: str | None = None,
    tell: Callable[[str], None] = print,
) -> list[Result]:
    """Connect, sit down and :func:`play`; the results of the games.

    ``against`` is a level of the computer, by default the game's strongest, ``open`` for whoever takes the other seat,
    or ``anybody`` to :func:`meet` an opponent for each game, when who begins is drawn by lot; ``side`` is ``first``,
    which it is if nothing is said, ``second``, or what the game calls it. ``clock`` is written ``3+2``, for 3 minutes
    and 2 s more with each move, or ``10/move``. With ``room``, the id of a room, the bot takes the seat that is open
    there, and ``game``, ``against``, ``side``, ``clock`` and ``rated`` do not matter. ``token``, or else the
    environment variable ``NOUGHTS_TOKEN``, gives a player whom the server knows, whatever ``name`` says. ``tell`` is
    given the room and each result in words.
    Raises also ConnectionLost when no server answers, and ValueError for a level, a side, a clock or a token that there
    is not.
    """
    _require_a_game(games)
    control = time_control(clock or "")
    if side is not None and against == "anybody" and room is None:
        raise ValueError("who begins against anybody is drawn by lot: leave out the side")
    terms = {"game": game, "clock": control, "rated": rated}
    known = token or os.environ.get("NOUGHTS_TOKEN") or None

    async def connected() -> list[Result]:
        async with Connection(url, name=name, bot=True, token=known) as connection:
            if against == "anybody" and room is None:
                return await meet(bot, connection, terms, games=games, tell=tell)
            opening = {"type": "join", "room": room} if room else _opening(connection, terms, against, side or "first")
            seated = await connection.request(opening)
            tell(f"Room {seated['room']}")
            return await play(bot, connection, games=games, tell=tell)

    try:
        return asyncio.run(connected())
    except ConnectionLost as error:
        raise ConnectionLost(str(error)) from None  # what is under it tells the author of a bot nothing more
    except RequestError as error:
        if error.code != "bad_token" or known is None:
            raise
        raise ValueError(f"the token is of no player at {url}; an operator of the server makes them") from None


def _opening(connection: Connection, terms: dict[str, Any], against: str | None, side: str) -> dict[str, Any]:
    """The request that opens a room."""
    game, levels = terms["game"], connection.welcome["levels"]
    for info in connection.welcome["games"]:
        if info["key"] == game:
            levels = info["levels"]
    against = against or levels[0]
    if against not in ("open", *levels):
        raise ValueError(f"against is anybody, open or one of {', '.join(levels)}, not {against!r}")
    opponent = "open" if against == "open" else f"computer:{against}"
    sides: dict[str, str] = {key: key for key in SIDES}
    for info in connection.welcome["games"]:
        if info["key"] == game:
            sides |= {info["sides"][key]["name"].casefold(): key for key in SIDES}
    mine = sides.get(side.casefold())
    if mine is None:
        raise ValueError(f"side is one of {', '.join(sides)}, not {side!r}")
    return {"type": "create", **terms, "seats": {"first": opponent, "second": opponent, mine: "me"}}


async def meet(
    bot: Bot, connection: Connection, terms: dict[str, Any], *, games: int = 1, tell: Callable[[str], None] = print
) -> list[Result]:
    """Look for an opponent, play a game, and look for another, until there are so many results; the results.

    ``terms`` are the fields of a ``seek`` but its key. Raises as :func:`play`, RequestError when the server does not
    take the terms, and ConnectionLost also when the player looks for an opponent elsewhere.
    """
    _require_a_game(games)
    results: list[Result] = []
    while len(results) < games:
        found = await _opponent(connection, {"type": "seek", **terms, "key": secrets.token_urlsafe(16)})
        tell(f"Room {found['room']}")
        results += await _play(bot, connection, _in(found, connection), 1, tell, again=False)
        with suppress(RequestError, ConnectionLost):
            await connection.request({"type": "leave", "room": found["room"]})
    return results


async def _opponent(connection: Connection, seek: dict[str, Any]) -> Snapshot:
    """The room in which an opponent was found."""
    seen = connection.seen()
    await connection.request(seek)
    async for message in connection:
        if message["type"] == "room" and message["room"] not in seen and message["previous"] is None:
            return message
        if message["type"] == "seek_ended" and message["key"] == seek["key"]:
            raise ConnectionLost("You are looking for an opponent elsewhere.")
        if message["type"] == "seek":
            print(f"Nobody has come for {message['waited_s']:.0f} s; waiting for an opponent.", file=sys.stderr)
        if message["type"] == "connection" and message["state"] == "restored":
            await connection.request(seek)  # it ended with the connection, but for its key
    raise ConnectionLost("The connection has ended.")


async def _in(first: Snapshot, connection: Connection) -> AsyncIterator[Pushed]:
    """What goes on in the room of ``first``, from then on."""
    yield first
    async for message in connection:
        if message["type"] not in ("room", "update", "gone") or message["room"] == first["room"]:
            yield message


async def play(
    bot: Bot, connection: Connection, *, games: int = 1, tell: Callable[[str], None] = print
) -> list[Result]:
    """Play at the table where the player of ``connection`` has just sat down; the results of the games.

    ``bot`` is given the state whenever it is to move, and chooses from ``state["legal_moves"]``; it answers with the
    move, or with the move and a note, of which 1 KB is told with the game's record once the game is over. It is called
    in a thread, so it may think for as long as it likes, or has on its clock. Each further game is a rematch with the
    sides swapped; there are fewer when the other player declines one or leaves. A game that the other has left is
    claimed as soon as it may be. A game that was closed without a result does not count.

    Raises TypeError when the bot answers with anything else, ValueError for less than one game,
    RequestError when the server refuses a move, ConnectionLost when the room is no longer to be had,
    and whatever the bot raises.
    """
    _require_a_game(games)
    return await _play(bot, connection, connection, games, tell, again=True)


async def _play(
    bot: Bot,
    connection: Connection,
    messages: AsyncIterator[Pushed],
    games: int,
    tell: Callable[[str], None],
    *,
    again: bool,
) -> list[Result]:
    """Play until there are so many results, or nobody to play ``again`` with."""
    me = connection.welcome["player"]["id"]
    results: list[Result] = []
    answered = ended = None
    with closing(Claiming(connection)) as claiming:
        async for message in messages:
            if message["type"] == "gone":
                raise ConnectionLost(f"The room is gone: {message['message']}")
            if message["type"] != "room" and message["type"] != "update":
                continue
            claiming.heard(message)
            room, state = message["room"], message["state"]
            turn = (room, state["turn"])
            if _to_move(state) == me and turn != answered:
                answered = turn
                await _answer(connection, room, state, await asyncio.to_thread(bot, state))
            outcome = state["outcome"]
            if outcome is not None and room != ended:
                ended = room
                result = _result(outcome, state, me)
                if result is not None:
                    results.append(result)
                tell(_in_words(result, outcome))
                if len(results) == games or not again or not _other_is_there(state, me):
                    return results
                await _play_again(connection, room)
            if message["type"] == "update" and _no_rematch(message, me):
                return results
    return results


def _require_a_game(games: int) -> None:
    if games < 1:
        raise ValueError(f"a bot plays at least one game, not {games}")


def _understood(answer: object, state: State) -> dict[str, str]:
    """The fields of the ``play`` that a bot's answer asks for. Raises TypeError."""
    match answer:
        case str():
            return {"move": answer}
        case (str(move), ""):
            return {"move": move}
        case (str(move), str(note)):
            return {"move": move, "note": note.encode(errors="replace")[:NOTE_BYTES].decode(errors="ignore")}
    if asyncio.iscoroutine(answer):
        answer.close()
        raise TypeError(f"The bot answered {answer!r}; a bot is a plain function, not an async one.")
    raise TypeError(
        f"The bot answered {answer!r}; a move is a text, here one of {', '.join(state['legal_moves'])},"
        " alone or with a note, a text too."
    )


def _other_is_there(state: State, me: str) -> bool:
    """Whether there is somebody to play again with."""
    seats = [state["seats"][side] for side in SIDES]
    return all(seat is not None and (seat["id"] == me or seat["online"]) for seat in seats)


def _no_rematch(update: Update, me: str) -> bool:
    """Whether the other player does not want another game, or has gone without a word."""
    event, state = update["event"], update["state"]
    if state["status"] != "over" or event["kind"] not in ("declined", "disconnected"):
        return False
    side: SideName = event["side"]
    seat = state["seats"][side]
    return seat is not None and seat["id"] != me


def _to_move(state: State) -> str | None:
    """The id of the player who is to move."""
    seat = state["seats"][state["to_move"]] if state["to_move"] else None
    return seat["id"] if seat else None


async def _answer(connection: Connection, room: str, state: State, answer: object) -> None:
    fields = _understood(answer, state)
    try:
        await connection.request({"type": "play", "room": room, "turn": state["turn"], **fields})
    except RequestError as error:
        if error.code not in ("stale", "game_over"):  # the game went on while the bot was thinking
            error.add_note(f"The bot answered {answer!r}; the legal moves were {', '.join(state['legal_moves'])}.")
            raise


async def _play_again(connection: Connection, room: str) -> None:
    offer = {"type": "offer_rematch", "room": room}
    try:
        await connection.request(offer)
    except ConnectionLost:
        with suppress(RequestError):  # it had arrived after all
            await connection.request(offer)


def _result(outcome: OutcomeInfo, state: State, me: str) -> Result | None:
    """What the game came to for ``me``; None when it was closed without a result."""
    if outcome["winner"] is None:
        return None if outcome["reason"] in ("aborted", "abandonment") else "drawn"
    winner = state["seats"][outcome["winner"]]
    return "won" if winner is not None and winner["id"] == me else "lost"


def _in_words(result: Result | None, outcome: OutcomeInfo) -> str:
    if result is None:
        return "Closed without a result"
    if outcome["reason"] == "draw":
        return "Drawn"
    return f"{result.capitalize()} {_HOW.get(outcome['reason'], outcome['reason'])}"
