"""The bot kit: a bot is a function from the state of a game to the name of a move."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from noughts.protocol import State, Update
from noughts.protocol.messages import OutcomeInfo, SideName
from noughts_client.connection import Connection
from noughts_client.dial import ConnectionLost, RequestError

Bot = Callable[[State], str]


def run(
    bot: Bot,
    url: str = "ws://127.0.0.1:8765/ws",
    *,
    name: str = "bot",
    game: str = "tictactoe",
    against: str = "perfect",
    side: SideName = "first",
    room: str | None = None,
    games: int = 1,
    tell: Callable[[str], None] = print,
) -> list[OutcomeInfo]:
    """Connect, sit down and :func:`play`; the outcomes of the games.

    ``against`` is a level of the computer, or ``open`` for whoever takes the other seat. With ``room``, the id of a
    room, the bot takes the seat that is open there, and ``game``, ``against`` and ``side`` do not matter.
    ``tell`` is given the room and each outcome in words. Raises also ConnectionLost when no server answers.
    """

    async def connected() -> list[OutcomeInfo]:
        async with Connection(url, name=name, bot=True) as connection:
            if room is None:
                opponent = against if against == "open" else f"computer:{against}"
                seats = {"first": opponent, "second": opponent, side: "me"}
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
    swapped; there are fewer when the other player declines one or leaves.

    Raises TypeError when the bot answers with anything but the name of a move, ValueError for less than one game,
    RequestError when the server refuses a move, ConnectionLost when the room is no longer to be had,
    and whatever the bot raises.
    """
    if games < 1:
        raise ValueError(f"a bot plays at least one game, not {games}")
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
            move = await asyncio.to_thread(bot, state)
            if not isinstance(move, str):
                legal = ", ".join(state["legal_moves"])
                raise TypeError(f"The bot answered {move!r}; a move is a text, here one of {legal}.")
            await _answer(connection, room, state, move)
        if state["outcome"] is not None and room != ended:
            ended = room
            outcomes.append(state["outcome"])
            tell(_in_words(state, me))
            if len(outcomes) == games or None in state["seats"].values():
                return outcomes
            await _play_again(connection, room)
        if message["type"] == "update" and _no_rematch(message, me):
            return outcomes
    return outcomes


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


def _in_words(state: State, me: str) -> str:
    outcome = state["outcome"]
    assert outcome is not None
    winner = outcome["winner"] and state["seats"][outcome["winner"]]
    if not winner:
        return f"Drawn ({outcome['reason']})"
    return f"{'Won' if winner['id'] == me else 'Lost'} ({outcome['reason']})"
