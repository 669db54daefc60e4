import pickle
import random
from typing import Any

import pytest

from noughts.engine import Interrupt, Limits, Textbook
from noughts.games import GAMES, IllegalMove, InvalidPosition, MalformedMove, Outcome, Reason, Side
from noughts.games.catalogue import set_up
from noughts.games.kalah import KalahPosition, evaluate, noisy

GAME: Any = GAMES["kalah"]
SIZES = [(pits, seeds) for pits in (1, 2, 4, 6) for seeds in (1, 4, 6)]


def played(moves: str) -> Any:
    position = GAME.start
    for move in moves.split():
        position = position.play(move)
    return position


def test_south_sows_to_the_right_and_moves_again_after_a_seed_in_its_store() -> None:
    assert GAME.start.legal_moves == ("a1", "b1", "c1", "d1", "e1", "f1")
    again = played("c1")
    assert again.text == "4,4,0,5,5,5,1/4,4,4,4,4,4,0 first"
    assert (again.to_move, again.ply) == (Side.FIRST, 1)
    assert again.legal_moves == ("a1", "b1", "d1", "e1", "f1")
    after = again.play("f1")
    assert after.text == "4,4,0,5,5,0,2/5,5,5,5,4,4,0 second"
    assert after.legal_moves == ("a2", "b2", "c2", "d2", "e2", "f2")
    assert after.play("d2").text == "5,4,0,5,5,0,2/5,5,0,6,5,5,1 first"


def test_the_board_shows_what_is_where() -> None:
    position = played("c1 f1")
    assert GAME.layout == (("n", "a2", "b2", "c2", "d2", "e2", "f2", ""), ("", "a1", "b1", "c1", "d1", "e1", "f1", "s"))
    assert position.rows == (".nnnnnn ", " ss.ss.s")
    assert GAME.counts
    assert GAME.counts(position) == ((0, 4, 4, 5, 5, 5, 5, 0), (0, 4, 4, 0, 5, 5, 0, 2))
    assert GAME.score
    assert GAME.score(position) == (2, 0)


def test_sowing_skips_the_other_store() -> None:
    position = GAME.parse("0,1,0,0,0,8,9/1,1,1,1,1,1,24 first").play("f1")
    assert position.text == "0,1,0,0,0,0,13/2,2,2,2,2,0,24 second", "the last seed, on a1, captures those on a2"
    north = GAME.parse("1,1,1,1,1,1,24/0,1,0,0,0,8,9 second").play("a2")
    assert north.text == "2,2,2,2,2,0,24/0,1,0,0,0,0,13 first"


@pytest.mark.parametrize(
    ("before", "move", "after"),
    [
        ("1,0,0,0,0,1,20/0,0,0,0,5,1,20 first", "a1", "0,0,0,0,0,1,26/0,0,0,0,0,1,20 second"),
        ("1,0,0,0,0,1,20/5,0,0,0,0,1,20 first", "a1", "0,1,0,0,0,1,20/5,0,0,0,0,1,20 second"),  # nothing across
        ("1,1,0,0,0,1,19/0,0,0,0,5,1,20 first", "a1", "0,2,0,0,0,1,19/0,0,0,0,5,1,20 second"),  # not empty
        ("0,0,0,0,0,2,20/0,4,0,0,0,2,20 first", "f1", "0,0,0,0,0,0,21/0,0,0,0,0,0,27 second"),  # on the other side
        ("13,0,0,0,0,0,10/0,0,0,0,0,1,24 first", "a1", "0,1,1,1,1,1,14/1,1,1,1,1,0,24 second"),  # once around
    ],
)
def test_captures(before: str, move: str, after: str) -> None:
    """The last seed in an empty pit of the own side captures itself and the seeds across, if there are any."""
    assert GAME.parse(before).play(move).text == after


def test_the_game_ends_when_a_side_has_no_seeds_and_the_other_keeps_its_own() -> None:
    end = GAME.parse("0,0,0,0,0,1,20/4,0,0,0,0,3,20 first").play("f1")
    assert end.text == "0,0,0,0,0,0,21/0,0,0,0,0,0,27 first"
    assert end.outcome == Outcome(Side.SECOND, Reason.COUNT)
    assert (end.to_move, end.legal_moves) == (None, ())
    assert GAME.margin
    assert GAME.margin(end) == -6
    drawn = GAME.parse("0,0,0,0,0,1,23/4,0,0,0,0,0,20 first").play("f1")
    assert drawn.outcome == Outcome(None, Reason.COUNT)
    won = GAME.parse("0,0,0,0,1,1,25/1,0,0,0,0,0,20 first")
    assert won.outcome is None, "more than half does not end the game"
    with pytest.raises(IllegalMove, match="the game is over"):
        end.play("a1")


@pytest.mark.parametrize(
    ("move", "message"), [("a2", "pit a2 is not yours"), ("c1", "pit c1 is empty"), ("f2", "pit f2 is not yours")]
)
def test_a_refusal_says_why(move: str, message: str) -> None:
    with pytest.raises(IllegalMove, match=message):
        played("c1").play(move)


@pytest.mark.parametrize("move", ["", "s", "n", "g1", "a3", "a", "a11", "A1", "pass", "a1b1", 1, None])
def test_other_names_are_malformed(move: str) -> None:
    with pytest.raises(MalformedMove, match="a move is a pit, a1 to f1 for South or a2 to f2 for North"):
        GAME.start.play(move)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a position is"),
        (GAME.start.text.removesuffix(" first"), "a position is"),
        (f"{GAME.start.text} ", "a position is"),
        ("4,4,0/4,4,0 first", "4,4,4,4,4,4,0/4,4,4,4,4,4,0 first"),
        ("4,4,4,4,4,4,0/4,4,4,4,4,4,1 first", "there are 48 seeds"),
        ("0,0,0,0,0,0,24/4,4,4,4,4,4,0 first", "a side without seeds"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidPosition, match=message):
        GAME.parse(text)


@pytest.mark.parametrize(("pits", "seeds"), SIZES)
def test_random_games(pits: int, seeds: int) -> None:
    game = set_up("kalah", [("pits", pits), ("seeds", seeds)])
    names = {name for row in game.layout for name in row if len(name) == 2}
    for seed in range(4):
        rng, position, ply = random.Random(seed), game.start, 0
        while moves := position.legal_moves:
            assert isinstance(position, KalahPosition)
            assert sum(position.seeds) == 2 * pits * seeds
            assert position.ply == ply
            copy = pickle.loads(pickle.dumps(position))
            for same in (game.parse(position.text), copy):
                assert (same, hash(same), same.legal_moves) == (position, hash(position), moves)
            assert list(moves) == sorted(moves)
            assert set(noisy(position)) == {move for move in moves if _again(position, move)}
            for move in names - set(moves):
                with pytest.raises(IllegalMove):
                    position.play(move)
            position, ply = position.play(rng.choice(moves)), ply + 1
        assert position.outcome
        assert game.parse(position.text) == position


def _again(position: KalahPosition, move: str) -> bool:
    """True if the last seed of ``move`` falls into the mover's store."""
    order = ["a1", "b1", "c1", "d1", "e1", "f1"][: position.pits]
    order = [*order, "s", *[f"{name[0]}2" for name in reversed(order)], "n"]
    skipped = "n" if position.side is Side.FIRST else "s"
    order.remove(skipped)
    at = order.index(move)
    count = position.seeds[at if position.side is Side.FIRST else at + 1]
    return order[(at + count) % len(order)] in "sn"


# By exhaustive minimax without the engine.
VALUES = {(1, 1): 0, (1, 2): -2, (1, 3): 6, (1, 6): 0, (2, 1): 2, (2, 2): -2, (2, 3): -2, (2, 4): -10, (3, 1): 0}


@pytest.mark.parametrize(("size", "lead"), VALUES.items())
def test_the_search_finds_the_values_of_small_games(size: tuple[int, int], lead: int) -> None:
    game = set_up("kalah", zip(("pits", "seeds"), size, strict=True))
    analysis = Textbook(game).analyse(game.start, Limits(every_move=False), Interrupt())
    assert (analysis.exact, analysis.value) == (True, lead)


def test_the_estimate_is_that_of_the_side_to_move() -> None:
    south = GAME.parse("4,4,0,5,5,0,6/5,5,5,5,4,0,0 first")
    north = GAME.parse("5,5,5,5,4,0,0/4,4,0,5,5,0,6 second")
    assert evaluate(south) == evaluate(north) > 0 > evaluate(GAME.parse("5,5,5,5,4,0,0/4,4,0,5,5,0,6 first"))
