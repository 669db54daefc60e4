from dataclasses import replace

import pytest
from prompt_toolkit.utils import get_cwidth

from noughts.rooms import Disconnect, Player, Resign
from noughts_client.terminal.table import Table
from noughts_client.terminal.view import fit, plain, squeezed, text, view
from support.viewed import COMPUTER, FIRST, SPECTATOR, after, room, seen

LONG = Player("p-3", "a name that has thirty-two lettr", "human")
WIDE = Player("p-4", "長" * 32, "human")
INVITATION = "noughts play --room room1 --url ws://192.0.2.7:8765/ws"


def lines(table: Table, width: int = 80) -> list[str]:
    return plain(view(table, width, 0)).split("\n")


def test_a_player_sees_who_plays_whose_turn_it_is_and_the_board() -> None:
    assert lines(seen(FIRST.id, room("51", second=COMPUTER))) == [
        "Tic-tac-toe, room room1",
        "> x  player-1 (you)",
        "  o  minimax (computer, hard)",
        "",
        "  [o]| 2 | 3",
        "  ---+---+---",
        "   4 | x | 6",
        "  ---+---+---",
        "   7 | 8 | 9",
        "",
        "Your turn.",
    ]


def test_a_spectator_is_nobody_of_them() -> None:
    shown = lines(seen(SPECTATOR, room("5")))
    assert shown[1:3] == ["  x  player-1", "> o  player-2"]
    assert shown[-1] == "player-2 is to move."


def test_bots_and_players_who_are_away_are_told() -> None:
    away = after(room(second=Player("p-5", "player-5", "bot")), Disconnect("p-5"))
    assert lines(seen(FIRST.id, away))[2] == "  o  player-5 (bot, away)"


def test_an_open_seat_and_how_to_fill_it() -> None:
    shown = lines(seen(FIRST.id, room(second=None), invitation=INVITATION))
    assert shown[2] == "  o  (open)"
    assert shown[-3:] == ["Your opponent joins with", INVITATION, "Waiting for an opponent."]
    assert INVITATION not in lines(seen(FIRST.id, room(), invitation=INVITATION))


def test_a_lost_connection_is_told() -> None:
    table = seen(FIRST.id, room())
    assert any("lost" in line for line in lines(replace(table, connected=False)))
    assert not any("lost" in line for line in lines(table))


@pytest.mark.parametrize("width", [14, 20, 28, 40, 80])
@pytest.mark.parametrize("player", [LONG, WIDE])
def test_nothing_is_wider_than_the_window(width: int, player: Player) -> None:
    for table in (
        seen(player.id, room("5", first=player)),
        seen(player.id, after(room("5", first=player), Resign(player.id))),
        seen(SPECTATOR, room(first=player, second=None), invitation=INVITATION, connected=False),
    ):
        assert max(get_cwidth(line) for line in lines(table, width)) <= width


def test_a_long_name_leaves_room_for_what_is_said_of_it() -> None:
    assert lines(seen(LONG.id, room(first=LONG)), 30)[1] == "> x  a name that has th~ (you)"
    assert lines(seen(LONG.id, room(first=LONG)), 60)[1] == f"> x  {LONG.name} (you)"


def test_what_a_terminal_could_obey_is_not_shown() -> None:
    hostile = Player("p-6", "\x1b[2Jgone\u202e", "human")
    shown = "".join(lines(seen(SPECTATOR, room(second=hostile))))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "gone" in shown


def test_words_are_kept_whole_where_they_fit() -> None:
    assert plain(text("one two three", 7)) == "one two\nthree"
    assert plain(text("incomprehensible", 7)) == "incompr\nehensib\nle"
    assert plain(text("長長長長 x", 5)) == "長長\n長長\nx"
    assert text("", 7) == []


def test_what_is_cut_says_so() -> None:
    assert [fit("player-1", width) for width in (8, 7, 1, 0)] == ["player-1", "player~", "~", ""]
    assert fit("長長長", 5) == "長長~"


def test_a_low_window_shows_the_end_first() -> None:
    table = view(seen(FIRST.id, room()), 40, 0)
    assert squeezed(table, 11) == table
    assert plain(squeezed(table, 10)).split("\n") == [line for line in lines(seen(FIRST.id, room())) if line]
    assert plain(squeezed(table, 2)).split("\n") == ["   7 | 8 | 9", "Your turn."]


def test_one_can_go_back_to_what_a_low_window_has_no_place_for() -> None:
    table = view(seen(FIRST.id, room(["a1"], game="gomoku")), 40, 0)
    whole = [line for line in lines(seen(FIRST.id, room(["a1"], game="gomoku")), 40) if line]
    assert len(whole) == 21
    for back in range(8):
        assert plain(squeezed(table, 14, back)).split("\n") == whole[7 - back : 21 - back]
    assert plain(squeezed(table, 14, 8)).split("\n") == whole[:14]


def test_who_must_pass_is_told() -> None:
    moves = ["d3", "c3", "b3", "b2", "f5", "a3", "a1", "c1"]
    assert lines(seen(FIRST.id, room(moves, game="reversi")))[-1] == "Your turn: there is only pass."
    assert lines(seen(FIRST.id, room(moves[:-2], game="reversi")))[-1] == "Your turn."
