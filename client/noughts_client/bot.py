"""The bot kit: a bot is a function from the state of a game to the name of a move."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import closing, suppress
from typing import Any, Literal

from noughts.protocol import Snapshot, State, Update
from noughts.protocol.messages import OutcomeInfo, SideName
from noughts_client.absence import AbsenceTiming, AbsenceWatch
from noughts_client.connection import Connection, Pushed
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.time_control import parse_time_control

Bot = Callable[[State], str | tuple[str, str]]
Result = Literal["won", "lost", "drawn"]

NOTE_BYTES = 1024
"""The server's limit for a note, in UTF-8."""

SIDES: tuple[SideName, SideName] = ("first", "second")

ABSENCE_TIMING = AbsenceTiming()

_REASONS = {
    "line": "by a line",
    "count": "by count",
    "resignation": "by resignation",
    "time": "on time",
    "abandonment": "because a player did not come back",
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
    resume: bool = True,
    tell: Callable[[str], None] = print,
) -> list[Result]:
    """Connect, take a seat and :func:`play`. Returns the results of the games.

    ``against`` is a level of the computer (by default the game's strongest), ``open`` for whoever takes the other seat,
    or ``anybody`` to :func:`meet` an opponent for each game. ``side`` is ``first`` (the default), ``second``, or the
    game's own name for a side; against ``anybody`` it is random. ``clock`` is written ``3+2`` for 3 minutes and 2
    more seconds with each move, or ``10/move``. With ``room``, the id of a room, the bot takes the open seat there, and
    ``game``, ``against``, ``side``, ``clock`` and ``rated`` are ignored. ``token``, or else the environment variable
    ``NOUGHTS_TOKEN``, makes the bot a player that the server knows, under that player's name. With a token and without
    ``room``, the bot first plays its unfinished games to their ends, such as those of a program that was killed; they
    count among its ``games``. Set ``resume`` to False if several programs play under one token. ``tell`` is called with
    a line of text for the room and for each result.

    Raises what :func:`play` raises, ConnectionLost if no server answers, and ValueError for an unknown level, side,
    clock or token.
    """
    _require_a_game(games)
    control = parse_time_control(clock or "")
    if side is not None and against == "anybody" and room is None:
        raise ValueError("the side against anybody is random: leave out side")
    terms = {"game": game, "clock": control, "rated": rated}
    token = token or os.environ.get("NOUGHTS_TOKEN") or None

    async def connected() -> list[Result]:
        async with Connection(url, name=name, bot=True, token=token) as connection:
            results: list[Result] = []
            if token is not None and resume and room is None:
                results = await finish(bot, connection, tell=tell)
                if len(results) >= games:
                    return results
            left = games - len(results)
            if against == "anybody" and room is None:
                return results + await meet(bot, connection, terms, games=left, tell=tell)
            request = {"type": "join", "room": room} if room else _create(connection, terms, against, side or "first")
            seated = await connection.request(request)
            tell(f"Room {seated['room']}")
            return results + await play(bot, connection, games=left, tell=tell)

    try:
        return asyncio.run(connected())
    except ConnectionLost as error:
        raise ConnectionLost(str(error)) from None  # the cause would tell the author of a bot nothing more
    except RequestError as error:
        if error.code != "bad_token" or token is None:
            raise
        raise ValueError(f"the server at {url} does not know the token; its operator makes tokens") from None


def _create(connection: Connection, terms: dict[str, Any], against: str | None, side: str) -> dict[str, Any]:
    """The request that creates a room. Raises ValueError for an unknown level or side."""
    levels = connection.welcome["levels"]
    sides: dict[str, str] = {key: key for key in SIDES}
    for info in connection.welcome["games"]:
        if info["key"] == terms["game"]:
            levels = info["levels"]
            sides |= {info["sides"][key]["name"].casefold(): key for key in SIDES}
    against = against or levels[0]
    if against not in ("open", *levels):
        raise ValueError(f"against is anybody, open or one of {', '.join(levels)}, not {against!r}")
    mine = sides.get(side.casefold())
    if mine is None:
        raise ValueError(f"side is one of {', '.join(sides)}, not {side!r}")
    opponent = "open" if against == "open" else f"computer:{against}"
    return {"type": "create", **terms, "seats": {"first": opponent, "second": opponent, mine: "me"}}


async def finish(
    bot: Bot,
    connection: Connection,
    *,
    tell: Callable[[str], None] = print,
    timing: AbsenceTiming = ABSENCE_TIMING,
) -> list[Result]:
    """Play the unfinished games of the player of ``connection`` to their ends, all at the same time.

    ``bot`` is never called for two of them at once. Games that still wait for an opponent are left alone. Returns the
    results of the games; raises as :func:`play` does.
    """
    rooms = [game["room"] async for game in connection.games() if game["status"] == "playing"]
    if not rooms:
        return []
    turn = threading.Lock()

    def one_at_a_time(state: State) -> str | tuple[str, str]:
        with turn:
            return bot(state)

    queues: dict[str, asyncio.Queue[Pushed]] = {room: asyncio.Queue() for room in rooms}

    async def messages(room: str) -> AsyncIterator[Pushed]:
        while True:
            yield await queues[room].get()

    async def deliver() -> list[Result]:
        async for message in connection:
            if message["type"] in ("room", "update", "gone") and message["room"] in queues:
                queues[message["room"]].put_nowait(message)
        raise ConnectionLost("The connection has ended.")

    async def play_on(room: str) -> list[Result]:
        tell(f"Room {room}, an unfinished game")
        await connection.request({"type": "watch", "room": room})
        found = await _play(one_at_a_time, connection, messages(room), 1, tell, rematches=False, timing=timing)
        with suppress(RequestError, ConnectionLost):
            await connection.request({"type": "leave", "room": room})
        return found

    playing = [asyncio.create_task(play_on(room)) for room in rooms]
    tasks = [*playing, asyncio.create_task(deliver())]  # the last ends only with an error
    try:
        while not all(task.done() for task in playing):
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            tasks = [task for task in tasks if task not in done]
        return [result for task in playing for result in task.result()]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def meet(
    bot: Bot, connection: Connection, terms: dict[str, Any], *, games: int = 1, tell: Callable[[str], None] = print
) -> list[Result]:
    """Find an opponent, play one game, and find the next, until there are ``games`` results. Returns the results.

    ``terms`` are the fields of a ``seek`` without its key. Raises as :func:`play` does, RequestError if the server
    refuses the terms, and ConnectionLost also if the same player starts a seek elsewhere.
    """
    _require_a_game(games)
    results: list[Result] = []
    while len(results) < games:
        found = await _opponent(connection, {"type": "seek", **terms, "key": secrets.token_urlsafe(16)})
        tell(f"Room {found['room']}")
        results += await _play(bot, connection, _in_room(found, connection), 1, tell, rematches=False)
        with suppress(RequestError, ConnectionLost):
            await connection.request({"type": "leave", "room": found["room"]})
    return results


async def _opponent(connection: Connection, seek: dict[str, Any]) -> Snapshot:
    """The room that the seek leads to."""
    seen = connection.seen()
    await connection.request(seek)
    async for message in connection:
        if message["type"] == "room" and message["room"] not in seen and message["previous"] is None:
            return message
        if message["type"] == "seek_ended" and message["key"] == seek["key"]:
            raise ConnectionLost("You are looking for an opponent elsewhere.")
        if message["type"] == "seek":
            print(f"No opponent yet after {message['waited_s']:.0f} s; still waiting.", file=sys.stderr)
        if message["type"] == "connection" and message["state"] == "restored":
            await connection.request(seek)  # a seek ends with its connection; the key makes this the same one
    raise ConnectionLost("The connection has ended.")


async def _in_room(first: Snapshot, connection: Connection) -> AsyncIterator[Pushed]:
    """The messages about the room of ``first``, from that one on."""
    yield first
    async for message in connection:
        if message["type"] not in ("room", "update", "gone") or message["room"] == first["room"]:
            yield message


async def play(
    bot: Bot,
    connection: Connection,
    *,
    games: int = 1,
    tell: Callable[[str], None] = print,
    timing: AbsenceTiming = ABSENCE_TIMING,
) -> list[Result]:
    """Play in the room where the player of ``connection`` has just taken a seat. Returns the results of the games.

    ``bot`` is called with the state whenever it is to move. It returns one of ``state["legal_moves"]``, or that move
    and a note, which is cut to 1 KB and published with the game's record once the game is over. It runs in a thread, so
    it may think for as long as it likes, or as its clock allows. Each further game is a rematch with the sides swapped;
    there are fewer games if the opponent declines one or leaves. If the opponent leaves during a game, the game is
    claimed as soon as possible, as ``timing`` says. A game closed without a result does not count.

    Raises TypeError if the bot returns anything else, ValueError for less than one game, RequestError if the server
    refuses a move, ConnectionLost if the room is gone, and whatever the bot raises.
    """
    _require_a_game(games)
    return await _play(bot, connection, connection, games, tell, rematches=True, timing=timing)


async def _play(
    bot: Bot,
    connection: Connection,
    messages: AsyncIterator[Pushed],
    games: int,
    tell: Callable[[str], None],
    *,
    rematches: bool,
    timing: AbsenceTiming = ABSENCE_TIMING,
) -> list[Result]:
    me = connection.welcome["player"]["id"]
    results: list[Result] = []
    answered_turn = ended_room = None
    with closing(AbsenceWatch(connection, timing)) as absence:
        async for message in messages:
            if message["type"] == "gone":
                raise ConnectionLost(f"The room is gone: {message['message']}")
            if message["type"] != "room" and message["type"] != "update":
                continue
            absence.follow(message)
            room, state = message["room"], message["state"]
            turn = (room, state["turn"])
            if _to_move(state) == me and turn != answered_turn:
                answered_turn = turn
                await _send_move(connection, room, state, await asyncio.to_thread(bot, state))
            outcome = state["outcome"]
            if outcome is not None and room != ended_room:
                ended_room = room
                result = _result(outcome, state, me)
                if result is not None:
                    results.append(result)
                tell(_describe(result, outcome))
                if len(results) == games or not rematches or not _opponent_is_online(state, me):
                    return results
                await _offer_rematch(connection, room)
            if message["type"] == "update" and _refuses_rematch(message, me):
                return results
    return results


def _require_a_game(games: int) -> None:
    if games < 1:
        raise ValueError(f"a bot plays at least one game, not {games}")


def _move_fields(answer: object, state: State) -> dict[str, str]:
    """The fields of the ``play`` that a bot's answer stands for. Raises TypeError."""
    match answer:
        case str():
            return {"move": answer}
        case (str(move), ""):
            return {"move": move}
        case (str(move), str(note)):
            return {"move": move, "note": note.encode(errors="replace")[:NOTE_BYTES].decode(errors="ignore")}
    if asyncio.iscoroutine(answer):
        answer.close()
        raise TypeError(f"The bot returned {answer!r}; a bot is a plain function, not an async one.")
    raise TypeError(
        f"The bot returned {answer!r}; it must return a move as a string, here one of"
        f" {', '.join(state['legal_moves'])}, or a move and a note, both strings."
    )


def _opponent_is_online(state: State, me: str) -> bool:
    seats = [state["seats"][side] for side in SIDES]
    return all(seat is not None and (seat["id"] == me or seat["online"]) for seat in seats)


def _refuses_rematch(update: Update, me: str) -> bool:
    """Whether the opponent has declined another game, or left after this one."""
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


async def _send_move(connection: Connection, room: str, state: State, answer: object) -> None:
    fields = _move_fields(answer, state)
    try:
        await connection.request({"type": "play", "room": room, "turn": state["turn"], **fields})
    except RequestError as error:
        if error.code not in ("stale", "game_over"):  # the game went on while the bot was thinking
            error.add_note(f"The bot returned {answer!r}; the legal moves were {', '.join(state['legal_moves'])}.")
            raise


async def _offer_rematch(connection: Connection, room: str) -> None:
    offer = {"type": "offer_rematch", "room": room}
    try:
        await connection.request(offer)
    except ConnectionLost:
        with suppress(RequestError):  # the first one had arrived
            await connection.request(offer)


def _result(outcome: OutcomeInfo, state: State, me: str) -> Result | None:
    """The result for ``me``; None if the game was closed without one."""
    if outcome["winner"] is None:
        return None if outcome["reason"] in ("aborted", "abandonment") else "drawn"
    winner = state["seats"][outcome["winner"]]
    return "won" if winner is not None and winner["id"] == me else "lost"


def _describe(result: Result | None, outcome: OutcomeInfo) -> str:
    if result is None:
        return "Closed without a result"
    if outcome["reason"] == "draw":
        return "Drawn"
    return f"{result.capitalize()} {_REASONS.get(outcome['reason'], outcome['reason'])}"
