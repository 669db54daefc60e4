"""The parts of a room that a game adds: its setup, names of moves as people type them, and draws by the rules."""

from __future__ import annotations

import pytest

from noughts.games import GAMES, Outcome, Side
from noughts.games.catalogue import Setup, set_up
from noughts.rooms import (
    AcceptRematch,
    AcceptTakeback,
    ClaimDraw,
    Ended,
    Fischer,
    NoChange,
    OfferRematch,
    OfferTakeback,
    Open,
    Opened,
    Options,
    Play,
    Player,
    Resign,
    Room,
    decide,
    evolve,
    rematch_of,
)
from noughts.rooms.validate import is_valid
from support.rooms import ANN, BEN, MINIMAX, after, event_of, refusal

QUIET = "8/8/4k3/8/8/4K3/8/R7 w - - 99 80"
PLAIN, TIMED = Options(), Options(clock=Fischer(180_000, 2000))


def opened(game: str, setup: Setup = (), second: Player | None = BEN, options: Options = PLAIN) -> Room:
    return evolve(None, event_of(None, Open("room", game, "p-ann", ANN, second, options, setup=setup), 1000))


def playing(game: str, *moves: str, setup: Setup = ()) -> Room:
    """The room after these moves, as people type them."""
    room = opened(game, setup)
    for move in moves:
        room = after(room, Play("p-ann" if room.to_move is Side.FIRST else "p-ben", room.turn, move), now=2000)
    return room


def test_a_room_is_set_up_as_its_opener_chooses() -> None:
    event = event_of(None, Open("room", "kalah", "p-ann", ANN, BEN, TIMED, setup=(("seeds", "3"), ("pits", 6))), 1000)
    assert isinstance(event, Opened)
    assert (event.setup, event.rules) == ((("seeds", 3),), 1)
    assert evolve(None, event).game is set_up("kalah", [("seeds", 3)])
    assert is_valid(None, event)
    usual = event_of(None, Open("room", "kalah", "p-ann", ANN, BEN, TIMED, setup=(("pits", 6),)), 1000)
    assert isinstance(usual, Opened)
    assert usual.setup == ()
    assert evolve(None, usual).game is GAMES["kalah"]


@pytest.mark.parametrize(
    ("game", "setup", "code", "words"),
    [
        ("shogi", (), "unknown_game", "There is no game 'shogi'."),
        ("shogi", (("size", 6),), "unknown_game", "There is no game 'shogi'."),
        ("tictactoe", (("size", 6),), "not_allowed", "Tic-tac-toe has no option 'size'. It has no options."),
        ("dots", (("size", 100),), "not_allowed", "Dots and Boxes: Boxes of each side is one of "),
        ("chess", (("start", "k"),), "not_allowed", "A position is a FEN"),
    ],
)
def test_a_setup_that_the_game_does_not_have_is_refused(game: str, setup: Setup, code: str, words: str) -> None:
    answer = refusal_of(Open("room", game, "p-ann", ANN, BEN, Options(), setup=setup))
    assert answer[0] == code
    assert answer[1].startswith(words)


def refusal_of(command: Open) -> tuple[str, str]:
    return refusal(None, command, 1000)  # type: ignore[arg-type]  # there is no room yet


def test_a_rated_game_is_set_up_as_usual() -> None:
    ann, ben = (Player(one.id, one.name, one.kind, registered=True) for one in (ANN, BEN))
    rated = Options(clock=Fischer(180_000, 2000), rated=True)
    command = Open("room", "breakthrough", "p-ann", ann, ben, rated, setup=(("size", 6),))
    assert refusal_of(command) == ("not_allowed", "A rated game is set up as usual.")
    usual = Open("room", "breakthrough", "p-ann", ann, ben, rated, setup=(("size", 8),))
    assert evolve(None, event_of(None, usual, 1000)).rated


def test_a_rematch_keeps_the_setup() -> None:
    room = after(opened("breakthrough", (("size", 5),)), Resign("p-ann"), now=2000)
    room = after(room, OfferRematch("p-ann", "next"), AcceptRematch("p-ben", "next"), now=3000)
    again = rematch_of(room, 3000)
    assert again.setup == (("size", 5),)
    assert evolve(None, again).game is room.game


@pytest.mark.parametrize(
    ("game", "before", "typed", "move"),
    [
        ("chess", (), ("g1f3", "Nf3", " Nf3! "), "g1f3"),
        ("chess", ("e4", "d5"), ("e4d5", "exd5", "ed5", "exd5+!"), "e4d5"),
        ("draughts", ("11-15", "23-19"), ("8-11", "8 11"), "8-11"),
    ],
)
def test_a_move_is_read_as_people_type_it_and_repeating_it_changes_nothing(
    game: str, before: tuple[str, ...], typed: tuple[str, ...], move: str
) -> None:
    room, player = playing(game, *before), "p-ann"
    for text in typed:
        played = after(room, Play(player, room.turn, text), now=2000)
        assert played.plies[-1].move == move
        assert played.plies[-1].name == room.game.name(room.position, move)
        for again in (text, move, played.plies[-1].name):
            assert decide(played, Play(player, room.turn, again), 3000) == NoChange(played.version)
        assert refusal(played, Play(player, room.turn, "0"), 3000)[0] == "stale"
        assert refusal(played, Play("p-ben", room.turn, text), 3000)[0] == "stale"


def test_a_move_with_another_meaning_now_still_repeats_the_one_before() -> None:
    room = playing("chess", "e4", "e5", "Nf3", "Nf6")
    assert decide(room, Play("p-ben", 3, "Nf6"), 3000) == NoChange(room.version)
    assert refusal(room, Play("p-ben", 3, "Nc6"), 3000)[0] == "stale"


def test_a_wrong_name_is_answered_with_the_legal_moves() -> None:
    room = opened("chess")
    assert refusal(room, Play("p-ann", 0, "Nf4"), 2000) == ("illegal_move", "no knight of yours can go to f4 now")
    assert refusal(room, Play("p-ann", 0, "knight"), 2000)[0] == "malformed_move"
    code, why = refusal(room, Play("p-ann", 0, "e2e5"), 2000)
    assert (code, why) == ("illegal_move", "the pawn on e2 cannot go to e5")


def test_a_draw_can_be_claimed_for_the_reason_that_the_rules_give() -> None:
    room = playing("chess", "Ra2", setup=(("start", QUIET),))
    assert room.claimable_draw == "fifty_moves"
    event = event_of(room, ClaimDraw("p-ben"), 3000)
    assert event == Ended(3000, Side.SECOND, Outcome(None, "fifty_moves"))
    assert is_valid(room, event)
    over = evolve(room, event)
    assert (over.status, over.claimable_draw) == ("over", None)
    assert refusal(over, ClaimDraw("p-ben"), 4000)[0] == "game_over"
    shuffle = ("Nf3", "Nf6", "Ng1", "Ng8") * 2
    assert playing("chess", *shuffle[:-1]).claimable_draw is None
    assert playing("chess", *shuffle).claimable_draw == "repetition"


def test_claims_of_a_draw_that_are_refused() -> None:
    room = opened("chess")
    answer = ("not_allowed", "The rules of the game do not let you claim a draw in this position.")
    assert refusal(room, ClaimDraw("p-ann"), 2000) == answer
    assert refusal(opened("tictactoe"), ClaimDraw("p-ann"), 2000) == answer
    claimable = playing("chess", "Ra2", setup=(("start", QUIET),))
    assert refusal(claimable, ClaimDraw("p-ann"), 3000) == (
        "not_your_turn",
        "You can claim a draw when it is your turn.",
    )
    assert refusal(claimable, ClaimDraw("p-eve"), 3000)[0] == "not_seated"
    waiting = opened("chess", (("start", QUIET),), second=None)
    assert refusal(waiting, ClaimDraw("p-ann"), 3000) == refusal(waiting, Resign("p-ann"), 3000)


@pytest.mark.parametrize("reason", ["repetition", "draw", "checkmate"])
def test_a_record_of_a_claim_must_have_the_right_reason(reason: str) -> None:
    room = playing("chess", "Ra2", setup=(("start", QUIET),))
    assert not is_valid(room, Ended(3000, Side.SECOND, Outcome(None, reason)))
    assert not is_valid(room, Ended(3000, Side.FIRST, Outcome(None, "fifty_moves")))


def test_a_takeback_takes_the_right_to_claim_back() -> None:
    room = playing("chess", "Ra2", "Kd6", setup=(("start", QUIET),))
    assert room.claimable_draw == "fifty_moves"
    room = after(room, OfferTakeback("p-ann"), AcceptTakeback("p-ben"), now=3000)
    assert room.to_move is Side.FIRST
    assert room.claimable_draw is None


def test_a_side_that_moves_again_keeps_the_turn() -> None:
    room = after(opened("kalah"), Play("p-ann", 0, "c1"), now=2000)
    assert (room.to_move, room.turn) == (Side.FIRST, 1)
    assert refusal(room, Play("p-ben", 1, "a2"), 3000)[0] == "not_your_turn"
    assert after(room, Play("p-ann", 1, "a1"), now=3000).to_move is Side.SECOND
    assert opened("kalah", second=MINIMAX).computer_to_move is None
