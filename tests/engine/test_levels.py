import pickle
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from noughts.engine import LEVELS, Level, Stopped, choose, minimax, odds
from noughts.games import GAMES, Position, Side
from walks import exact_best, exact_value, move_value, reachable

GAME = GAMES["tictactoe"]
PERFECT, HARD, MEDIUM, EASY = (LEVELS[name] for name in ("perfect", "hard", "medium", "easy"))
Mover = Callable[[Position], dict[str, float]]


def mover(level: Level) -> Mover:
    return cache(lambda position: odds(position, level))


def blind(position: Position) -> dict[str, float]:
    """Plays any move, all alike."""
    return dict.fromkeys(position.legal_moves, 1 / len(position.legal_moves))


def test_perfect_plays_all_the_best_moves_and_no_other_at_every_position() -> None:
    # Best: wins as soon, loses as late as can be. This is from any position, also those it never lets happen.
    for position in reachable("tictactoe"):
        if position.to_move:
            assert set(odds(position, PERFECT)) == exact_best(position)


@pytest.mark.parametrize("seat", Side)
def test_perfect_never_loses_whatever_it_and_the_opponent_choose(seat: Side) -> None:
    perfect = mover(PERFECT)
    results: Counter[Side | None] = Counter()

    def walk(position: Position) -> None:
        if position.outcome:
            results[position.outcome.winner] += 1
        elif position.to_move is seat:
            for move in perfect(position):
                assert move_value(position, move) == exact_value(position) >= 0
                walk(position.play(move))
        else:
            for move in position.legal_moves:
                walk(position.play(move))

    walk(GAME.start)
    assert results[seat.other] == 0
    assert results[seat] > 0 < results[None]


@pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)
def test_choose_plays_every_move_as_often_as_the_odds_say(level: Level) -> None:
    for text in ("xox/oox/...", "xo./.x./..o", "xx./oo./..."):
        position = GAME.parse(text)
        expected = odds(position, level)
        assert sum(expected.values()) == pytest.approx(1)
        rng = random.Random(1)
        drawn = Counter(choose(position, level, rng) for _ in range(2000))
        assert drawn.keys() == expected.keys()
        for move, probability in expected.items():
            assert drawn[move] / 2000 == pytest.approx(probability, abs=0.03)


@pytest.mark.parametrize(("level", "lapse"), [(PERFECT, 0), (HARD, 0.05), (MEDIUM, 0.2), (EASY, 0.5)])
def test_how_often_a_level_picks_a_lesser_move(level: Level, lapse: float) -> None:
    # Every level sees that 9 wins at once. The lesser moves are equally likely, also those that lose.
    position = GAME.parse("xox/oox/...")
    rng = random.Random(7)
    drawn = Counter(choose(position, level, rng) for _ in range(2000))
    assert (drawn["7"] + drawn["8"]) / 2000 == pytest.approx(lapse, abs=0.03)
    assert drawn["7"] / 2000 == pytest.approx(lapse / 2, abs=0.03)


@pytest.mark.parametrize(
    ("text", "best", "depth"),
    [
        ("xx./oo./...", {"3"}, 1),  # wins
        ("xx./.o./...", {"3"}, 2),  # keeps the opponent from winning
        ("x../.../..o", {"3", "7"}, 5),  # forks
        ("x../.o./..x", {"2", "4", "6", "8"}, 4),  # keeps out of the fork that a corner allows
        ("x../.../...", {"5"}, 6),  # keeps to the centre, since all else loses in the end
    ],
)
def test_how_far_a_level_looks_ahead(text: str, best: set[str], depth: int) -> None:
    position = GAME.parse(text)
    assert exact_best(position) == best
    for name, level in LEVELS.items():
        moves = set(odds(position, replace(level, lapse=0)))
        sees = level.depth is None or level.depth >= depth
        assert (moves == best) == sees, name


def test_without_a_better_move_there_is_no_lapse() -> None:
    assert odds(GAME.start, EASY) == pytest.approx(blind(GAME.start))
    assert odds(GAME.start, replace(PERFECT, lapse=1)) == pytest.approx(blind(GAME.start))


def self_play(level: Level, seed: int) -> list[str]:
    rng = random.Random(seed)
    position, moves = GAME.start, list[str]()
    while position.to_move:
        moves.append(choose(position, level, rng))
        position = position.play(moves[-1])
    return moves


@pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)
def test_the_seed_decides_the_game(level: Level) -> None:
    games = [self_play(level, seed) for seed in range(8)]
    assert games == [self_play(level, seed) for seed in range(8)]
    assert len({tuple(game) for game in games}) > 4


def results(level: Mover, opponent: Mover) -> tuple[float, float, float]:
    """The exact probabilities that ``level`` wins, draws and loses, when either begins every other game."""

    def play_out(level_side: Side) -> tuple[float, float, float]:
        @cache
        def expected(position: Position) -> tuple[float, float, float]:
            if position.outcome:
                winner = position.outcome.winner
                return float(winner is level_side), float(winner is None), float(winner is level_side.other)
            shares = (level if position.to_move is level_side else opponent)(position)
            after = [(share, expected(position.play(move))) for move, share in shares.items()]
            win, draw, loss = (sum(share * each[index] for share, each in after) for index in range(3))
            return win, draw, loss

        return expected(GAME.start)

    win, draw, loss = (sum(pair) / 2 for pair in zip(play_out(Side.FIRST), play_out(Side.SECOND), strict=True))
    return win, draw, loss


@pytest.mark.parametrize(
    ("level", "against_blind", "against_perfect"),
    [
        (PERFECT, (87.3, 12.7, 0.0), (0.0, 100.0, 0.0)),
        (HARD, (81.4, 13.1, 5.4), (0.0, 55.1, 44.9)),
        (MEDIUM, (69.5, 14.7, 15.8), (0.0, 38.5, 61.5)),
        (EASY, (50.0, 11.2, 38.8), (0.0, 12.7, 87.3)),
    ],
)
def test_the_results_that_the_docs_give(
    level: Level, against_blind: tuple[float, ...], against_perfect: tuple[float, ...]
) -> None:
    percent = [100 * share for share in results(mover(level), blind)]
    assert percent == pytest.approx(against_blind, abs=0.05)
    percent = [100 * share for share in results(mover(level), mover(PERFECT))]
    assert percent == pytest.approx(against_perfect, abs=0.05)


def test_a_finished_game_leaves_nothing_to_choose() -> None:
    with pytest.raises(ValueError, match="over"):
        choose(GAME.parse("xxx/oo./..."), PERFECT, random.Random(1))


def test_the_search_method_and_stop_reach_the_search() -> None:
    polls = Counter[str]()

    def count(method: str) -> Callable[[], bool]:
        def stop() -> bool:
            polls[method] += 1
            return False

        return stop

    plain = replace(PERFECT, search=minimax)
    assert odds(GAME.start, plain, count("plain")) == odds(GAME.start, PERFECT, count("pruned"))
    assert polls == {"plain": 135, "pruned": 9}  # 549,946 and 34,203 nodes, asked every 4096.
    with pytest.raises(Stopped):
        choose(GAME.start, plain, random.Random(1), stop=lambda: True)


@pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)
def test_a_level_can_be_sent_to_another_process(level: Level) -> None:
    assert pickle.loads(pickle.dumps(level)) == level
