from dataclasses import replace
from typing import Any

import pytest
from prompt_toolkit.utils import get_cwidth

from noughts.protocol.room_messages import ChatLine
from noughts.rooms import Disconnect, Fischer, OfferDraw, Pause, PerMove, Play, Player, Resign
from noughts_client.terminal.table import Table
from noughts_client.terminal.text import plain, squeeze
from noughts_client.terminal.view import changes_in, chat, title, view
from support.viewed import COMPUTER, FIRST, SECOND, SPECTATOR, after, room, seen

LONG = Player("p-3", "a name that has thirty-two lettr", "human")
WIDE = Player("p-4", "長" * 32, "human")
INVITATION = "noughts play --room room1 --url ws://192.0.2.7:8765/ws"


TIMED = Fischer(60_000, 2_000)


def lines(table: Table, width: int = 80, local_ms: float = 0) -> list[str]:
    return plain(view(table, width, local_ms)).split("\n")


def test_a_player_sees_both_players_the_turn_and_the_board() -> None:
    assert lines(seen(FIRST.id, room("51", second=COMPUTER))) == [
        "Tic-tac-toe, room room1",
        "> x  player-1 (you)",
        "  o  computer (hard)",
        "",
        "  [o]| 2 | 3",
        "  ---+---+---",
        "   4 | x | 6",
        "  ---+---+---",
        "   7 | 8 | 9",
        "",
        "Your turn.",
    ]


def test_a_spectator_is_not_marked_as_a_player() -> None:
    shown = lines(seen(SPECTATOR, room("5")))
    assert shown[1:3] == ["  x  player-1", "> o  player-2"]
    assert shown[-1] == "player-2 to move."


def test_bots_and_absent_players_are_marked() -> None:
    away = after(room(second=Player("p-5", "player-5", "bot")), Disconnect("p-5"))
    assert lines(seen(FIRST.id, away))[2] == "  o  player-5 (bot, away)"


def test_an_open_seat_shows_the_invitation() -> None:
    shown = lines(seen(FIRST.id, room(second=None), invitation=INVITATION))
    assert shown[2] == "  o  (open)"
    assert shown[-3:] == ["Your opponent joins with", INVITATION, "Waiting for an opponent."]
    assert INVITATION not in lines(seen(FIRST.id, room(), invitation=INVITATION))
    shown = lines(seen(FIRST.id, room(second=None), invitation=INVITATION, link="http://x/rooms/y"))
    assert shown[-5:] == [
        "Your opponent joins in a browser with",
        "http://x/rooms/y",
        "or in a terminal with",
        INVITATION,
        "Waiting for an opponent.",
    ]


def test_a_lost_connection_is_shown() -> None:
    table = seen(FIRST.id, room())
    assert any("lost" in line for line in lines(replace(table, connected=False)))
    assert not any("lost" in line for line in lines(table))


@pytest.mark.parametrize("width", [14, 20, 28, 40, 80])
@pytest.mark.parametrize("player", [LONG, WIDE])
def test_no_line_is_wider_than_the_window(width: int, player: Player) -> None:
    for table in (
        seen(player.id, room("5", first=player)),
        seen(player.id, after(room("5", first=player), Resign(player.id))),
        seen(SPECTATOR, room(first=player, second=None), invitation=INVITATION, connected=False),
    ):
        assert max(get_cwidth(line) for line in lines(table, width)) <= width


def test_a_long_name_leaves_room_for_the_remark() -> None:
    assert lines(seen(LONG.id, room(first=LONG)), 30)[1] == "> x  a name that has th~ (you)"
    assert lines(seen(LONG.id, room(first=LONG)), 60)[1] == f"> x  {LONG.name} (you)"


def test_names_cannot_control_the_terminal() -> None:
    hostile = Player("p-6", "\x1b[2Jgone\u202e", "human")
    shown = "".join(lines(seen(SPECTATOR, room(second=hostile))))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "gone" in shown


def test_a_low_window_shows_the_end() -> None:
    table = view(seen(FIRST.id, room()), 40, 0)
    assert squeeze(table, 11) == table
    assert plain(squeeze(table, 10)).split("\n") == [line for line in lines(seen(FIRST.id, room())) if line]
    assert plain(squeeze(table, 2)).split("\n") == ["   7 | 8 | 9", "Your turn."]


def test_a_compact_view_repeats_the_clocks_after_the_status() -> None:
    table = seen(FIRST.id, room("51", clock=TIMED))
    assert plain(view(table, 60, 20_000, compact=True)).split("\n")[-1] == "Your turn. x [0:40] o 1:00"
    assert view(seen(FIRST.id, room()), 60, 0, compact=True) == view(seen(FIRST.id, room()), 60, 0)


def test_a_low_window_can_be_scrolled_back() -> None:
    table = view(seen(FIRST.id, room(["a1"], game="gomoku")), 40, 0)
    whole = [line for line in lines(seen(FIRST.id, room(["a1"], game="gomoku")), 40) if line]
    assert len(whole) == 21
    for back in range(8):
        assert plain(squeeze(table, 14, back)).split("\n") == whole[7 - back : 21 - back]
    assert plain(squeeze(table, 14, 8)).split("\n") == whole[:14]


def test_a_forced_pass_is_reported() -> None:
    moves = ["d3", "c3", "b3", "b2", "f5", "a3", "a1", "c1"]
    assert lines(seen(FIRST.id, room(moves, game="reversi")))[-1] == "Your turn: your only move is pass."
    assert lines(seen(FIRST.id, room(moves[:-2], game="reversi")))[-1] == "Your turn."


def test_the_title_has_the_options_and_the_number_of_spectators() -> None:
    assert title(seen(FIRST.id, room())) == "Tic-tac-toe, room room1"
    table = seen(FIRST.id, room(clock=TIMED), spectators=2)
    assert title(table) == "Tic-tac-toe, room room1, 1+2, 2 watching"
    rated = replace(table, options={**table.options, "rated": True, "clock": {"per_move_s": 10}}, spectators=0)
    assert title(rated) == "Tic-tac-toe, room room1, 10/move, rated"


def test_ratings_follow_the_names() -> None:
    table = seen(FIRST.id, room())
    seats: Any = table.state["seats"]
    for side, about in (("first", {"rating": 1523}), ("second", {"rating": 1500, "provisional": True})):
        seats[side] |= about
    assert lines(table)[1:3] == ["> x  player-1 (1523) (you)", "  o  player-2 (1500?)"]


def test_clocks_do_not_run_until_each_side_has_moved() -> None:
    for moves in ("", "5"):
        shown = lines(seen(FIRST.id, room(moves, clock=TIMED)), local_ms=30_000)
        assert [line[2:] for line in shown[1:3]] == ["x   1:00   player-1 (you)", "o   1:00   player-2"]
        assert shown[-1] == "The clocks start once each side has moved. A first move has a minute."
        assert changes_in(seen(FIRST.id, room(moves, clock=TIMED)), 0) is None


def test_the_running_clock_is_marked_and_loses_time() -> None:
    table = seen(FIRST.id, room("51", clock=TIMED))
    assert lines(table, local_ms=0)[1:3] == ["> x  [1:00]  player-1 (you)", "  o   1:00   player-2"]
    assert lines(table, local_ms=50_400)[1:3] == ["> x  [0:09.6]  player-1 (you)", "  o     1:00   player-2"]
    assert lines(table, local_ms=99_000)[1] == "> x  [0:00.0]  player-1 (you)"
    styles = {words: style for here in (0, 55_000) for style, words in view(table, 80, here)[1]}
    assert (styles["[1:00]"], styles["[0:05.0]"]) == ("bold", "bold ansired")


def test_the_view_changes_exactly_when_predicted() -> None:
    table = replace(seen(FIRST.id, room("51", clock=PerMove(12_000))), ahead_ms=-100_000)
    here, redrawn = 100_000.0, 0
    while (wait := changes_in(table, here)) is not None:
        assert lines(table, local_ms=here + wait - 1) == lines(table, local_ms=here)
        here += wait
        redrawn += 1
    assert lines(table, local_ms=here)[1] == "> x  [0:00.0]  player-1 (you)"
    assert redrawn == 3 + 100  # seconds down to 10, then tenths


def test_clocks_stand_for_a_moment_after_an_outage() -> None:
    paused = after(room("51", clock=TIMED), Pause(((0, 10_000),)), at=10_000)
    table = seen(FIRST.id, paused)
    assert lines(table, local_ms=10_000)[1] == "> x   1:00   player-1 (you)"
    assert lines(table, local_ms=10_000)[-1] == "The clocks are stopped for a moment."
    wait = changes_in(table, 10_000)
    assert wait is not None
    assert lines(table, local_ms=10_000 + wait)[1] == "> x  [1:00]  player-1 (you)"


def test_an_offer_is_shown_while_it_stands() -> None:
    offered = after(room("51"), OfferDraw(FIRST.id))
    assert lines(seen(FIRST.id, offered))[-1] == "You have offered a draw."
    assert lines(seen(SECOND.id, offered))[-1] == "player-1 offers a draw: y accepts, n declines."
    assert lines(seen(SPECTATOR, offered))[-1] == "player-1 offers a draw."
    answered = after(offered, Play(FIRST.id, 2, "9"))
    assert "draw" not in lines(seen(SECOND.id, answered))[-1]


def test_a_player_sees_when_the_game_can_be_claimed() -> None:
    away = after(room("51", clock=TIMED), Disconnect(SECOND.id), at=5_000)
    table = seen(FIRST.id, away)
    assert lines(table, local_ms=5_000)[-1] == "player-2 is away. You can claim the game in 30 s."
    assert lines(table, local_ms=34_001)[-1] == "player-2 is away. You can claim the game in 1 s."
    assert lines(table, local_ms=35_000)[-1] == "player-2 is away: 'claim' wins the game, 'claim draw' draws it."
    assert not any("claim" in line for line in lines(seen(SPECTATOR, away), local_ms=99_000))
    unclocked = replace(table, state={**table.state, "clock": None})
    for here in (5_000, 5_001, 33_999):
        wait = changes_in(unclocked, here)
        assert wait is not None
        before, after_it = (lines(unclocked, local_ms=here + wait - shy)[-1] for shy in (1, 0))
        assert lines(unclocked, local_ms=here)[-1] == before != after_it
    assert changes_in(unclocked, 35_000) is None


@pytest.mark.parametrize("width", [6, 10, 14, 20, 28, 40])
def test_clocks_ratings_and_offers_fit_the_window(width: int) -> None:
    table = seen(LONG.id, after(room("51", first=LONG, clock=TIMED), OfferDraw(LONG.id)), spectators=12)
    seats: Any = table.state["seats"]
    seats["first"] |= {"rating": 1500, "provisional": True}
    kept = [line for line in lines(table, width, 57_000) if "|" not in line and "+" not in line]
    assert max(get_cwidth(line) for line in kept) <= width
    if width >= 28:
        assert any(line.startswith("> x  [0:03.0]  a nam") for line in kept)


def test_chat_lines_have_their_authors() -> None:
    def line(who: str, name: str, words: str) -> ChatLine:
        return {"type": "chat", "room": "room1", "id": who, "name": name, "text": words, "at": "", "to": "players"}

    table = seen(FIRST.id, room()).with_chat(line("p-1", "player-1", "hello")).with_chat(line("p-2", "player-2", "hi"))
    assert chat(table) == ["you: hello", "player-2: hi"]
    for number in range(30):
        table = table.with_chat(line("p-2", "player-2", str(number)))
    assert (table.chat_count, len(chat(table)), chat(table)[-1]) == (32, 20, "player-2: 29")
