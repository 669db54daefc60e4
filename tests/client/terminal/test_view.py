from dataclasses import replace
from typing import Any

import pytest
from prompt_toolkit.utils import get_cwidth

from noughts.protocol.messages import ChatLine
from noughts.rooms import Disconnect, Fischer, OfferDraw, Pause, PerMove, Play, Player, Resign
from noughts_client.terminal.table import Table
from noughts_client.terminal.view import changes_in, fit, latest, plain, squeezed, talk, text, title, view
from support.viewed import COMPUTER, FIRST, SECOND, SPECTATOR, after, room, seen

LONG = Player("p-3", "a name that has thirty-two lettr", "human")
WIDE = Player("p-4", "長" * 32, "human")
INVITATION = "noughts play --room room1 --url ws://192.0.2.7:8765/ws"


TIMED = Fischer(60_000, 2_000)


def lines(table: Table, width: int = 80, here_ms: float = 0) -> list[str]:
    return plain(view(table, width, here_ms)).split("\n")


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
    assert plain(text("you: 長長長", 9)) == "you: 長長\n長"
    assert plain(text("you: incomprehensible", 9)) == "you: inco\nmprehensi\nble"
    assert text("", 7) == []


def test_what_is_cut_says_so() -> None:
    assert [fit("player-1", width) for width in (8, 7, 1, 0)] == ["player-1", "player~", "~", ""]
    assert fit("長長長", 5) == "長長~"


def test_a_low_window_shows_the_end_first() -> None:
    table = view(seen(FIRST.id, room()), 40, 0)
    assert squeezed(table, 11) == table
    assert plain(squeezed(table, 10)).split("\n") == [line for line in lines(seen(FIRST.id, room())) if line]
    assert plain(squeezed(table, 2)).split("\n") == ["   7 | 8 | 9", "Your turn."]


def test_the_clocks_are_told_beside_the_last_lines_too_where_the_first_have_no_place() -> None:
    table = seen(FIRST.id, room("51", clock=TIMED))
    assert plain(view(table, 60, 20_000, low=True)).split("\n")[-1] == "Your turn. x [0:40] o 1:00"
    assert view(seen(FIRST.id, room()), 60, 0, low=True) == view(seen(FIRST.id, room()), 60, 0)


def test_of_what_was_said_last_one_sees_who_has_said_it() -> None:
    said = ["player-1: hello", "player-2: one two three four"]
    assert plain(latest(said, 15, 4)) == "player-1: hello\nplayer-2: one\ntwo three four"
    assert plain(latest(said, 15, 2)) == "player-2: one\ntwo three four"
    assert plain(latest(said, 15, 1)) == "player-2: one ~"
    assert latest(said, 15, 0) == latest([], 15, 3) == []


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


def test_the_title_says_how_the_game_is_played_and_before_how_many() -> None:
    assert title(seen(FIRST.id, room())) == "Tic-tac-toe, room room1"
    table = seen(FIRST.id, room(clock=TIMED), spectators=2)
    assert title(table) == "Tic-tac-toe, room room1, 1+2, 2 watching"
    rated = replace(table, options={**table.options, "rated": True, "clock": {"per_move_s": 10}}, spectators=0)
    assert title(rated) == "Tic-tac-toe, room room1, 10/move, rated"


def test_ratings_stand_behind_the_names() -> None:
    table = seen(FIRST.id, room())
    seats: Any = table.state["seats"]
    for side, about in (("first", {"rating": 1523}), ("second", {"rating": 1500, "provisional": True})):
        seats[side] |= about
    assert lines(table)[1:3] == ["> x  player-1 (1523) (you)", "  o  player-2 (1500?)"]


def test_clocks_stand_until_each_side_has_moved_and_that_is_told() -> None:
    for moves in ("", "5"):
        shown = lines(seen(FIRST.id, room(moves, clock=TIMED)), here_ms=30_000)
        assert [line[2:] for line in shown[1:3]] == ["x   1:00   player-1 (you)", "o   1:00   player-2"]
        assert shown[-1] == "The clocks start once each side has moved; each first move has a minute."
        assert changes_in(seen(FIRST.id, room(moves, clock=TIMED)), 0) is None


def test_the_clock_that_runs_is_marked_and_loses_time() -> None:
    table = seen(FIRST.id, room("51", clock=TIMED))
    assert lines(table, here_ms=0)[1:3] == ["> x  [1:00]  player-1 (you)", "  o   1:00   player-2"]
    assert lines(table, here_ms=50_400)[1:3] == ["> x  [0:09.6]  player-1 (you)", "  o     1:00   player-2"]
    assert lines(table, here_ms=99_000)[1] == "> x  [0:00.0]  player-1 (you)"
    styles = {words: style for here in (0, 55_000) for style, words in view(table, 80, here)[1]}
    assert (styles["[1:00]"], styles["[0:05.0]"]) == ("bold", "bold ansired")


def test_the_view_is_another_at_once_when_another_time_is_to_be_seen_and_not_before() -> None:
    table = replace(seen(FIRST.id, room("51", clock=PerMove(12_000))), ahead_ms=-100_000)
    here, redrawn = 100_000.0, 0
    while (wait := changes_in(table, here)) is not None:
        assert lines(table, here_ms=here + wait - 1) == lines(table, here_ms=here)
        here += wait
        redrawn += 1
    assert lines(table, here_ms=here)[1] == "> x  [0:00.0]  player-1 (you)"
    assert redrawn == 3 + 100  # seconds down to 10, then tenths


def test_after_an_outage_the_clocks_stand_for_a_moment() -> None:
    paused = after(room("51", clock=TIMED), Pause(((0, 10_000),)), at=10_000)
    table = seen(FIRST.id, paused)
    assert lines(table, here_ms=10_000)[1] == "> x   1:00   player-1 (you)"
    assert lines(table, here_ms=10_000)[-1] == "The clocks stand."
    wait = changes_in(table, 10_000)
    assert wait is not None
    assert lines(table, here_ms=10_000 + wait)[1] == "> x  [1:00]  player-1 (you)"


def test_an_offer_is_shown_for_as_long_as_it_stands() -> None:
    offered = after(room("51"), OfferDraw(FIRST.id))
    assert lines(seen(FIRST.id, offered))[-1] == "You have offered a draw."
    assert lines(seen(SECOND.id, offered))[-1] == "player-1 offers a draw: y accepts, n declines."
    assert lines(seen(SPECTATOR, offered))[-1] == "player-1 offers a draw."
    answered = after(offered, Play(FIRST.id, 2, "9"))
    assert "draw" not in lines(seen(SECOND.id, answered))[-1]


def test_who_may_claim_a_game_is_told_when() -> None:
    away = after(room("51", clock=TIMED), Disconnect(SECOND.id), at=5_000)
    table = seen(FIRST.id, away)
    assert lines(table, here_ms=5_000)[-1] == "player-2 is away: in 30 s you can claim the game."
    assert lines(table, here_ms=34_001)[-1] == "player-2 is away: in 1 s you can claim the game."
    assert lines(table, here_ms=35_000)[-1] == "player-2 is away: 'claim' wins the game, 'claim draw' draws it."
    assert not any("claim" in line for line in lines(seen(SPECTATOR, away), here_ms=99_000))
    unclocked = replace(table, state={**table.state, "clock": None})
    for here in (5_000, 5_001, 33_999):
        wait = changes_in(unclocked, here)
        assert wait is not None
        before, after_it = (lines(unclocked, here_ms=here + wait - shy)[-1] for shy in (1, 0))
        assert lines(unclocked, here_ms=here)[-1] == before != after_it
    assert changes_in(unclocked, 35_000) is None


@pytest.mark.parametrize("width", [6, 10, 14, 20, 28, 40])
def test_clocks_ratings_and_offers_keep_to_the_window(width: int) -> None:
    table = seen(LONG.id, after(room("51", first=LONG, clock=TIMED), OfferDraw(LONG.id)), spectators=12)
    seats: Any = table.state["seats"]
    seats["first"] |= {"rating": 1500, "provisional": True}
    kept = [line for line in lines(table, width, 57_000) if "|" not in line and "+" not in line]
    assert max(get_cwidth(line) for line in kept) <= width
    if width >= 28:
        assert any(line.startswith("> x  [0:03.0]  a nam") for line in kept)


def test_what_was_said_is_marked_with_who_said_it() -> None:
    def line(who: str, name: str, words: str) -> ChatLine:
        return {"type": "chat", "room": "room1", "id": who, "name": name, "text": words, "at": "", "to": "players"}

    table = seen(FIRST.id, room()).heard(line("p-1", "player-1", "hello")).heard(line("p-2", "player-2", "hi"))
    assert talk(table) == ["you: hello", "player-2: hi"]
    for number in range(30):
        table = table.heard(line("p-2", "player-2", str(number)))
    assert (table.said, len(talk(table)), talk(table)[-1]) == (32, 20, "player-2: 29")
