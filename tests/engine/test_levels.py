import pickle
import random
import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from noughts.engine import (
    LEVELS,
    Analysis,
    Interrupt,
    Level,
    MoveValue,
    Textbook,
    choose,
    engine_of,
    levels_of,
    odds,
)
from noughts.engine.levels import expected_result, worse_moves
from noughts.games import GAMES, Heuristic, Position, Side
from walks import exact_best, exact_value, move_value, reachable

GAME = GAMES["tictactoe"]
ENGINE = Textbook(GAME)
PERFECT, HARD, MEDIUM, EASY = (LEVELS[name] for name in levels_of(GAME))
DOCS = Path(__file__).parents[2] / "docs" / "engine.md"
Mover = Callable[[Position], dict[str, float]]


@cache
def shares(position: Position, level: Level) -> dict[str, float]:
    return odds(ENGINE, position, level, Interrupt())


def mover(level: Level) -> Mover:
    return lambda position: shares(position, level)


def blind(position: Position) -> dict[str, float]:
    """Plays any move, all alike."""
    return dict.fromkeys(position.legal_moves, 1 / len(position.legal_moves))


def even(position: Position) -> int:
    return 0


PLAYERS: dict[str, Mover] = {name: mover(LEVELS[name]) for name in levels_of(GAME)} | {"random": blind}


def test_every_game_has_four_levels_and_the_strongest_is_named_for_what_it_is() -> None:
    for game in GAMES.values():
        assert levels_of(game) == ("perfect" if game.solved else "best", "hard", "medium", "easy")
        assert LEVELS.keys() > set(levels_of(game))


def test_perfect_plays_all_the_best_moves_and_no_other_at_every_position() -> None:
    # Best: wins as soon, loses as late as can be. This is from any position, also those it never lets happen.
    for position in reachable("tictactoe"):
        if position.to_move:
            assert set(shares(position, PERFECT)) == exact_best(position)


@pytest.mark.parametrize("seat", Side)
def test_perfect_never_loses_whatever_it_and_the_opponent_choose(seat: Side) -> None:
    results: Counter[Side | None] = Counter()

    def walk(position: Position) -> None:
        if position.outcome:
            results[position.outcome.winner] += 1
        elif position.to_move is seat:
            for move in shares(position, PERFECT):
                assert move_value(position, move) == exact_value(position) >= 0
                walk(position.play(move))
        else:
            for move in position.legal_moves:
                walk(position.play(move))

    walk(GAME.start)
    assert results[seat.other] == 0
    assert results[seat] > 0 < results[None]


@pytest.mark.parametrize("level", [PERFECT, HARD, MEDIUM, EASY])
def test_choose_plays_every_move_as_often_as_the_odds_say(level: Level) -> None:
    for text in ("xox/oox/...", "xo./.x./..o", "xx./oo./..."):
        position = GAME.parse(text)
        expected = shares(position, level)
        assert sum(expected.values()) == pytest.approx(1)
        rng = random.Random(1)
        drawn = Counter(choose(ENGINE, position, level, rng, Interrupt()) for _ in range(600))
        assert drawn.keys() == expected.keys()
        for move, probability in expected.items():
            assert drawn[move] / 600 == pytest.approx(probability, abs=0.05)


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        # Every level sees that 9 wins at once; from 2 plies on, that 7 loses at once. 8 draws.
        (PERFECT, {"9": 1}),
        (HARD, {"9": 0.95, "8": 0.05}),  # only what costs half a point
        (MEDIUM, {"9": 0.8, "7": 0.1, "8": 0.1}),
        (EASY, {"9": 0.5, "7": 0.25, "8": 0.25}),
    ],
)
def test_how_often_a_level_picks_a_worse_move_and_how_much_worse(level: Level, expected: dict[str, float]) -> None:
    assert shares(GAME.parse("xox/oox/..."), level) == pytest.approx(expected)


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
        moves = set(shares(position, replace(level, lapse=0)))
        sees = level.depth is None or level.depth >= depth
        assert (moves == best) == sees, name


def test_without_a_worse_move_there_is_no_lapse() -> None:
    assert shares(GAME.start, EASY) == pytest.approx(blind(GAME.start))
    assert shares(GAME.start, replace(PERFECT, lapse=1)) == pytest.approx(blind(GAME.start))
    only_draws_and_losses = GAME.parse("xo./.x./..o")
    assert set(shares(only_draws_and_losses, replace(PERFECT, lapse=1, slack=0))) == exact_best(only_draws_and_losses)


def test_what_a_move_may_cost_is_reckoned_by_the_unit_of_the_game() -> None:
    unit = 8
    game = replace(GAME, heuristic=Heuristic(even, unit))

    def estimate(value: int) -> MoveValue:
        return MoveValue(value, False, None, ())

    assert expected_result(game, estimate(0)) == 0.5
    assert expected_result(game, estimate(unit)) == pytest.approx(10 / 11)
    assert expected_result(game, estimate(-unit)) == pytest.approx(1 / 11)
    assert expected_result(game, estimate(10**9)) == pytest.approx(1)
    assert expected_result(game, estimate(-(10**9))) == pytest.approx(0)
    assert [expected_result(game, MoveValue(value, True, 9, ())) for value in (1, 0, -1)] == [1, 0.5, 0]
    moves = {"a1": estimate(unit), "b1": estimate(unit), "c1": estimate(0), "d1": estimate(-unit)}
    analysis = Analysis(unit, False, moves, ("a1", "b1"), 1, 1)
    assert worse_moves(game, analysis, 1) == ("c1", "d1")
    assert worse_moves(game, analysis, 0.5) == ("c1",)
    assert worse_moves(game, analysis, 0.4) == ()


def test_the_only_move_takes_no_search() -> None:
    def searched(position: Position) -> tuple[str, ...]:
        raise AssertionError(position)

    engine = Textbook(replace(GAME, heuristic=Heuristic(even, 1, searched)))
    position = GAME.parse("xox/oox/x.o")
    assert choose(engine, position, HARD, random.Random(1), Interrupt()) == "8"


def self_play(level: Level, seed: int) -> list[str]:
    rng = random.Random(seed)
    position, moves = GAME.start, list[str]()
    while position.to_move:
        moves.append(choose(ENGINE, position, level, rng, Interrupt()))
        position = position.play(moves[-1])
    return moves


@pytest.mark.parametrize("level", [PERFECT, HARD, MEDIUM, EASY])
def test_the_seed_decides_the_game(level: Level) -> None:
    games = [self_play(level, seed) for seed in range(5)]
    assert games == [self_play(level, seed) for seed in range(5)]
    assert len({tuple(game) for game in games}) > 3


def results(player: str, opponent: str) -> tuple[float, float, float]:
    """The exact probabilities that ``player`` wins, draws and loses, when either begins every other game."""

    def play_out(side: Side) -> tuple[float, float, float]:
        @cache
        def expected(position: Position) -> tuple[float, float, float]:
            if position.outcome:
                winner = position.outcome.winner
                return float(winner is side), float(winner is None), float(winner is side.other)
            moves = PLAYERS[player if position.to_move is side else opponent](position)
            after = [(share, expected(position.play(move))) for move, share in moves.items()]
            win, draw, loss = (sum(share * each[index] for share, each in after) for index in range(3))
            return win, draw, loss

        return expected(GAME.start)

    win, draw, loss = (sum(pair) / 2 for pair in zip(play_out(Side.FIRST), play_out(Side.SECOND), strict=True))
    return win, draw, loss


def table(title: str) -> dict[str, list[str]]:
    """The table of the docs whose first heading is ``title``: the cells of each row after its first."""
    _, _, rest = DOCS.read_text().partition(f"| {title} |")
    rows = [re.split(r" *\| *", line)[1:-1] for line in rest.partition("\n\n")[0].splitlines()[2:]]
    return {row[0].strip("`"): row[1:] for row in rows}


def test_the_results_that_the_docs_give() -> None:
    given = table("wins / draws / losses of")
    assert given.keys() == set(levels_of(GAME))
    for player, cells in given.items():
        for opponent, cell in zip([*reversed(levels_of(GAME)), "random"], cells, strict=True):
            percent = [100 * share for share in results(player, opponent)]
            assert cell == " / ".join(f"{share:.1f}" for share in percent), (player, opponent)


def test_each_level_beats_the_one_below_and_perfect_never_loses() -> None:
    for player, below in pairwise(PLAYERS):
        win, draw, loss = results(player, below)
        assert win + draw + loss == pytest.approx(1)
        assert win > loss + 0.1, (player, below)
    assert all(results("perfect", opponent)[2] == 0 for opponent in PLAYERS)


def lapses(player: str, opponent: str) -> tuple[float, float, float]:
    """Of the moves of ``player`` where there is a choice, by their true value: the shares of those that
    keep the result, that give away half a point, and that give away a whole one.
    """
    costs: dict[int, float] = dict.fromkeys(range(3), 0.0)

    def result(value: int) -> int:
        return (value > 0) - (value < 0)

    for side in Side:
        ahead: dict[Position, float] = {GAME.start: 1.0}
        while ahead:
            after: dict[Position, float] = {}
            for position, chance in ahead.items():
                values = {move: result(move_value(position, move)) for move in position.legal_moves}
                moves = PLAYERS[player if position.to_move is side else opponent](position)
                for move, share in moves.items():
                    if position.to_move is side and len(set(values.values())) > 1:
                        costs[max(values.values()) - values[move]] += chance * share
                    if not position.play(move).outcome:
                        after[position.play(move)] = after.get(position.play(move), 0) + chance * share
            ahead = after
    total = sum(costs.values())
    return costs[0] / total, costs[1] / total, costs[2] / total


def test_how_often_and_how_much_a_worse_move_is_picked_is_as_the_docs_give_it() -> None:
    given = table("level, against itself")
    assert given.keys() == set(levels_of(GAME))
    for player, cells in given.items():
        assert cells == [f"{100 * share:.1f}" for share in lapses(player, player)], player


def test_a_finished_game_leaves_nothing_to_choose() -> None:
    over = GAME.parse("xxx/oo./...")
    with pytest.raises(ValueError, match="over"):
        choose(ENGINE, over, PERFECT, random.Random(1), Interrupt())
    with pytest.raises(ValueError, match="over"):
        odds(ENGINE, over, PERFECT, Interrupt())


def some_positions(key: str) -> list[Position]:
    """The start of a game, and what comes of random moves."""
    rng = random.Random(5)
    positions = [GAMES[key].start]
    while len(positions) < 20 and positions[-1].to_move:
        positions.append(positions[-1].play(rng.choice(positions[-1].legal_moves)))
    return [position for position in positions[::6] if position.to_move]


@pytest.mark.parametrize("name", ["hard", "medium", "easy"])
@pytest.mark.parametrize("key", GAMES)
def test_every_game_is_played_in_time(key: str, name: str) -> None:
    engine = engine_of(GAMES[key])
    for position in some_positions(key):
        stop = Interrupt()
        clock = threading.Timer(LEVELS[name].seconds, stop.set)
        clock.start()
        try:
            assert choose(engine, position, replace(LEVELS[name], lapse=0.5), random.Random(3), stop) in (
                position.legal_moves
            )
        finally:
            clock.cancel()


def test_who_is_stopped_at_once_still_moves() -> None:
    for game in GAMES.values():
        stop = Interrupt()
        stop.set()
        for name in levels_of(game):
            assert choose(engine_of(game), game.start, LEVELS[name], random.Random(1), stop) in game.start.legal_moves


@pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)
def test_a_level_can_be_sent_to_another_process(level: Level) -> None:
    assert pickle.loads(pickle.dumps(level)) == level
