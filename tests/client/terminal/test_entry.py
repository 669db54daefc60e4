from typing import Any

import pytest

from noughts.rooms import AcceptRematch, OfferDraw, OfferRematch, OfferTakeback, Room
from noughts_client.terminal.entry import Leave, Say, Send, Switch, understand
from noughts_client.terminal.help import (
    HELP,
    HELP_AT_AN_END,
    HELP_OVER,
    HELP_SEEK,
    HELP_VALUES,
    HELP_WAITING,
    HELP_WATCHING,
)
from noughts_client.terminal.table import Wanted
from noughts_client.terminal.words import question
from support.viewed import COMPUTER, FIRST, SECOND, SPECTATOR, after, any_game, room, seen

WON = "14253"


def asked(kind: str, **fields: object) -> dict[str, object]:
    return {"type": kind, "room": "room1", **fields}


def test_a_number_is_a_move() -> None:
    table = seen(SECOND.id, room("5"))
    assert understand(table, " 1 ") == Send(asked("play", turn=1, move="1"))


def test_the_number_pad_is_turned_on_the_way() -> None:
    table = seen(SECOND.id, room("5"), numpad=True)
    assert understand(table, "7") == Send(asked("play", turn=1, move="1"))
    taken = seen(SECOND.id, room("1"), numpad=True)
    assert understand(taken, "7") == Say("7 is taken.")


def test_names_of_moves_may_be_in_capitals() -> None:
    layout = [[f"{column}{row}" for column in "abcd"] for row in range(1, 5)]
    table = any_game(layout, ["...."] * 4, [])
    assert understand(table, "C4") == Send(asked("play", turn=0, move="c4"))
    wrong = understand(table, "e1")
    assert isinstance(wrong, Say)
    assert "a move like a1" in wrong.text


def test_moves_with_capitals_can_be_typed_exactly_or_in_any_case() -> None:
    table = any_game([["Nf3", "Rook", "Ab"], ["aB", "Draw", "d4"]], ["...", "..."], [])

    def played(move: str) -> Send:
        return Send(asked("play", turn=0, move=move))

    assert understand(table, "Nf3") == understand(table, "nf3") == understand(table, "NF3") == played("Nf3")
    assert understand(table, "D4") == played("d4")
    assert understand(table, "Ab") == played("Ab")
    assert understand(table, "aB") == played("aB")
    assert understand(table, "ab") == Say("ab could be Ab or aB: type it with its capitals.")
    assert understand(table, "draw") == played("Draw")
    assert understand(table, "/DRAW") == Send(asked("offer_draw"))
    assert understand(table, "RESIGN") == Send(asked("resign"))
    taken = any_game([["Nf3", "Rook"]], ["x."], ["Nf3"], legal_moves=["Rook"])
    assert understand(taken, "nf3") == Say("nf3 is taken.")


@pytest.mark.parametrize("line", ["0", "10", "55", "-1", "x", "5.", "\x1b[A", "\uff15"])
def test_what_is_no_move_is_told_what_is(line: str) -> None:
    answer = understand(seen(FIRST.id, room("51")), line)
    assert isinstance(answer, Say)
    assert "type one of 2 3 4 6 7 8 9" in answer.text
    assert "\x1b" not in answer.text
    assert not answer.later


def test_a_taken_cell_is_told() -> None:
    assert understand(seen(FIRST.id, room("51")), "1") == Say("1 is taken.")


def test_a_move_before_its_time_may_come_later() -> None:
    for table in (seen(FIRST.id, room("5")), seen(FIRST.id, room(second=None))):
        answer = understand(table, "1")
        assert isinstance(answer, Say)
        assert answer.later


def test_help_leaving_and_nothing() -> None:
    for by in (FIRST.id, SECOND.id, SPECTATOR):
        table = seen(by, room())
        assert understand(table, "h") == understand(table, "?")
        assert understand(table, "q") == understand(table, "QUIT") == Leave()
        assert understand(table, "") == Say("")


def test_help_is_of_what_can_be_done_now() -> None:
    def helped(by: str, what: Room, **fields: Any) -> Send | Say | Switch | Leave:
        return understand(seen(by, what, **fields), "h")

    assert helped(FIRST.id, room()) == Say(HELP)
    assert helped(FIRST.id, room(second=None)) == Say(HELP_WAITING)
    assert helped(FIRST.id, room(WON)) == Say(HELP_OVER)
    assert helped(FIRST.id, room(WON), declined=True) == Say(HELP_AT_AN_END)
    assert {helped(SPECTATOR, what) for what in (room(), room(second=None), room(WON))} == {Say(HELP_WATCHING)}
    assert {helped(by, room("5"), values=True) for by in (FIRST.id, SECOND.id, SPECTATOR)} == {Say(HELP_VALUES)}
    assert helped(FIRST.id, room(WON), values=True) == Say(HELP_OVER)


@pytest.mark.parametrize("line", ["v", "values", " Values "])
def test_what_moves_are_worth_is_switched_on_and_off_by_anybody_at_any_time(line: str) -> None:
    for by in (FIRST.id, SECOND.id, SPECTATOR):
        for what in (room("5"), room(second=None), room(WON)):
            assert understand(seen(by, what), line) == understand(seen(by, what, values=True), line) == Switch()


def test_who_got_a_no_is_not_asked_again_and_leaves_with_anything() -> None:
    declined = seen(FIRST.id, room(WON), declined=True)
    assert question(declined) == "Enter leaves: "
    assert {understand(declined, line) for line in ("", "n", "y", "5")} == {Leave()}
    offered = seen(FIRST.id, after(room(WON), OfferRematch(SECOND.id, "next")), declined=True)
    assert question(offered) == "Play again? [y/N] "
    assert understand(offered, "y") == Send(asked("accept_rematch"))


def test_resigning_needs_a_game_and_a_seat() -> None:
    assert understand(seen(SECOND.id, room()), "resign") == Send(asked("resign"))
    assert isinstance(understand(seen(FIRST.id, room(second=None)), "resign"), Say)
    assert isinstance(understand(seen(SPECTATOR, room()), "resign"), Say)
    assert isinstance(understand(seen(SPECTATOR, room()), "1"), Say)


def test_after_the_end_one_plays_again_or_leaves() -> None:
    over = room(WON)
    assert understand(seen(SECOND.id, over), "y") == Send(asked("offer_rematch"))
    for line in ("", "n", "No"):
        assert understand(seen(SECOND.id, over), line) == Leave()
    assert isinstance(understand(seen(SECOND.id, over), "5"), Say)
    assert isinstance(understand(seen(SPECTATOR, over), "y"), Say)


def test_an_offer_is_accepted_or_declined_by_the_other_alone() -> None:
    offered = after(room(WON), OfferRematch(FIRST.id, "next"))
    assert understand(seen(SECOND.id, offered), "y") == Send(asked("accept_rematch"))
    assert understand(seen(SECOND.id, offered), "n") == Send(asked("decline_rematch"), leave=True)
    assert isinstance(understand(seen(FIRST.id, offered), "y"), Say)
    assert understand(seen(FIRST.id, offered), "n") == Leave()


def test_what_is_typed_between_two_games_waits_for_the_second() -> None:
    over = after(room(WON, second=COMPUTER), OfferRematch(FIRST.id, "next"))
    assert over.next == "next"
    answer = understand(seen(FIRST.id, over), "5")
    assert isinstance(answer, Say)
    assert answer.later
    between = after(after(room(WON), OfferRematch(FIRST.id, "next")), AcceptRematch(SECOND.id, "next"))
    assert isinstance(understand(seen(SECOND.id, between), "5"), Say)


def test_an_empty_cell_that_cannot_be_played_is_not_said_to_be_taken() -> None:
    reversi = seen(FIRST.id, room(game="reversi"))
    assert understand(reversi, "a1") == Say("a1 cannot be played now: type one of c4 d3 e6 f5.")
    assert understand(reversi, "d4") == Say("d4 is taken.")
    must_pass = seen(FIRST.id, room(["d3", "c3", "b3", "b2", "f5", "a3", "a1", "c1"], game="reversi"))
    assert understand(must_pass, "b1") == Say("b1 cannot be played now: type pass.")
    assert understand(must_pass, "pass") == Send(asked("play", turn=8, move="pass"))
    full = seen(FIRST.id, room("444444", game="connect4"))
    assert understand(full, "4") == Say("4 is full.")
    assert understand(seen(FIRST.id, room(game="gomoku")), "p16") == Say(
        "'p16' is not a move: type a move like a1, or h for help."
    )


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("draw", {"type": "offer_draw"}),
        ("takeback", {"type": "offer_takeback"}),
        ("/Takeback", {"type": "offer_takeback"}),
        ("abort", {"type": "abort"}),
        ("claim", {"type": "claim", "result": "win"}),
        ("claim win", {"type": "claim", "result": "win"}),
        ("claim draw", {"type": "claim", "result": "draw"}),
    ],
)
def test_what_players_can_ask_for(line: str, request_: dict[str, str]) -> None:
    for by in (FIRST.id, SECOND.id):
        assert understand(seen(by, room("51")), line) == Send({**request_, "room": "room1"})
    assert isinstance(understand(seen(SPECTATOR, room("51")), line), Say)
    assert isinstance(understand(seen(FIRST.id, room(second=None)), line), Say)


@pytest.mark.parametrize(
    ("line", "answer"), [("y", "accept"), ("accept", "accept"), ("n", "decline"), ("No", "decline")]
)
def test_an_offer_is_answered_in_a_word_the_last_one_first(line: str, answer: str) -> None:
    assert understand(seen(FIRST.id, room("51")), line) == Say("Nothing has been offered to you.")
    offered = after(room("51"), OfferDraw(FIRST.id))
    assert understand(seen(FIRST.id, offered), line) == Say("Nothing has been offered to you.")
    assert understand(seen(SECOND.id, offered), line) == Send(asked(f"{answer}_draw"))
    both = after(offered, OfferTakeback(FIRST.id))
    assert understand(seen(SECOND.id, both), line) == Send(asked(f"{answer}_takeback"))


def test_a_move_wins_over_a_command_of_the_same_name_which_takes_a_slash() -> None:
    words = [["draw", "q", "y"], ["say", "n", "resign"], ["h", "values", "'"]]
    table = any_game(words, ["..."] * 3, [])
    for word in ("draw", "q", "y", "say", "n", "resign", "h", "values"):
        assert understand(table, word) == Send(asked("play", turn=0, move=word))
    assert understand(table, "/draw") == Send(asked("offer_draw"))
    assert understand(table, "/q") == Leave()
    assert understand(table, "/values") == Switch()
    assert understand(table, "/say hello") == Send(asked("chat", text="hello"))


def test_anybody_can_say_something_at_any_time_in_words_of_their_own() -> None:
    for by in (FIRST.id, SECOND.id, SPECTATOR):
        for what in (room("5"), room(second=None), room(WON)):
            for line in ("'Hello, you!", "' Hello, you! ", "/say Hello, you!", "say  Hello, you!"):
                assert understand(seen(by, what), line) == Send(asked("chat", text="Hello, you!"))
            assert understand(seen(by, what), "'") == understand(seen(by, what), "/say")
            assert isinstance(understand(seen(by, what), "'"), Say)


def test_who_came_by_seeking_can_seek_again() -> None:
    sought = Wanted("tictactoe", None, rated=False)
    for what, fields in ((room(WON), {}), (room(WON), {"declined": True})):
        assert understand(seen(FIRST.id, what, sought=sought, **fields), "s") == Leave(seek=True)
        assert understand(seen(FIRST.id, what, sought=sought, **fields), "n") == Leave()
    assert understand(seen(FIRST.id, room(WON)), "s") == Say(HELP_OVER)
    assert understand(seen(FIRST.id, room(WON), sought=sought), "h") == Say(HELP_OVER + HELP_SEEK)
    assert isinstance(understand(seen(FIRST.id, room("5"), sought=sought), "s"), Say)
