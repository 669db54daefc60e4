"""``noughts play`` and ``noughts watch`` on a terminal: entering, leaving, windows, values."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.client import connected
from support.proxy import proxied
from support.server import ServerProcess, running_server
from support.terminal import Terminal

pytestmark = pytest.mark.services

COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")
PIPES: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.fixture(autouse=True, scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory for the seats in place of the user's own."""
    directory = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(directory))
        patch.setitem(ENVIRONMENT, "XDG_STATE_HOME", str(directory))
        yield directory / "noughts"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving("--away-s=0.5") as url:
        yield url


@pytest.fixture(scope="module")
def thorough() -> Iterator[str]:
    """A server with enough time to analyse tic-tac-toe to its end on any machine."""
    with serving("--analyse-s=60") as url:
        yield url


@contextmanager
def serving(*options: str) -> Iterator[str]:
    command = [sys.executable, "-m", "noughts", "serve", "--port=0", "--journal=memory", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as server:
        assert server.stdout is not None
        assert "listening" in server.stdout.readline()
        yield server.stdout.readline().strip()
        server.send_signal(signal.SIGINT)


def against_the_computer(url: str, *more: str, **settings: Any) -> Terminal:
    return Terminal("play", f"--url={url}", "--against=easy", "--side=X", *more, **settings)


def leave(terminal: Terminal, way: str | signal.Signals) -> None:
    """Leave by a command, a signal, or Ctrl with a key."""
    if way == "q":
        terminal.enter("q")
    elif isinstance(way, signal.Signals):
        terminal.signal(way)
    else:
        terminal.press(way)


def free_cells(screen: str) -> list[str]:
    board = [line for line in screen.split("\n") if line.count("|") == 2]
    return re.findall(r"\d", "".join(board))


def test_a_whole_game_and_a_rematch(url: str) -> None:
    with against_the_computer(url) as terminal:
        screen = terminal.see("x  guest-", "(you)", "o  computer (easy)", "Your move:")
        room = re.findall(r"room (\w+)", screen)
        while "Play again?" not in screen:
            terminal.enter(free_cells(screen)[0])
            taken = len(free_cells(screen))
            while "Play again?" not in screen and (len(free_cells(screen)) == taken or "Your move:" not in screen):
                screen = terminal.look()
        assert re.search(r"You (won with|lost to) three in a row\.|You won by a full row\.|Draw\.", screen)
        assert ("*x*" in screen) == ("You won" in screen)
        assert COLOUR.search(terminal.written)
        terminal.enter("y")
        screen = terminal.see("x  computer", "o  guest-", "[x]", "Your move:")
        assert re.findall(r"room (\w+)", screen) != room
        terminal.enter("resign")
        terminal.see("Resign this game? [y/N]")
        terminal.enter("y")
        terminal.see("You lost by resignation.", "Play again?")
        terminal.enter("")
        assert terminal.end() == 0
        assert terminal.text().endswith("You lost by resignation.\nGoodbye.")
        assert terminal.as_it_was


@pytest.mark.parametrize("way", ["c", "d", "q", signal.SIGINT, signal.SIGHUP])
def test_every_way_out_restores_the_terminal(url: str, way: str | signal.Signals) -> None:
    with against_the_computer(url) as terminal:
        terminal.see("Your move:")
        assert not terminal.as_it_was
        leave(terminal, way)
        assert terminal.end() == (130 if isinstance(way, signal.Signals) else 0)
        assert terminal.as_it_was
        text = terminal.text().replace("\n", "")
        assert re.search(
            r"Your turn\.Your seat is kept\. Return with: ?noughts play --room \w+ --url 127\.0\.0\.1:\d+$", text
        )


def test_leaving_before_there_is_a_game(url: str) -> None:
    for leave in ("\x03", "\x04", "q\r"):
        with Terminal("play", f"--url={url}") as terminal:
            terminal.see("Who do you play against?", "[1] >")
            terminal.send(leave)
            assert terminal.end() == 0
            assert terminal.as_it_was
            assert terminal.text().endswith("Goodbye.")


def test_play_asks_for_options_missing_from_the_command_line(url: str, tmp_path: Path) -> None:
    with Terminal("play", f"--url={url}", environment={"XDG_STATE_HOME": str(tmp_path)}) as terminal:
        terminal.see("Who do you play against?", "1  the computer")
        terminal.enter("9")
        terminal.see("Type a number from 1 to 4")
        terminal.enter("2")
        terminal.see("What is your name?", "q to leave")
        terminal.enter("\u200b")
        terminal.see("visible characters")
        terminal.enter("player-1")
        terminal.see("Which game?", "1  Tic-tac-toe", "2  Connect Four", "3  Reversi")
        terminal.enter("2")
        terminal.see("Which side do you take?", "1  Red, moves first", "2  Yellow", "3  random")
        terminal.enter("yellow")
        terminal.see("With a clock?")
        terminal.enter("soon")
        terminal.see("Write a clock as 3+2")
        terminal.enter("0.5+0")
        terminal.see("Connect Four, room ", ", 30s+0", "r Red      0:30   (open)", "y Yellow   0:30   player-1 (you)")
        terminal.see("noughts play http://", "Waiting for an opponent.")


def test_the_board_is_redrawn_in_place_without_colour(url: str) -> None:
    with against_the_computer(url, environment={"NO_COLOR": "1"}) as terminal:
        terminal.see("Your move:")
        terminal.enter("5")
        terminal.see("computer played")
        assert "\x1b[" in terminal.written
        assert not COLOUR.search(terminal.written)


def test_a_dumb_terminal_gets_plain_lines(url: str) -> None:
    with against_the_computer(url, environment={"TERM": "dumb"}) as terminal:
        terminal.see("Your move:")
        terminal.enter("5")
        terminal.see("computer played")
        terminal.press("c")
        assert terminal.end() == 130
        assert "\x1b" not in terminal.written
        assert "Your seat is kept." in terminal.text()


def piped(*arguments: str, typed: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "noughts", *arguments]
    return subprocess.run(
        command, input=typed, capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False
    )


def test_play_starts_a_server_if_none_runs() -> None:
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", 8765)) == 0:
            pytest.skip("a server runs at the default address")
    with Terminal("play", "--against=easy", "--side=X") as terminal:
        terminal.see("this game has its own, in memory", "ws://127.0.0.1:", "Your move:")
        terminal.enter("5")
        terminal.see("computer played")
        terminal.press("c")
        assert terminal.end() == 0
        assert terminal.text().endswith("The game has ended with its server.")
        assert terminal.as_it_was


def test_an_invitation_to_an_own_server_shows_whether_others_can_reach_it() -> None:
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", 8765)) == 0:
            pytest.skip("a server runs at the default address")
    with Terminal("play", "--against=friend", "--side=X", "--name=player-1") as terminal:
        terminal.see("Your opponent joins with", "Only this machine can reach it.", "q to leave:")
        terminal.enter("h")
        terminal.see("Three in a row,", "The game begins when somebody takes the other seat. q closes the room")
        terminal.enter("q")
        terminal.see("Your opponent joins with")
        terminal.enter("q")
        assert terminal.end() == 0


@pytest.mark.parametrize("way", ["q", signal.SIGHUP])
def test_two_players_on_one_machine_return_to_their_seats(url: str, state: Path, way: str | signal.Signals) -> None:
    with ExitStack() as stack:
        options = (f"--url={url}", "--side=X", "--name=player-1")
        first = stack.enter_context(Terminal("play", "--against=friend", *options))
        room = re.findall(r"/rooms/(\w+)", first.see("noughts play http://", "Waiting"))[0]
        join = ("play", f"--room={room}", f"--url={url}")
        second = stack.enter_context(Terminal(*join, "--name=player-2"))
        second.see("o  player-2 (you)")
        for terminal in (first, second):
            if isinstance(way, signal.Signals):
                terminal.signal(way)
            elif way == "q":
                terminal.enter("q")
            else:
                terminal.press(way)
        for terminal in (first, second):
            terminal.end()
            assert f"noughts play --room {room} --url" in terminal.text()
        assert [oct(path.stat().st_mode & 0o777) for path in (state / "seats").glob(f"{room}*")] == ["0o600"] * 2
        back = [stack.enter_context(Terminal(*join)) for _ in range(2)]
        shown = [terminal.see("(you)") for terminal in back]
        assert sorted(re.findall(r"(player-\d) \(you\)", "".join(shown))) == ["player-1", "player-2"]
        assert not list((state / "seats").glob(f"{room}*"))
        late = stack.enter_context(Terminal(*join, "--name=player-3"))
        assert late.end() == 1


def test_a_seat_is_kept_across_addresses_and_wrong_servers(url: str) -> None:
    with against_the_computer(url) as terminal:
        room = re.findall(r"room (\w+)", terminal.see("Your move:"))[0]
        terminal.enter("q")
        assert terminal.end() == 0

    async def at_the_wrong_server() -> subprocess.CompletedProcess[str]:
        async with running_server() as wrong:
            return await asyncio.to_thread(piped, "play", f"--room={room}", f"--url={wrong}", typed="")

    assert asyncio.run(at_the_wrong_server()).returncode == 1
    with Terminal("play", f"--room={room}", f"--url={url.replace('127.0.0.1', 'localhost')}") as terminal:
        terminal.see("(you)", "Your move:")


def test_two_people_and_a_spectator(url: str) -> None:
    with ExitStack() as stack:
        options = (f"--url={url}", "--side=X", "--name=player-1")
        first = stack.enter_context(Terminal("play", "--against=friend", *options))
        invited = first.see("noughts play http://", "Waiting", "Only this machine can reach the server. For others,")
        link, room = re.findall(r"noughts play (http://\S+/rooms/(\w+))", invited)[0]
        second = stack.enter_context(Terminal("play", link, "--name=player-2"))
        second.see("x  player-1", "o  player-2 (you)", "player-1 to move.")
        first.see("player-2 has joined.")
        late = stack.enter_context(Terminal("play", f"--room={room}", f"--url={url}", "--name=player-3"))
        assert late.end() == 1
        server = url.removeprefix("ws://").removesuffix("/ws")
        assert f"noughts watch {room} --url {server}" in late.text().replace("\n", "")
        nameless = piped("play", f"--room={room}", f"--url={url}", typed="")
        assert (nameless.stdout, nameless.stderr) == (
            "",
            f"Both seats are taken. You can watch it: noughts watch {room} --url {server}\n",
        )
        watcher = stack.enter_context(Terminal("watch", room, f"--url={url}"))
        watcher.see("x  player-1", "o  player-2", "player-1 to move.")
        second.enter("1")
        second.see("It is not your turn: player-1 to move.")
        for number, move in enumerate("14253"):
            mover, other = (second, first) if number % 2 else (first, second)
            mover.see("Your move:")
            mover.enter(move)
            other.see(f"player-{number % 2 + 1} played {move}.")
        first.see("You won with three in a row.", "*x*|*x*|*x*")
        second.see("You lost to three in a row.")
        watcher.see("player-1 won with three in a row.")
        first.enter("y")
        first.see("You have offered a rematch.", "q to leave:")
        second.see("player-1 offers a rematch.", "Play again? [y/N]")
        second.enter("y")
        second.see("x  player-2 (you)", "Your turn.")
        first.see("o  player-1 (you)", "player-2 to move.")
        watcher.see("x  player-2", "o  player-1", "player-2 to move.")
        second.press("c")
        second.end()
        first.see("player-2 is away.", "x  player-2 (away)")
        watcher.enter("q")
        assert watcher.end() == 0


@pytest.mark.parametrize("way", ["q", signal.SIGTERM])
def test_leaving_before_an_opponent_joins_closes_the_room(url: str, way: str | signal.Signals) -> None:
    options = (f"--url={url}", "--side=X", "--name=player-1")
    with Terminal("play", "--against=friend", *options) as terminal:
        room = re.findall(r"/rooms/(\w+)", terminal.see("noughts play http://", "Waiting"))[0]
        leave(terminal, way)
        terminal.end()
    result = piped("play", f"--url={url}", f"--room={room}", "--name=player-2", typed="")
    assert result.returncode == 1
    assert "--from 0" in result.stderr  # the room is closed


def test_two_seekers_meet_and_appear_in_the_lobby(url: str) -> None:
    with ExitStack() as stack:
        seek = ("play", "--against=anybody", "--game=tictactoe", "--clock=5+3", f"--url={url}")
        one = stack.enter_context(Terminal(*seek, "--name=player-7"))
        one.see("Looking for an opponent: Tic-tac-toe, 5+3 ... ", "q to leave:")
        one.enter("what?")
        one.see("Type c to play the computer, q to leave.")
        other = stack.enter_context(Terminal(*seek, "--side=random", "--name=player-8"))
        other.see("player-8 (you)", "player-7", ", 5+3", " 5:00 ", "The clocks start once each side has moved")
        first, second = one, other
        if "x   5:00   player-8" in one.see("player-8"):
            first, second = other, one
        watcher = stack.enter_context(Terminal("watch", f"--url={url}"))
        screen = watcher.see("Which game?", "player-8", "player-7", ", Tic-tac-toe, 5+3, playing")
        watcher.enter(re.findall(r"(\d+)  player-[78] - player-[78], Tic-tac-toe, 5", screen)[0])
        watcher.see("to move.")
        second.enter("resign")
        second.see("Resign this game? [y/N]")
        second.enter("y")
        second.see("You lost", "Type s to look for another opponent.", "Play again? [y/N/s]")
        first.see("You won")
        second.enter("y")
        first.see("offers a rematch.")
        first.enter("s")
        first.see("Looking for an opponent: Tic-tac-toe, 5+3 ... ")
        second.see("declines the rematch.", "Enter to leave, s to seek:")
        second.enter("s")
        second.see("(you)", "The clocks start once each side has moved")
        first.see("(you)", "The clocks start once each side has moved")
        first.enter("abort")
        first.see("The game was closed before it began.", "Play again? [y/N/s]")
        for terminal in (first, second):
            terminal.enter("n")
            assert terminal.end() == 0


def test_a_seeker_can_take_an_open_seat_or_play_the_computer(url: str) -> None:
    with ExitStack() as stack:
        seek = ("play", "--against=anybody", "--game=connect4", f"--url={url}")
        terminal = stack.enter_context(Terminal(*seek, "--name=player-1"))
        terminal.see("With a clock?")
        terminal.enter("")
        terminal.see("Looking for an opponent: Connect Four, no clock ... ")
        room = asyncio.run(an_open_seat(url, "connect4"))
        terminal.see("Or type the number of an open seat:", "  1  player-1", " - (open), Connect Four, waiting")
        terminal.enter("1")
        terminal.see(f"Connect Four, room {room}", "y Yellow  player-1 (you)", "player-1 (Red) to move.")
        terminal.enter("q")
        assert terminal.end() == 0
        alone = stack.enter_context(Terminal(*seek, "--clock=10/move", "--name=player-2"))
        alone.see("No opponent yet. Type c to play the computer, or wait.")
        alone.enter("c")
        alone.see("How strong?", "1  easy", "3  hard")
        alone.enter("")
        alone.see("Connect Four, room ", ", 10/move", "0:10", "player-2 (you)", "(easy)")


async def an_open_seat(url: str, game: str) -> str:
    """A public room with an open seat, whose player has disconnected."""
    async with connected(url) as client:
        return str((await client.ok(type="create", game=game))["room"])


async def test_the_room_list_fits_the_window() -> None:
    async with running_server() as url, connected(url) as client:
        rooms = [await client.create() for _ in range(9)]
        with Terminal("watch", f"--url={url}", rows=10) as terminal:
            asked, first, sixth = "Which game? (the first 6 of 9)", "  1  player-1 - (open)", "  6  player-1 - (open)"
            assert "  7  " not in await asyncio.to_thread(terminal.see, asked, first, sixth)
            terminal.enter("10")
            await asyncio.to_thread(terminal.see, asked, first, sixth, "Type the number of a game, or q to leave.")
            terminal.enter("")
            await asyncio.to_thread(terminal.see, f"room {rooms[-1]}")


def move(journal: Path, to: Path) -> None:
    """Move a journal and its log, over another if there is one."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{to}{suffix}").unlink(missing_ok=True)
        if (file := Path(f"{journal}{suffix}")).exists():
            file.rename(f"{to}{suffix}")


async def test_a_seat_is_kept_while_the_server_has_lost_its_journal(tmp_path: Path) -> None:
    """The operator may find it again."""
    journal = tmp_path / "journal"
    async with ServerProcess(journal, tmp_path / "log") as server:
        with against_the_computer(server.url) as terminal:
            await asyncio.to_thread(terminal.see, "Your move:")
            terminal.enter("5")
            await asyncio.to_thread(terminal.see, "computer played")
            await server.kill()
            await asyncio.to_thread(move, journal, tmp_path / "lost")
            await server.start()
            assert await asyncio.to_thread(terminal.end) == 1
            told = " ".join(terminal.text().split())
            assert "The server no longer knows this game: it was restarted without its journal." in told
            room = re.findall(r"Your seat is kept. Return with: noughts play --room (\w+) --url", told)[0]
        with Terminal("play", f"--room={room}", f"--url={server.url}") as terminal:
            assert await asyncio.to_thread(terminal.end) == 1
            assert terminal.text() == "There is no room with that id."
        await server.kill()
        await asyncio.to_thread(move, tmp_path / "lost", journal)
        await server.start()
        with Terminal("play", f"--room={room}", f"--url={server.url}") as terminal:
            await asyncio.to_thread(terminal.see, "Your move:", "(you)")
            terminal.enter("q")
            await asyncio.to_thread(terminal.end)


async def test_a_lost_connection_is_shown_and_restored() -> None:
    async with running_server() as url, proxied(url) as proxy:
        terminal = against_the_computer(proxy.url)
        with terminal:
            await asyncio.to_thread(terminal.see, "Your move:")
            proxy.refusing = True
            proxy.cut()
            await asyncio.to_thread(terminal.see, "The connection is lost.")
            terminal.enter("5")
            await asyncio.to_thread(terminal.see, "5 will be sent when the connection is back.")
            proxy.refusing = False
            screen = await asyncio.to_thread(terminal.see, "computer played", "Your turn.")
            assert "lost" not in screen
            proxy.refusing = True
            proxy.cut()
            await asyncio.to_thread(terminal.see, "The connection is lost.")
            terminal.enter(free_cells(screen)[0])
            terminal.enter("q")
            assert await asyncio.to_thread(terminal.end) == 0
            assert terminal.as_it_was


async def test_a_move_without_an_answer_is_reported_as_sent() -> None:
    async with running_server() as url, proxied(url) as proxy:
        with against_the_computer(proxy.url) as terminal:
            await asyncio.to_thread(terminal.see, "Your move:")
            proxy.frozen = True
            terminal.enter("5")
            await asyncio.to_thread(terminal.see, "Sent 5; waiting for the server.")
            proxy.refusing = True
            proxy.cut()
            await asyncio.to_thread(terminal.see, "lost", "5 will be sent when the connection is back.")
            proxy.frozen = proxy.refusing = False
            screen = await asyncio.to_thread(terminal.see, "computer played", "Your turn.")
            assert "waiting for the server" not in screen
            assert "will be sent" not in screen


async def test_lines_typed_during_a_request_wait_their_turn() -> None:
    async with running_server() as url, proxied(url) as proxy:
        with against_the_computer(proxy.url) as terminal:
            await asyncio.to_thread(terminal.see, "Your move:")
            proxy.delay_s = 0.3
            terminal.enter("'good luck")
            terminal.enter("5")
            await asyncio.to_thread(terminal.see, "you: good luck", "computer played", "Your turn.")


@pytest.mark.parametrize(("columns", "rows"), [(40, 15), (20, 10)])
def test_small_windows_show_the_board_and_the_prompt(url: str, columns: int, rows: int) -> None:
    with against_the_computer(url, columns=columns, rows=rows) as terminal:
        terminal.see(" 1 | 2 | 3", " 7 | 8 | 9", "Your turn.", "Your move:")
        terminal.enter("h")
        assert terminal.see("Enter to go").startswith("Tic-tac-toe\nX begins."), "from the top"
        terminal.enter("")
        terminal.see(" 7 | 8 | 9", "Your move:")
        terminal.resize(80, 24)
        terminal.see("Tic-tac-toe, room", " 7 | 8 | 9", "Your move:")


def test_the_arrow_keys_scroll_a_board_that_does_not_fit(url: str) -> None:
    with Terminal(
        "play", f"--url={url}", "--game=gomoku", "--against=easy", "--side=first", columns=40, rows=15
    ) as terminal:
        below = terminal.see("15 . . .", "a b c d e f g h i j k l m n o", "Your turn.", "Your move:")
        assert "Gomoku" not in below
        terminal.send("\x1b[A" * 20)
        above = terminal.see("Gomoku, room", "a b c d e f g h i j k l m n o", " 1 . . .", "Your move:")
        assert "15 . . ." not in above
        terminal.send("\x1b[B" * 20)
        terminal.see("15 . . .", "Your turn.")
        terminal.send("\x1b[A" * 20)
        terminal.see("Gomoku, room")
        terminal.enter("a1")
        terminal.see("15 . . .", "computer played", "Your turn.")


def test_values_are_shown_and_hidden(thorough: str) -> None:
    with Terminal("play", f"--url={thorough}", "--against=perfect", "--side=X", "--numpad") as terminal:
        terminal.see("Your move:")
        terminal.enter("values")
        terminal.see("(7:  0)|(8:  0)|(9:  0)", "Best for X: any move (0), a draw in 9 plies.", "16,500 nodes")
        terminal.enter("7")
        terminal.see("computer played 5.", "Best for X: any move (0), a draw in 7 plies.", "Your move:")
        terminal.enter("h")
        terminal.see("Values are for the side to move")
        terminal.enter("v")
        assert "Best" not in terminal.see("The values are hidden", " x | 8 | 9", "Your move:")
