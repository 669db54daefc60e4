"""The bot kit: a bot is a function from the state of a game to the name of a move."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from noughts.protocol import State
from noughts.protocol.messages import OutcomeInfo, SideName
from noughts_client.connection import Connection
from noughts_client.dial import ConnectionLost, RequestError

Bot = Callable[[State], str]


def run(
    bot: Bot,
    url: str,
    *,
    name: str = "bot",
    game: str = "tictactoe",
    against: str = "computer:perfect",
    side: SideName = "first",
    room: str | None = None,
    games: int = 1,
    tell: Callable[[str], None] = print,
) -> list[OutcomeInfo]:
    """Connect, sit down and :func:`play`; the outcomes of the games.

    ``against`` is ``computer:LEVEL``, or ``open`` for whoever takes the other seat. With ``room``, the id of a
    room, the bot takes the seat that is open there, and ``game``, ``against`` and ``side`` do not matter.
    ``tell`` is given the room and each outcome in words. Raises also ConnectionLost when no server answers.
    """

    async def connected() -> list[OutcomeInfo]:
        async with Connection(url, name=name, bot=True) as connection:
            if room is None:
                seats = {"first": against, "second": against, side: "me"}
                request = {"type": "create", "game": game, "seats": seats}
            else:
                request = {"type": "join", "room": room}
            seated = await connection.request(request)
            tell(f"Room {seated['room']}")
            return await play(bot, connection, games=games, tell=tell)

    return asyncio.run(connected())


async def play(
    bot: Bot, connection: Connection, *, games: int = 1, tell: Callable[[str], None] = print
) -> list[OutcomeInfo]:
    """Play at the table where the player of ``connection`` has just sat down; the outcomes of the games.

    ``bot`` is given the state whenever it is to move, and chooses from ``state["legal_moves"]``. It is called
    in a thread, so it may think for as long as it likes. Each further game is a rematch with the sides
    swapped; there are fewer when the other player declines one.

    Raises RequestError when the server refuses a move, ConnectionLost when the room is no longer to be had,
    and whatever the bot raises.
    """
    me = connection.welcome["player"]["id"]
    outcomes: list[OutcomeInfo] = []
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
            await _answer(connection, room, state, await asyncio.to_thread(bot, state))
        if state["outcome"] is not None and room != ended:
            ended = room
            outcomes.append(state["outcome"])
            tell(_in_words(state, me))
            if len(outcomes) == games or None in state["seats"].values():
                return outcomes
            await _play_again(connection, room)
        if message["type"] == "update" and message["event"]["kind"] == "declined":
            return outcomes
    return outcomes


def _to_move(state: State) -> str | None:
    """The id of the player who is to move."""
    seat = state["seats"][state["to_move"]] if state["to_move"] else None
    return seat["id"] if seat else None


async def _answer(connection: Connection, room: str, state: State, move: str) -> None:
    try:
        await connection.request({"type": "play", "room": room, "turn": state["turn"], "move": move})
    except RequestError as error:
        if error.code not in ("stale", "game_over"):  # the game went on while the bot was thinking
            raise


async def _play_again(connection: Connection, room: str) -> None:
    offer = {"type": "offer_rematch", "room": room}
    try:
        await connection.request(offer)
    except ConnectionLost:
        with suppress(RequestError):  # it had arrived after all
            await connection.request(offer)


def _in_words(state: State, me: str) -> str:
    outcome = state["outcome"]
    assert outcome is not None
    winner = outcome["winner"] and state["seats"][outcome["winner"]]
    if not winner:
        return f"Drawn ({outcome['reason']})"
    return f"{'Won' if winner['id'] == me else 'Lost'} ({outcome['reason']})"
