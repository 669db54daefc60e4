"""The bot kit: a bot is a function from the state of a game to the name of a move."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from types import FrameType
from typing import Any, TypeVar

from noughts_client import thinking
from noughts_client.address import PORT, server_url
from noughts_client.connection import Connection
from noughts_client.failure import BotError
from noughts_client.finding import (
    create_request,
    finish_games,
    invited_games,
    meet_games,
    tournament_games,
    waiting_room,
)
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.playing import ABSENCE_TIMING, AbsenceTiming, BotPlayer, Result, insist, play_games, received
from noughts_client.requests import game_terms
from noughts_client.state import Bot, refuse_to_start
from noughts_client.thinking import Thinker
from noughts_client.time_control import parse_time_control

Tell = Callable[[str], None]
Over = Callable[[str, Result | None], Awaitable[None]]


def run(
    bot: Bot,
    url: str | None = None,
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
    tournament: str | None = None,
    class_id: str | None = None,
    class_name: str | None = None,
    tell: Tell = print,
    over: Over | None = None,
) -> list[Result]:
    """A whole program: connect, take a seat and :func:`play`. Returns the results of the games.

    ``url`` is the address of a server, such as ``example.org``, ``192.168.1.5:8000`` or a URL; without it, that of the
    server on this machine, at the port in the environment variable ``NOUGHTS_PORT`` or 8765. ``game`` is a key, or a
    name with what is chosen for the room, ``breakthrough?size=6``. ``against`` is a level of the computer (by default
    the game's strongest), ``open`` for whoever takes the other seat, ``anybody`` to
    :func:`meet` an opponent for each game, or ``invitations`` to play wherever somebody invites it, as the organiser of
    a league does; ``clock`` and ``rated`` are then ignored. ``side`` is ``first`` (the default), ``second``, or the
    game's own name for a side; against ``anybody`` and by ``invitations`` it is left to others. ``clock`` is written
    ``3+2`` for 3 minutes and 2 more seconds with each move, ``30s+0.3`` for 30 seconds and 0.3 more, or ``10/move``.
    With ``room``, the id of a room, the bot takes the open seat there, and ``game``, ``against``, ``side``, ``clock``
    and ``rated`` are ignored. ``token``, or else the environment variable ``NOUGHTS_TOKEN``, makes the bot a player
    that the server knows, under that player's name. With a token and without ``room``, the bot first plays its
    unfinished games to their ends, such as those of a program that was killed; they count among its ``games``. Set
    ``resume`` to False if several programs play under one token. With the id of a ``tournament``, the bot enters it and
    plays all its games there, and the options of games are ignored. With ``class_id`` and ``class_name`` it is first
    handed in to a class, as the bot of the student with that name. ``tell`` is called with a line of text for the room
    and for each result.

    Raises SystemExit, which ends the program with status 1 and a message, if the bot fails, no server answers, the
    server refuses something, or an option is wrong. :func:`run_async` raises each of these errors itself. Ctrl-C and
    SIGTERM end the program within seconds, and a second one at once.
    """
    refuse_to_start()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # an opponent's name may have letters that the encoding lacks
    options: dict[str, Any] = {key: value for key, value in locals().items() if key not in ("bot", "url")}
    with suppress(RuntimeError):  # there is no event loop, as it should be
        asyncio.get_running_loop()
        raise SystemExit("An event loop is running, as in a notebook: use await run_async(...) instead of run(...).")
    try:
        return run_until_stopped(run_async(bot, url, **options))
    except RequestError as error:
        raise SystemExit(error.sentence) from error
    except (BotError, ConnectionLost, ValueError) as error:
        raise SystemExit(str(error)) from error
    except KeyboardInterrupt:
        raise SystemExit(130) from None


async def run_async(
    bot: Bot,
    url: str | None = None,
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
    tournament: str | None = None,
    class_id: str | None = None,
    class_name: str | None = None,
    tell: Tell = print,
    over: Over | None = None,
) -> list[Result]:
    """As :func:`run`, for programs that have an event loop, such as a notebook: ``await run_async(bot)``.

    Raises what :func:`play` raises, RequestError and ConnectionLost also for the connection and the seat, and
    ValueError for a wrong bot, address, game, level, side, clock, number of games or token. When it is cancelled, it
    says on stderr where the bot was, and resigns its games unless it has a token, with which they can go on later.
    """
    refuse_to_start()
    thinker = Thinker(bot)
    given = {"url": url, "name": name, "game": game, "against": against, "side": side, "room": room, "clock": clock}
    given |= {"tournament": tournament, "class_id": class_id, "class_name": class_name}
    for option, value in given.items():
        if not isinstance(value, str | None):
            raise ValueError(f"{option} is a string, not {value!r}")
    address = server_url(url or f"127.0.0.1:{os.environ.get('NOUGHTS_PORT', PORT)}")
    terms = {**game_terms(game), "clock": parse_time_control(clock or ""), "rated": rated}
    _require_a_game(games)
    if side is not None and against in ("anybody", "invitations") and room is None:
        raise ValueError(f"against {against} a bot does not choose its side: leave out side")
    token = token or os.environ.get("NOUGHTS_TOKEN") or None
    try:
        connection = await Connection(address, name=name, bot=True, token=token).__aenter__()
    except RequestError as error:
        if error.code != "bad_token" or token is None:
            raise
        raise ValueError(f"The server at {address} does not know the token; its operator makes tokens.") from None
    player = BotPlayer(thinker, connection, tell, over=over)
    resumes = resume and token is not None and room is None
    try:
        if class_id is not None:
            answer: Any = await connection.request({"type": "join_class", "class_id": class_id, "name": class_name})
            tell(f"Handed in to {answer['listing']['title']}")
        if tournament is not None:
            return await tournament_games(player, tournament)
        results = await finish_games(player) if resumes else []
        if (left := games - len(results)) <= 0:
            return results
        if against == "anybody" and room is None:
            return results + await meet_games(player, terms, left)
        if against == "invitations" and room is None:
            return results + await invited_games(player, game, left)
        if room:
            request = {"type": "join", "room": room}
        else:
            request = create_request(connection, terms, against, side or "first")
            if resumes and against == "open" and (opened := await waiting_room(connection, request)):
                request = {"type": "watch", "room": opened}
        tell(f"Room {(await connection.request(request))['room']}")
        return results + await play_games(player, received(connection), left, rematches=True)
    except asyncio.CancelledError:
        stack = player.thinker.stack
        print("\n".join(filter(None, (await leave(connection, returns=token is not None), stack))), file=sys.stderr)
        raise
    finally:
        await connection.close()


async def finish(
    bot: Bot,
    connection: Connection,
    *,
    tell: Tell = print,
    timing: AbsenceTiming = ABSENCE_TIMING,
    over: Over | None = None,
) -> list[Result]:
    """Play the unfinished games of the player of ``connection`` to their ends, all at the same time.

    A plain function is never called for two of them at once; an async one is. Games that still wait for an opponent are
    left alone. If the bot fails in one game, it is resigned and the others are played to their ends first. Returns the
    results of the games; raises as :func:`play` does.
    """
    return await finish_games(BotPlayer(Thinker(bot), connection, tell, timing, over))


async def meet(
    bot: Bot,
    connection: Connection,
    terms: dict[str, Any],
    *,
    games: int = 1,
    tell: Tell = print,
    over: Over | None = None,
) -> list[Result]:
    """Find an opponent, play one game, and find the next, until there are ``games`` results. Returns the results.

    ``terms`` are the fields of a ``seek`` without its key. Raises as :func:`play` does, RequestError if the server
    refuses the terms, and ConnectionLost also if the same player starts a seek elsewhere.
    """
    _require_a_game(games)
    return await meet_games(BotPlayer(Thinker(bot), connection, tell, over=over), terms, games)


async def play(
    bot: Bot,
    connection: Connection,
    *,
    games: int = 1,
    tell: Tell = print,
    timing: AbsenceTiming = ABSENCE_TIMING,
    over: Over | None = None,
) -> list[Result]:
    """Play in the room where the player of ``connection`` has just taken a seat. Returns the results of the games.

    ``bot`` is called with a :class:`BotState` whenever it is to move. It returns one of ``state["legal_moves"]``, or
    that move and a note, which is cut to 1 KB and published with the game's record once the game is over. A plain
    function runs in a thread, so it may think for as long as it likes, or as its clock allows; an async one runs on the
    event loop. Each further game is a rematch with the sides swapped; there are fewer games if the opponent declines
    one or leaves. If the opponent leaves during a game, the game is claimed as soon as possible, as ``timing`` says. A
    game closed without a result does not count. ``over`` is awaited with the id of each room whose game is over,
    and the result, None if it was closed without one.

    Raises BotError, after resigning the game, if the bot raises an exception or does not return a legal move. If it
    raises :class:`~noughts_client.failure.BotFailed`, as a program that stands for the bot does, the game is
    resigned and the next one played. Raises ValueError for less than one game, or if ``bot`` is not a function of a
    state, RequestError if the server refuses a move, and ConnectionLost if the room is gone.
    """
    _require_a_game(games)
    player = BotPlayer(Thinker(bot), connection, tell, timing, over)
    return await play_games(player, received(connection), games, rematches=True)


def _require_a_game(games: int) -> None:
    if games < 1:
        raise ValueError(f"a bot plays at least one game, not {games}")


Returned = TypeVar("Returned")

LEAVE_S = 5.0
"""The time in which a program that is stopped must end, before it is ended."""

RESIGN_S = 3.0
"""The part of that in which it may resign its games."""


def run_until_stopped(work: Coroutine[Any, Any, Returned]) -> Returned:
    """As ``asyncio.run``. The first Ctrl-C or SIGTERM cancels ``work``, and the second ends the process at once.

    Raises SystemExit with the status that a shell reports for the signal.
    """
    stop = _Stop()
    try:
        return asyncio.run(stop.watch(work))
    finally:
        stop.patience.cancel()


class _Stop:
    def __init__(self) -> None:
        self.patience = threading.Timer(LEAVE_S, self._end)
        self.patience.daemon = True
        self._status = 0
        self._task: asyncio.Task[Any] | None = None

    async def watch(self, work: Coroutine[Any, Any, Returned]) -> Returned:
        self._task, loop = asyncio.current_task(), asyncio.get_running_loop()
        before = {}
        if threading.current_thread() is threading.main_thread():  # elsewhere a signal cannot be handled
            numbers = (signal.SIGINT, signal.SIGTERM)  # a shell's background job ignores Ctrl-C
            listened = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
            before = {number: signal.getsignal(number) for number in listened}
            for number in listened:
                with suppress(NotImplementedError):  # on Windows
                    # So that a signal wakes the loop, also one that comes just before it sleeps.
                    loop.add_signal_handler(number, lambda: None)
                signal.signal(number, self._handle)
        try:
            return await work
        except asyncio.CancelledError:
            if not self._status:
                raise
            raise SystemExit(self._status) from None
        finally:
            for number, handler in before.items():
                with suppress(NotImplementedError):
                    loop.remove_signal_handler(number)
                signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        assert self._task is not None
        if self._status:
            self._end()
        self._status = 128 + number
        self.patience.start()
        self._task.cancel()
        self._task.get_loop().call_soon_threadsafe(lambda: None)  # wakes the event loop
        if thinking.is_asked(frame):  # an async bot that does not await holds the event loop
            raise asyncio.CancelledError

    def _end(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(self._status)


async def leave(connection: Connection, *, returns: bool) -> str:
    """Resign or leave the player's games, as its program is stopped; says so in a sentence or two.

    The games of one that cannot return, a guest, are resigned or, before they have begun, closed.
    """
    leaving = asyncio.create_task(_leave(connection, returns=returns))
    done, _ = await asyncio.wait({leaving}, timeout=RESIGN_S)
    if not done or isinstance(leaving.exception(), ConnectionLost | RequestError):
        leaving.cancel()
        return "Stopped. The server does not answer; a game may stay open."
    return " ".join(["Stopped.", *leaving.result()])


async def _leave(connection: Connection, *, returns: bool) -> list[str]:
    said = []
    async for game in connection.games():
        room, playing = game["room"], game["status"] == "playing"
        if returns:
            if playing and room in connection.seen():
                said.append(f"The game in room {room} waits: start the bot again with its token to go on.")
            continue
        await insist(connection, {"type": "resign" if playing else "abort", "room": room})
        if playing:
            said.append(f"The game in room {room} is resigned.")
    return said
