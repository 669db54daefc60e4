"""The bot kit: a bot is a function from the state of a game to the name of a move."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from noughts.protocol import State, Update
from noughts.protocol.messages import OutcomeInfo, SideName
from noughts_client.connection import Connection
from noughts_client.dial import ConnectionLost, RequestError

Bot = Callable[[State], str]
Result = Literal["won", "lost", "drawn"]

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
    side: str = "first",
    room: str | None = None,
    games: int = 1,
    token: str | None = None,
    tell: Callable[[str], None] = print,
) -> list[Result]:
    """Connect, sit down and :func:`play`; the results of the games.

    ``against`` is a level of the computer, by default the game's strongest, or ``open`` for whoever takes the other
    seat; ``side`` is ``first``, ``second``, or what the game calls it. With ``room``, the id of a room, the bot takes
    the seat that is open there, and ``game``, ``against`` and ``side`` do not matter. ``token``, or else the
    environment variable ``NOUGHTS_TOKEN``, gives a player whom the server knows, whatever ``name`` says. ``tell`` is
    given the room and each result in words.
    Raises also ConnectionLost when no server answers, and ValueError for a level or a side that is not there.
    """
    _require_a_game(games)

    async def connected() -> list[Result]:
        known = token or os.environ.get("NOUGHTS_TOKEN") or None
        async with Connection(url, name=name, bot=True, token=known) as connection:
            request = {"type": "join", "room": room} if room else _opening(connection, game, against, side)
            seated = await connection.request(request)
            tell(f"Room {seated['room']}")
            return await play(bot, connection, games=games, tell=tell)

    try:
        return asyncio.run(connected())
    except ConnectionLost as error:
        raise ConnectionLost(str(error)) from None  # what is under it tells the author of a bot nothing more


def _opening(connection: Connection, game: str, against: str | None, side: str) -> dict[str, Any]:
    """The request that opens a room."""
    levels = connection.welcome["levels"]
    for info in connection.welcome["games"]:
        if info["key"] == game:
            levels = info["levels"]
    against = against or levels[0]
    if against not in ("open", *levels):
        raise ValueError(f"against is open or one of {', '.join(levels)}, not {against!r}")
    opponent = "open" if against == "open" else f"computer:{against}"
    sides: dict[str, str] = {key: key for key in SIDES}
    for info in connection.welcome["games"]:
        if info["key"] == game:
            sides |= {info["sides"][key]["name"].casefold(): key for key in SIDES}
    mine = sides.get(side.casefold())
    if mine is None:
        raise ValueError(f"side is one of {', '.join(sides)}, not {side!r}")
    return {"type": "create", "game": game, "seats": {"first": opponent, "second": opponent, mine: "me"}}


async def play(
    bot: Bot, connection: Connection, *, games: int = 1, tell: Callable[[str], None] = print
) -> list[Result]:
    """Play at the table where the player of ``connection`` has just sat down; the results of the games.

    ``bot`` is given the state whenever it is to move, and chooses from ``state["legal_moves"]``. It is called
    in a thread, so it may think for as long as it likes. Each further game is a rematch with the sides
    swapped; there are fewer when the other player declines one or leaves. A game that was closed without a result
    does not count.

    Raises TypeError when the bot answers with anything but the name of a move, ValueError for less than one game,
    RequestError when the server refuses a move, ConnectionLost when the room is no longer to be had,
    and whatever the bot raises.
    """
    _require_a_game(games)
    me = connection.welcome["player"]["id"]
    results: list[Result] = []
    answered = ended = None
    async for message in connection:
        if message["type"] == "gone":
            raise ConnectionLost(f"The room is gone: {message['message']}")
        if message["type"] not in ("room", "update"):
            continue
        room, state = message["room"], message["state"]
        turn = (room, state["turn"])
        if _to_move(state) == me and turn != answered:
            answered = turn
            move = await asyncio.to_thread(bot, state)
            _require_a_move(move, state)
            await _answer(connection, room, state, move)
        outcome = state["outcome"]
        if outcome is not None and room != ended:
            ended = room
            result = _result(outcome, state, me)
            if result is not None:
                results.append(result)
            tell(_in_words(result, outcome))
            if len(results) == games or not _other_is_there(state, me):
                return results
            await _play_again(connection, room)
        if message["type"] == "update" and _no_rematch(message, me):
            return results
    return results


def _require_a_game(games: int) -> None:
    if games < 1:
        raise ValueError(f"a bot plays at least one game, not {games}")


def _require_a_move(move: object, state: State) -> None:
    if isinstance(move, str):
        return
    if asyncio.iscoroutine(move):
        move.close()
        raise TypeError(f"The bot answered {move!r}; a bot is a plain function, not an async one.")
    raise TypeError(f"The bot answered {move!r}; a move is a text, here one of {', '.join(state['legal_moves'])}.")


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


async def _answer(connection: Connection, room: str, state: State, move: str) -> None:
    try:
        await connection.request({"type": "play", "room": room, "turn": state["turn"], "move": move})
    except RequestError as error:
        if error.code not in ("stale", "game_over"):  # the game went on while the bot was thinking
            error.add_note(f"The bot answered {move!r}; the legal moves were {', '.join(state['legal_moves'])}.")
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
