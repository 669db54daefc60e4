from dataclasses import replace
from typing import Any

import pytest

from noughts.rooms import AcceptRematch, OfferDraw, OfferRematch, OfferTakeback, Room
from noughts_client.terminal.input import (
    HELP,
    HELP_NO_REMATCH,
    HELP_OVER,
    HELP_SEEK,
    HELP_VALUES,
    HELP_WAITING,
    HELP_WATCHING,
    Ask,
    Help,
    Leave,
    Say,
    Send,
    ToggleValues,
    help_text,
    parse,
)
from noughts_client.terminal.status import prompt
from noughts_client.terminal.table import SeekTerms
from support.viewed import COMPUTER, FIRST, SECOND, SPECTATOR, after, any_game, room, seen

WON = "14253"


def request(kind: str, **fields: object) -> dict[str, object]:
    return {"type": kind, "room": "room1", **fields}


def test_a_number_is_a_move() -> None:
    table = seen(SECOND.id, room("5"))
    assert parse(table, " 1 ") == Send(request("play", turn=1, move="1"))


def test_numpad_numbers_are_converted() -> None:
    table = seen(SECOND.id, room("5"), numpad=True)
    assert parse(table, "7") == Send(request("play", turn=1, move="1"))
    taken = seen(SECOND.id, room("1"), numpad=True)
    assert parse(taken, "7") == Say("7 is taken.")


def test_a_move_can_be_typed_in_capitals() -> None:
    layout = [[f"{column}{row}" for column in "abcd"] for row in range(1, 5)]
    table = any_game(layout, ["...."] * 4, [])
    assert parse(table, "C4") == Send(request("play", turn=0, move="c4"))
    wrong = parse(table, "e1")
    assert isinstance(wrong, Say)
    assert "a move like a1" in wrong.text


def test_moves_with_capitals_can_be_typed_exactly_or_in_any_case() -> None:
    table = any_game([["Nf3", "Rook", "Ab"], ["aB", "Draw", "d4"]], ["...", "..."], [])

    def played(move: str) -> Send:
        return Send(request("play", turn=0, move=move))

    assert parse(table, "Nf3") == parse(table, "nf3") == parse(table, "NF3") == played("Nf3")
    assert parse(table, "D4") == played("d4")
    assert parse(table, "Ab") == played("Ab")
    assert parse(table, "aB") == played("aB")
    assert parse(table, "ab") == Say("ab could be Ab or aB: type it with the same capitals.")
    assert parse(table, "draw") == played("Draw")
    assert parse(table, "/DRAW") == Send(request("offer_draw"))
    assert parse(table, "RESIGN") == Ask(request("resign"))
    taken = any_game([["Nf3", "Rook"]], ["x."], ["Nf3"], legal_moves=["Rook"])
    assert parse(taken, "nf3") == Say("nf3 is taken.")


def test_aborting_a_game_of_a_tournament_asks_first() -> None:
    usual = seen(FIRST.id, room())
    assert parse(usual, "abort") == Send(request("abort"))
    table = replace(usual, options={**usual.options, "tournament": "t1"})
    assert parse(table, "abort") == Ask(request("abort"))
    asked = replace(table, resigning="abort")
    assert prompt(asked) == "You lose the point of this game. Forfeit it? [y/N] "
    assert (parse(asked, "n"), parse(asked, "y")) == (Say("You play on."), Send(request("abort")))
    assert len(help_text(table)) == len(help_text(usual)) + 1


@pytest.mark.parametrize("line", ["0", "10", "55", "-1", "x", "5.", "\x1b[A", "\uff15"])
def test_a_line_that_is_not_a_move_gets_the_legal_moves(line: str) -> None:
    answer = parse(seen(FIRST.id, room("51")), line)
    assert isinstance(answer, Say)
    assert "type one of 2 3 4 6 7 8 9" in answer.text
    assert "\x1b" not in answer.text
    assert not answer.later


def test_a_pit_of_the_other_side_is_not_reported_as_taken() -> None:
    pits = any_game([["a2"], ["a1"]], ["n", "s"], [], legal_moves=["a1"], counts=[[4], [4]])
    assert parse(pits, "a2") == Send({"type": "play", "room": "room1", "turn": 0, "move": "a2"})


def test_a_taken_cell_is_reported() -> None:
    assert parse(seen(FIRST.id, room("51")), "1") == Say("1 is taken.")


def test_a_move_that_comes_too_early_may_be_valid_later() -> None:
    for table in (seen(FIRST.id, room("5")), seen(FIRST.id, room(second=None))):
        answer = parse(table, "1")
        assert isinstance(answer, Say)
        assert answer.later


def test_help_and_leave_are_always_possible() -> None:
    for by in (FIRST.id, SECOND.id, SPECTATOR):
        table = seen(by, room())
        assert parse(table, "h") == parse(table, "?") == parse(table, "rules") == Help()
        assert parse(table, "q") == parse(table, "QUIT") == Leave()
        assert parse(table, "") == Say("")


def test_help_fits_the_situation() -> None:
    def helped(by: str, what: Room, **fields: Any) -> list[str]:
        return help_text(seen(by, what, **fields))

    assert helped(FIRST.id, room()) == [HELP]
    assert helped(FIRST.id, room(second=None)) == [HELP_WAITING]
    assert helped(FIRST.id, room(WON)) == [HELP_OVER]
    assert helped(FIRST.id, room(WON), rematch_declined=True) == [HELP_NO_REMATCH]
    assert [helped(SPECTATOR, what) for what in (room(), room(second=None), room(WON))] == [[HELP_WATCHING]] * 3
    assert helped(SPECTATOR, room("5"), values=True) == [HELP_WATCHING, HELP_VALUES]
    assert helped(FIRST.id, room("5"), values=True) == [HELP, HELP_VALUES]
    assert helped(FIRST.id, room(WON), values=True) == [HELP_OVER]


def test_the_help_is_left_with_enter_or_q_or_by_a_move() -> None:
    table = seen(FIRST.id, room(), helping=True)
    assert prompt(table) == "Enter to go back: "
    assert parse(table, "") == parse(table, "q") == Say("")
    assert parse(table, "5") == Send(request("play", turn=0, move="5"))


@pytest.mark.parametrize("line", ["v", "values", " Values "])
def test_values_can_be_toggled_at_any_time(line: str) -> None:
    for by in (FIRST.id, SECOND.id, SPECTATOR):
        for what in (room("5"), room(second=None), room(WON)):
            assert parse(seen(by, what), line) == parse(seen(by, what, values=True), line) == ToggleValues()


def test_after_a_declined_rematch_any_line_leaves() -> None:
    declined = seen(FIRST.id, room(WON), rematch_declined=True)
    assert prompt(declined) == "Enter to leave: "
    assert {parse(declined, line) for line in ("", "n", "y", "5")} == {Leave()}
    offered = seen(FIRST.id, after(room(WON), OfferRematch(SECOND.id, "next")), rematch_declined=True)
    assert prompt(offered) == "Play again? [y/N] "
    assert parse(offered, "y") == Send(request("accept_rematch"))


def test_only_a_player_in_a_game_can_resign() -> None:
    assert parse(seen(SECOND.id, room()), "resign") == Ask(request("resign"))
    assert isinstance(parse(seen(FIRST.id, room(second=None)), "resign"), Say)
    assert isinstance(parse(seen(SPECTATOR, room()), "resign"), Say)
    assert isinstance(parse(seen(SPECTATOR, room()), "1"), Say)


def test_a_player_is_asked_before_resigning() -> None:
    asked = seen(SECOND.id, room("5"), resigning="resign")
    assert prompt(asked) == "Resign this game? [y/N] "
    assert parse(asked, "y") == parse(asked, "Yes") == Send(request("resign"))
    assert parse(asked, "") == parse(asked, "n") == Say("You play on.")
    assert parse(asked, "1") == Send(request("play", turn=1, move="1"))
    assert parse(asked, "q") == Leave()
    offered = seen(SECOND.id, after(room("51"), OfferDraw(FIRST.id)), resigning="resign")
    assert parse(offered, "n") == Say("You play on."), "not an answer to the offer"
    over = seen(SECOND.id, room(WON))
    assert not replace(asked, resigning="resign").updated(9, over.state).resigning


def test_after_the_end_a_player_plays_again_or_leaves() -> None:
    over = room(WON)
    assert parse(seen(SECOND.id, over), "y") == Send(request("offer_rematch"))
    for line in ("", "n", "No"):
        assert parse(seen(SECOND.id, over), line) == Leave()
    assert isinstance(parse(seen(SECOND.id, over), "5"), Say)
    assert isinstance(parse(seen(SPECTATOR, over), "y"), Say)


def test_only_the_opponent_answers_a_rematch_offer() -> None:
    offered = after(room(WON), OfferRematch(FIRST.id, "next"))
    assert parse(seen(SECOND.id, offered), "y") == Send(request("accept_rematch"))
    assert parse(seen(SECOND.id, offered), "n") == Send(request("decline_rematch"), leave=True)
    assert isinstance(parse(seen(FIRST.id, offered), "y"), Say)
    assert parse(seen(FIRST.id, offered), "n") == Send(request("decline_rematch"), leave=True), "it is withdrawn"
    assert parse(seen(FIRST.id, room(WON)), "n") == Leave()


def test_a_line_typed_between_two_games_waits_for_the_second() -> None:
    over = after(room(WON, second=COMPUTER), OfferRematch(FIRST.id, "next"))
    assert over.next == "next"
    answer = parse(seen(FIRST.id, over), "5")
    assert isinstance(answer, Say)
    assert answer.later
    between = after(after(room(WON), OfferRematch(FIRST.id, "next")), AcceptRematch(SECOND.id, "next"))
    assert isinstance(parse(seen(SECOND.id, between), "5"), Say)


def test_an_empty_cell_that_is_illegal_is_not_reported_as_taken() -> None:
    reversi = seen(FIRST.id, room(game="reversi"))
    assert parse(reversi, "A1") == Send(request("play", turn=0, move="a1")), "the server says why it is refused"
    assert parse(reversi, "d4") == Say("d4 is taken.")
    must_pass = seen(FIRST.id, room(["d3", "c3", "b3", "b2", "f5", "a3", "a1", "c1"], game="reversi"))
    assert parse(must_pass, "b1") == Send(request("play", turn=8, move="b1"))
    assert parse(must_pass, "x") == Say("'x' is not a move: type pass, or h for help.")
    assert parse(must_pass, "pass") == Send(request("play", turn=8, move="pass"))
    full = seen(FIRST.id, room("444444", game="connect4"))
    assert parse(full, "4") == Say("4 is full.")
    assert parse(seen(FIRST.id, room(game="gomoku")), "p16") == Say(
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
def test_commands_of_players(line: str, request_: dict[str, str]) -> None:
    for by in (FIRST.id, SECOND.id):
        assert parse(seen(by, room("51")), line) == Send({**request_, "room": "room1"})
    assert isinstance(parse(seen(SPECTATOR, room("51")), line), Say)
    assert isinstance(parse(seen(FIRST.id, room(second=None)), line), Say)


def test_a_player_can_mute_and_report_an_opponent() -> None:
    table = seen(FIRST.id, room("51"))
    assert table.opponent is not None
    player = table.opponent["id"]
    assert sent(parse(table, "mute")) == {"type": "mute", "player": player}
    assert sent(parse(table, "/Unmute")) == {"type": "mute", "player": player, "muted": False}
    assert sent(parse(table, "report He cheats")) == request("report", player=player, reason="He cheats")
    assert parse(table, "report") == Say("Type the reason, too: report REASON.")
    assert sent(parse(seen(FIRST.id, room("14253")), "mute")) == {"type": "mute", "player": player}, (
        "after the end, too"
    )
    for other in (seen(SPECTATOR, room("51")), seen(FIRST.id, room(second=COMPUTER))):
        assert isinstance(parse(other, "mute"), Say)


def sent(action: object) -> dict[str, Any]:
    assert isinstance(action, Send)
    assert action.done
    return action.request


@pytest.mark.parametrize(
    ("line", "answer"), [("y", "accept"), ("accept", "accept"), ("n", "decline"), ("No", "decline")]
)
def test_the_last_offer_is_answered_first(line: str, answer: str) -> None:
    assert parse(seen(FIRST.id, room("51")), line) == Say("There is no offer to answer.")
    offered = after(room("51"), OfferDraw(FIRST.id))
    own = Send(request("decline_draw")) if answer == "decline" else Say("There is no offer to answer.")
    assert parse(seen(FIRST.id, offered), line) == own
    assert parse(seen(SPECTATOR, offered), line) == Say(HELP_WATCHING)
    assert parse(seen(SECOND.id, offered), line) == Send(request(f"{answer}_draw"))
    both = after(offered, OfferTakeback(FIRST.id))
    assert parse(seen(SECOND.id, both), line) == Send(request(f"{answer}_takeback"))


def test_a_move_takes_precedence_over_a_command_without_a_slash() -> None:
    words = [["draw", "q", "y"], ["say", "n", "resign"], ["h", "values", "'"]]
    table = any_game(words, ["..."] * 3, [])
    for word in ("draw", "q", "y", "say", "n", "resign", "h", "values"):
        assert parse(table, word) == Send(request("play", turn=0, move=word))
    assert parse(table, "/draw") == Send(request("offer_draw"))
    assert parse(table, "/q") == Leave()
    assert parse(table, "/values") == ToggleValues()
    assert parse(table, "/say hello") == Send(request("chat", text="hello"))


def test_chat_is_possible_at_any_time() -> None:
    for by in (FIRST.id, SECOND.id, SPECTATOR):
        for what in (room("5"), room(second=None), room(WON)):
            for line in ("'Hello, you!", "' Hello, you! ", "/say Hello, you!", "say  Hello, you!"):
                assert parse(seen(by, what), line) == Send(request("chat", text="Hello, you!"))
            assert parse(seen(by, what), "'") == parse(seen(by, what), "/say")
            assert isinstance(parse(seen(by, what), "'"), Say)


def test_a_player_who_came_by_a_seek_can_seek_again() -> None:
    seek = SeekTerms("tictactoe", None, rated=False)
    for what, fields in ((room(WON), {}), (room(WON), {"rematch_declined": True})):
        assert parse(seen(FIRST.id, what, seek=seek, **fields), "s") == Leave(seek=True)
        assert parse(seen(FIRST.id, what, seek=seek, **fields), "n") == Leave()
    assert parse(seen(FIRST.id, room(WON)), "s") == Say(HELP_OVER)
    assert help_text(seen(FIRST.id, room(WON), seek=seek)) == [HELP_OVER + HELP_SEEK]
    assert isinstance(parse(seen(FIRST.id, room("5"), seek=seek), "s"), Say)
