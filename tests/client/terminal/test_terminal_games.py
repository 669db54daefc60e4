"""Games on a terminal: clocks, offers, absence, chat, seeks and replays."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from noughts_client.terminal.credentials import register, registration_at
from noughts_client.terminal.recordings import fetch
from support.client import Client, connected
from support.proxy import proxied
from support.server import running_server
from support.terminal import Terminal

pytestmark = pytest.mark.services


@pytest.fixture(autouse=True, scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A directory for seats and names in place of the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


async def seen(terminal: Terminal, *wanted: str) -> str:
    return await asyncio.to_thread(terminal.see, *wanted)


async def unseen(terminal: Terminal, words: str) -> str:
    """The screen once ``words`` have disappeared."""
    while words in (screen := await asyncio.to_thread(terminal.look)):
        pass
    return screen


async def opened(client: Client, **more: Any) -> str:
    return str((await client.ok(type="create", game="tictactoe", **more))["room"])


def against(url: str, room: str, **settings: Any) -> Terminal:
    return Terminal("play", f"--room={room}", f"--url={url}", "--name=player-2", **settings)


async def test_a_clock_ticks_until_the_flag_falls() -> None:
    async with running_server() as url, connected(url) as other:
        room = await opened(other, clock={"initial_s": 4, "increment_s": 0})
        with against(url, room) as terminal:
            await seen(terminal, ", 4s+0", "The clocks start once each side has moved", "x   0:04.0   player-1")
            await other.play(room, 0, "5")
            await seen(terminal, "Your move:")
            terminal.enter("1")
            await seen(terminal, "> x  [0:0", "o   0:04.0   player-2 (you)")
            times: list[str] = []
            while "on time." not in (screen := await asyncio.to_thread(terminal.look)):
                times += re.findall(r"> x  \[(0:0\d\.\d)\]", screen)
            assert times == sorted(times, reverse=True)
            assert len(set(times)) > 2
            await seen(terminal, "You won on time.", "x   0:00.0   player-1", "Play again? [y/N]")
            terminal.enter("n")
            assert await asyncio.to_thread(terminal.end) == 0
            assert terminal.as_it_was


async def test_ticking_clocks_do_not_move_the_input() -> None:
    async with running_server() as url, connected(url) as other:
        room = await opened(other, clock={"per_move_s": 60})
        with against(url, room) as terminal:
            await seen(terminal, "player-2 (you)")
            await other.play(room, 0, "5")
            await seen(terminal, "Your move:")
            terminal.enter("1")
            await seen(terminal, "player-1 to move.")
            await other.play(room, 2, "9")
            typed = "Your move: 'what I am about to s"
            terminal.send(typed.removeprefix("Your move: "))
            lines = (await seen(terminal, "> o  [0:", typed)).split("\n")
            await unseen(terminal, lines[2])
            lines = (await seen(terminal, "> o  [0:", typed)).split("\n")
            await other.ok(type="chat", room=room, text="hurry up")
            after = (await seen(terminal, "player-1: hurry up")).split("\n")
            assert after.index(typed) == lines.index(typed)
            assert after.index("player-1: hurry up") > after.index(typed)


async def test_a_rated_game_ends_with_a_question_and_the_new_rating() -> None:
    clock = {"initial_s": 180, "increment_s": 2}
    async with running_server() as url, connected(url, "player-1") as other:
        await other.ok(type="register")
        assert await register("player-2", url, None) == 0
        room = await opened(other, clock=clock, rated=True)
        with Terminal("play", f"--room={room}", f"--url={url}", "--side=o") as terminal:
            await seen(terminal, "o   3:00   player-2 (you)", "player-1 to move.")
            await other.play(room, 0, "5")
            await seen(terminal, "Your move:")
            terminal.enter("h")
            await seen(terminal, "X begins.", "Three in a row", "Enter to go back:")
            terminal.enter("")
            await seen(terminal, "Your move:")
            terminal.enter("1")
            await seen(terminal, "player-1 to move.")
            terminal.enter("resign")
            await seen(terminal, "Resign this game? [y/N]")
            terminal.enter("n")
            await seen(terminal, "You play on.")
            terminal.enter("resign")
            await seen(terminal, "Resign this game? [y/N]")
            terminal.enter("y")
            await seen(terminal, "You lost by resignation.", "Your first rating: 1338?.")
            await other.ok(type="offer_rematch", room=room)
            terminal.enter("y")
            while (again := (await other.push("room"))["room"]) == room:
                pass
            await seen(terminal, "x   3:00   player-2 (1338?) (you)", "Your move:")
            terminal.enter("5")
            await seen(terminal, "player-1 to move.")
            await other.play(again, 1, "1")
            await other.ok(type="resign", room=again)
            screen = await seen(terminal, "You won by resignation.", "Your rating: 1338 -> ")
            before, after, change = re.findall(r"Your rating: (\d+) -> (\d+)\? \(\+(\d+)\)\.", screen)[0]
            assert int(after) - int(before) == int(change)
            terminal.enter("q")
            assert await asyncio.to_thread(terminal.end) == 0


async def test_takebacks_with_a_player_and_with_the_computer() -> None:
    async with running_server() as url, connected(url) as other:
        room = await opened(other)
        with against(url, room) as terminal:
            await seen(terminal, "player-2 (you)")
            await other.play(room, 0, "5")
            await seen(terminal, "Your move:")
            terminal.enter("1")
            await seen(terminal, "[o]| 2")
            terminal.enter("takeback")
            await seen(terminal, "You have asked for a takeback.")
            await other.ok(type="accept_takeback", room=room)
            await seen(terminal, "A move was taken back.", " 1 | 2 | 3", "Your move:")
            terminal.enter("2")
            await seen(terminal, "|[o]|", "player-1 to move.")
            await other.ok(type="offer_takeback", room=room)
            await seen(terminal, "player-1 asks for a takeback: y accepts, n declines.")
            terminal.enter("n")
            assert "asks" not in await seen(terminal, "You declined the takeback.\n>")
        with Terminal("play", f"--url={url}", "--against=easy", "--side=X") as terminal:
            await seen(terminal, "Your move:")
            terminal.enter("5")
            await seen(terminal, "computer played")
            terminal.enter("takeback")
            await seen(terminal, "2 moves were taken back.", " 4 | 5 | 6", "Your move:")


async def test_a_player_claims_the_game_of_an_absent_opponent() -> None:
    async with running_server(away_s=0.1, claim_s=8) as url:
        async with connected(url) as other:
            room = await opened(other)
            terminal = against(url, room)
            await seen(terminal, "player-2 (you)")
            await other.play(room, 0, "5")
            await seen(terminal, "Your move:")
            terminal.enter("1")
            await seen(terminal, "player-1 to move.")
        with terminal:
            await seen(terminal, "player-1 (away)", "player-1 is away. You can claim the game in ")
            terminal.enter("claim")
            await seen(terminal, "It is too early to claim the game.")
            await seen(terminal, "player-1 is away: 'claim' wins the game, 'claim draw' draws it.")
            terminal.enter("claim")
            await seen(terminal, "You won by abandonment.")


async def test_players_and_spectators_chat_separately() -> None:
    async with running_server() as url, connected(url) as other:
        room = await opened(other)
        with against(url, room) as terminal, Terminal("watch", room, f"--url={url}", columns=40) as watcher:
            await seen(watcher, "player-1 to move.", "1\nwatching")
            await seen(terminal, "1 watching")
            terminal.send("'Good luck, and one of the longer remarks that a window has ever had to break in two!")
            await seen(terminal, "in two!")  # the line is longer than the window, and has been moved
            terminal.enter("")
            await seen(terminal, "\nyou: Good luck, and one of", "in two!", "player-1 to move.\n>\nyou:")
            line = await other.push("chat")
            assert (line["text"][:9], line["to"]) == ("Good luck", "players")
            watcher.enter("/say Nobody hears me.")
            await seen(watcher, "\nyou: Nobody hears me.")
            await other.ok(type="chat", room=room, text="Likewise.")
            screen = await seen(terminal, "\nplayer-1: Likewise.")
            assert "hears" not in screen
            assert "Likewise" not in watcher.look()
        room = await opened(other)
        with against(url, room, rows=10, columns=30) as terminal:
            await seen(terminal, "player-1 to move.")
            await other.ok(type="chat", room=room, text="In a small window.")
            await seen(terminal, "player-1 to move.", "\nplayer-1: In a small window.")


async def test_a_seek_continues_after_a_lost_connection() -> None:
    async with running_server() as url, proxied(url) as proxy, connected(url) as other:
        await other.ok(type="create", game="reversi")
        await other.push("room")
        seek = ("play", "--against=anybody", "--game=reversi", "--clock=none", "--name=player-2")
        with Terminal(*seek, f"--url={proxy.url}") as terminal:
            # The list is there after the seek was answered.
            await seen(terminal, "Looking for an opponent: Reversi, no clock ... ", "player-1 - (open)")
            proxy.refusing = True
            proxy.cut()
            await seen(terminal, "The connection is lost.")
            proxy.refusing = False
            await unseen(terminal, "lost")
            await other.ok(type="seek", game="reversi")
            await seen(terminal, "Reversi, room", "player-1", "player-2 (you)")
            assert (await other.push("room"))["game"] == "reversi"


async def test_a_seek_elsewhere_ends_this_one() -> None:
    async with running_server() as url:
        assert await register("player-1", url, None) == 0
        own = registration_at(url)
        assert own is not None
        seek = ("play", "--against=anybody", f"--url={url}", "--game=tictactoe", "--clock=none")
        with Terminal(*seek) as terminal:
            await asyncio.to_thread(terminal.see, "Looking for an opponent: Tic-tac-toe", " ... 1 s")
            async with connected(url, token=own.token) as elsewhere:
                await elsewhere.ok(type="seek", game="connect4")
                await asyncio.to_thread(terminal.see, "You are looking for an opponent elsewhere.")
                assert await asyncio.to_thread(terminal.end) == 1


async def test_a_cancelled_seek_is_not_paired() -> None:
    async with running_server() as url, connected(url) as other:
        for way in ("q\r", "\x03"):
            seek = ("play", "--against=anybody", "--name=player-2", f"--url={url}")
            with Terminal(*seek, "--game=tictactoe", "--clock=none") as terminal:
                await seen(terminal, "Looking for an opponent: Tic-tac-toe, no clock ... ")
                terminal.send(way)
                assert await asyncio.to_thread(terminal.end) == 0
                assert terminal.as_it_was
                assert terminal.text().strip() == "Goodbye."
        await other.ok(type="seek", game="tictactoe")
        await asyncio.sleep(1.5)
        await other.quiet()


async def test_the_room_list_is_updated_and_a_finished_game_replayed() -> None:
    async with running_server() as url, connected(url) as one, connected(url) as other:
        with Terminal("watch", f"--url={url}") as terminal:
            await seen(terminal, "No public game is being played.", "q to leave:")
            room = await opened(one, clock={"per_move_s": 60})
            await seen(terminal, "[1] >", "  1  player-1 - (open), Tic-tac-toe, 60/move, waiting")
            await other.join(room)
            second = await opened(other)
            await seen(terminal, "  1  player-1 - player-1, Tic-tac-toe, 60/move, playing", "  2  player-1 - (open)")
            await one.play(room, 0, "5")
            await other.play(room, 1, "1")
            await one.ok(type="resign", room=room)
            await one.join(second)
            await seen(
                terminal, "  1  player-1 - player-1, Tic-tac-toe, 60/move, player-1 won", "  2  player-1 - player-1"
            )
            terminal.enter("1")
            await seen(terminal, f"room {room}", "0 of 3 (h for help) >")
            terminal.send("\x1b[C")
            await seen(terminal, "[x]", "player-1 (X) played 5 after ", "1 of 3 (h for help) >")
            terminal.send("\x1b[F")
            await seen(terminal, "player-1 (O) won by resignation.", "3 of 3 (h for help) >")
            terminal.send("p")
            await seen(terminal, "[o]", "[1:00]", "2 of 3 (h for help) >")
            terminal.send("\x1b[H ")
            await seen(terminal, "0 of 3 (running) >")
            await seen(terminal, "3 of 3 (h for help) >")
            terminal.send("q")
            assert await asyncio.to_thread(terminal.end) == 0
            assert terminal.as_it_was


async def test_a_game_under_way_is_replayed_and_then_live() -> None:
    async with running_server() as url, connected(url) as one, connected(url) as other:
        room = await opened(one, private=True)
        await other.join(room)
        await one.play(room, 0, "5")
        await other.play(room, 1, "1")
        with Terminal("watch", room, "--from", "1", f"--url={url}") as terminal:
            await seen(terminal, "[x]", "1 of 2 (h for help) >")
            await one.play(room, 2, "9")
            await seen(terminal, "[x]", "1 of 3 (h for help) >")
            terminal.send("\x1b[F")
            await seen(terminal, "3 of 3 (live) >")
            await other.play(room, 3, "2")
            await seen(terminal, "|[o]|", "4 of 4 (live) >")


async def test_a_recorded_game_is_replayed_from_a_file(tmp_path: Path) -> None:
    async with running_server() as url, connected(url, bot=True) as bot, connected(url) as other:
        rooms = [await opened(bot), await opened(bot)]
        for room in rooms:
            await other.join(room)
            await bot.ok(type="play", room=room, turn=0, move="5", note="I like the centre.")
            await other.ok(type="resign", room=room)
        file = tmp_path / "games.jsonl"
        file.write_bytes(b"".join([await record(url, room) for room in rooms]))
        with Terminal("watch", str(file), "--numpad") as terminal:
            await seen(terminal, "Which game?", "  1  20", ":", "  player-1 - player-1, Tic-tac-toe")
            terminal.enter("2")
            await seen(terminal, f"room {rooms[1]}", "7 | 8 | 9", "0 of 2")
            terminal.send("n")
            await seen(terminal, "player-1 (X) played 5.", "I like the centre.", "1 of 2")
        file.write_bytes(b"".join([await record(url, rooms[0])] * 30 + [await record(url, rooms[1])]))
        with Terminal("watch", str(file), columns=60) as terminal:
            few = await seen(terminal, "Which game? (the last 20 of 31: type", "  12  20", "  31  20", "Tic-tac-toe\n")
            assert "  11  " not in few
            terminal.enter("chess")
            await seen(terminal, "Type a number from 1 to 31")
            terminal.enter("PLAYER-1")
            await seen(terminal, "With 'player-1':", "(the last 20 of 31")
            terminal.enter("31")
            await seen(terminal, f"room {rooms[1]}")
        with Terminal("watch", rooms[0], "--from=1", f"--url={url}") as terminal:
            await seen(terminal, "player-1 (X) played 5.", "I like the centre.", "1 of 2")


async def record(url: str, room: str) -> bytes:
    lines = await fetch(url, room)
    assert lines
    return b"".join(lines)
