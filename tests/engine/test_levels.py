import pickle
import random
import re
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache, reduce
from itertools import pairwise
from pathlib import Path

import pytest

from bench.matches.pairs import Match, play_pair, totals
from noughts.engine import (
    LEVELS,
    Analysis,
    Bound,
    Engine,
    Interrupt,
    Level,
    Limits,
    MoveValue,
    Textbook,
    choose,
    engine_of,
    levels_of,
    odds,
)
from noughts.engine.levels import expected_result, near_moves, nearly_best, worse_moves
from noughts.games import GAMES, Heuristic, Position, Side
from noughts.games.catalogue import begin
from walks import exact_best, exact_value, move_value, reachable

GAME = GAMES["tictactoe"]
ENGINE = Textbook(GAME)
PERFECT, HARD, MEDIUM, EASY = (LEVELS[name] for name in levels_of(GAME))
RESULTS = Path(__file__).parents[2] / "bench" / "results.md"
Mover = Callable[[Position], dict[str, float]]


@cache
def shares(position: Position, level: Level) -> dict[str, float]:
    return odds(ENGINE, position, level, Interrupt())


def mover(level: Level) -> Mover:
    return lambda position: shares(position, level)


def blind(position: Position) -> dict[str, float]:
    """Plays every move with the same probability."""
    return dict.fromkeys(position.legal_moves, 1 / len(position.legal_moves))


def even(position: Position) -> int:
    return 0


PLAYERS: dict[str, Mover] = {name: mover(LEVELS[name]) for name in levels_of(GAME)} | {"random": blind}


def test_every_game_has_four_levels_and_the_strongest_is_perfect_or_best() -> None:
    for game in GAMES.values():
        assert levels_of(game) == ("perfect" if game.solved else "best", "hard", "medium", "easy")
        assert LEVELS.keys() > set(levels_of(game))


@pytest.mark.slow
def test_perfect_plays_exactly_the_best_moves_in_every_position() -> None:
    # Best means the quickest win or the latest loss, from any position, even those that it never allows.
    for position in reachable("tictactoe"):
        if position.to_move:
            assert set(shares(position, PERFECT)) == exact_best(position)


@pytest.mark.slow
@pytest.mark.parametrize("seat", Side)
def test_perfect_never_loses_in_any_game(seat: Side) -> None:
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


@pytest.mark.parametrize("level", [HARD, EASY])
def test_choose_follows_the_odds(level: Level) -> None:
    for text in ("xox/oox/...", "xo./.x./..o", "xx./oo./..."):
        position = GAME.parse(text)
        expected = shares(position, level)
        assert sum(expected.values()) == pytest.approx(1)
        rng = random.Random(1)
        drawn = Counter(choose(ENGINE, position, level, rng, Interrupt()) for _ in range(300))
        assert drawn.keys() == expected.keys()
        for move, probability in expected.items():
            assert drawn[move] / 300 == pytest.approx(probability, abs=0.07)


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        # Every level sees that 9 wins at once. From 2 plies on they see that 7 loses at once. 8 draws.
        (PERFECT, {"9": 1}),
        (HARD, {"9": 0.95, "8": 0.05}),  # only moves that cost half a point
        (MEDIUM, {"9": 0.8, "7": 0.1, "8": 0.1}),
        (EASY, {"9": 0.5, "7": 0.25, "8": 0.25}),
    ],
)
def test_the_odds_of_worse_moves(level: Level, expected: dict[str, float]) -> None:
    assert shares(GAME.parse("xox/oox/..."), level) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "best", "depth"),
    [
        ("xx./oo./...", {"3"}, 1),  # wins
        ("xx./.o./...", {"3"}, 2),  # stops the opponent from winning
        ("x../.../..o", {"3", "7"}, 5),  # forks
        ("x../.o./..x", {"2", "4", "6", "8"}, 4),  # avoids the fork that a corner allows
        ("x../.../...", {"5"}, 6),  # takes the centre, because everything else loses in the end
    ],
)
def test_the_depth_of_each_level(text: str, best: set[str], depth: int) -> None:
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


def test_the_cost_of_a_move_depends_on_the_unit_of_the_game() -> None:
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
    for value, bound, result in ((1, Bound.LOWER, 1), (-1, Bound.UPPER, 0), (0, Bound.UPPER, 0.5)):
        assert expected_result(game, MoveValue(value, False, None, (), bound=bound)) == result
    plain = replace(game, heuristic=None)
    assert [expected_result(plain, estimate(value)) for value in (99, 0, -99)] == [0.5, 0.5, 0.5]
    assert [expected_result(plain, MoveValue(value, True, 9, ())) for value in (1, 0, -1)] == [1, 0.5, 0]
    moves = {"a1": estimate(unit), "b1": estimate(unit), "c1": estimate(0), "d1": estimate(-unit)}
    analysis = Analysis(unit, False, moves, ("a1", "b1"), 1, 1)
    assert worse_moves(game, analysis, 1) == ("c1", "d1")
    assert worse_moves(game, analysis, 0.5) == ("c1",)
    assert worse_moves(game, analysis, 0.4) == ()


def test_a_slip_limits_what_a_lapse_gives_away() -> None:
    game = replace(GAME, heuristic=Heuristic(even, 500))

    def near(moves: dict[str, MoveValue], best: str, slack: float = 1) -> tuple[str, ...]:
        return near_moves(game, Analysis(0, False, moves, (best,), 1, 1), slack, 100)

    def estimate(value: int) -> MoveValue:
        return MoveValue(value, False, None, ())

    won, drawn, lost = (MoveValue(value, True, 3, ()) for value in (997, 0, -997))
    may_lose = MoveValue(-1, False, None, (), bound=Bound.UPPER)
    seen = {"a1": estimate(50), "b1": estimate(-50), "c1": estimate(-51), "d1": lost, "e1": may_lose}
    assert near(seen, "a1") == ("a1", "b1")
    # A proved draw counts as 0, a proved win as within reach if the slack allows it.
    assert near(seen | {"f1": drawn}, "a1") == ("a1", "b1", "f1")
    assert near({"a1": drawn, "b1": estimate(-100), "c1": estimate(-101), "d1": lost}, "a1") == ("a1", "b1")
    assert near(seen | {"f1": won}, "f1") == ("a1", "b1", "f1")
    assert near(seen | {"f1": won}, "f1", slack=0.45) == ("a1", "f1")
    # Without an estimate only the slack counts.
    assert near({"a1": won, "b1": lost}, "a1") == ("a1", "b1")
    assert near({"a1": lost, "b1": lost}, "a1") == ("a1", "b1")


@pytest.mark.parametrize("key", ["gomoku", "gomoku?opening=swap2"])
def test_no_lapse_in_gomoku_is_far_from_all_stones(key: str) -> None:
    game = begin(key)[0]
    for moves in ((), ("a1", "c2", "a3"), ("h8", "i9", "h9", "h10")):
        position = game.start
        stones = []
        for move in moves:
            position = position.play(move)
            stones.append(move)
        near = {
            f"{column}{row}"
            for stone in stones or ["h8"]
            for column in map(chr, range(ord(stone[0]) - 2, ord(stone[0]) + 3))
            for row in range(int(stone[1:]) - 2, int(stone[1:]) + 3)
        }
        played = odds(Textbook(game), position, LEVELS["easy"], Interrupt()).keys()
        cells = {move for move in played if move[1:].isdecimal()}
        assert len(cells) > 8
        assert cells <= near


@pytest.mark.parametrize(("name", "loses"), [("hard", 100), ("medium", 200), ("easy", 400)])
def test_no_lapse_in_chess_costs_a_rook(name: str, loses: int) -> None:
    chess = GAMES["chess"]
    engine = Textbook(chess)
    position = chess.parse("6bk/7p/8/8/2p5/7p/7P/3R3K w - - 0 20")  # the pawn on c4 guards b3 and d3
    found = engine.analyse(position, Limits(LEVELS[name].depth), Interrupt()).moves
    best = max(move.value for move in found.values())
    played = odds(engine, position, LEVELS[name], Interrupt())
    assert set(played) == {move for move, value in found.items() if value.value >= best - loses}
    assert best - found["d1d3"].value > 450
    assert sum(played.values()) == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize(("key", "pairs"), [("chess", 2), *((key, 30) for key in ("dots", "draughts", "kalah"))])
def test_easy_beats_random_moves(key: str, pairs: int) -> None:
    match = Match(key, "easy", "random", None, 2)
    won, drawn, lost = totals([play_pair(match, number) for number in range(pairs)])
    assert won + drawn / 2 >= 0.8 * (won + drawn + lost)


def by_last_move(position: Position) -> int:
    """For two plies from the start: each cell is worth a point more than the one before, for the side that took it."""
    symbol = "x" if position.ply % 2 else "o"
    return -"".join(position.rows).index(symbol)


def test_in_the_opening_a_level_also_plays_nearly_best_moves() -> None:
    heuristic = Heuristic(by_last_move, 1)
    level = Level(depth=1)
    after = GAME.start.play("5")
    for opening, spread, at_first, then in (
        (0, 0, {"9"}, {"9"}),
        (1, 2, {"7", "8", "9"}, {"9"}),
        (2, 1, {"8", "9"}, {"8", "9"}),
        (2, 0, {"9"}, {"9"}),
        (0, 2, {"9"}, {"9"}),
    ):
        engine = Textbook(replace(GAME, heuristic=replace(heuristic, opening=opening, spread=spread)))
        for position, moves in ((GAME.start, at_first), (after, then)):
            assert odds(engine, position, level, Interrupt()) == pytest.approx(dict.fromkeys(moves, 1 / len(moves)))
            rng = random.Random(1)
            assert {choose(engine, position, level, rng, Interrupt()) for _ in range(50)} == moves
    # A move that is nearly best is not a lapse.
    engine = Textbook(replace(GAME, heuristic=replace(heuristic, opening=1, spread=2)))
    lapsing = odds(engine, GAME.start, replace(level, lapse=0.6), Interrupt())
    assert lapsing == pytest.approx(dict.fromkeys("789", 0.4 / 3) | dict.fromkeys("123456", 0.1))


def test_only_estimates_of_the_same_depth_are_nearly_best() -> None:
    moves = {
        "a1": MoveValue(5, False, None, (), 4),
        "b1": MoveValue(4, False, None, (), 4),
        "c1": MoveValue(3, False, None, (), 4),
        "d1": MoveValue(4, False, None, (), 3),
        "e1": MoveValue(4, True, 9, (), 4),
        "f1": MoveValue(6, False, None, (), 4),
    }
    assert nearly_best(Analysis(5, False, moves, ("a1",), 1, 4), 1) == ("a1", "b1")
    assert nearly_best(Analysis(5, False, moves, ("e1",), 1, 4), 1) == ("e1",)


def test_a_mean_of_few_playouts_is_not_nearly_best() -> None:
    moves = {
        move: MoveValue(5, False, None, (), playouts=count, mean=0.6) for move, count in [("a", 9), ("b", 5), ("c", 4)]
    }
    assert nearly_best(Analysis(5, False, moves, ("a",), 1, 4), 1) == ("a", "b")


@pytest.mark.parametrize("nodes", range(1, 400, 23))
def test_each_estimate_of_a_stopped_search_has_its_depth(nodes: int) -> None:
    game = replace(GAME, heuristic=Heuristic(by_depth, 1))
    found = Textbook(game).analyse(GAME.start, Limits(nodes=nodes), Interrupt())
    best = found.moves[found.best[0]].value
    for value in found.moves.values():
        # An estimate from a shallower search is capped at the value of the best move.
        assert value.value in (value.depth, best) if value.depth else value.value in (0, best)


def by_depth(position: Position) -> int:
    """The number of plies from the start, in favour of the side that began."""
    return position.ply if position.ply % 2 == 0 else -position.ply


@pytest.mark.slow
def test_reversi_varies_its_openings_by_a_disc() -> None:
    game = GAMES["reversi"]
    rng, level = random.Random(2), Level(depth=2)
    varied = 0
    for engine in (engine_of(game), Textbook(game)):
        position = game.start
        while position.ply < 14:
            found = engine.analyse(position, Limits(depth=2), Interrupt())
            within = 1 if position.ply < 10 else 0
            moves = {move for move, value in found.moves.items() if found.value - within <= value.value}
            played = set(odds(engine, position, level, Interrupt()))
            assert played == (moves if within else set(found.choices))
            varied += played > set(found.choices)
            position = position.play(rng.choice(position.legal_moves))
    assert varied > 3


def test_a_single_legal_move_needs_no_search() -> None:
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


@pytest.mark.parametrize("level", [HARD, EASY])
def test_the_seed_determines_the_game(level: Level) -> None:
    games = [self_play(level, seed) for seed in range(2)]
    assert games == [self_play(level, seed) for seed in range(2)]
    assert len({tuple(game) for game in games}) == 2


def results(player: str, opponent: str) -> tuple[float, float, float]:
    """The exact probabilities that ``player`` wins, draws and loses, when the two take turns to begin."""

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
    """The table whose first heading is ``title``: the cells of each row by its level in the protocol."""
    _, _, rest = RESULTS.read_text().partition(f"| {title} |")
    rows = [re.split(r" *\| *", line)[1:-1] for line in rest.partition("\n\n")[0].splitlines()[2:]]
    return {row[0].strip("`").replace("best", "perfect"): row[1:] for row in rows}


@pytest.mark.slow
def test_the_results_in_the_docs() -> None:
    given = table("wins / draws / losses of")
    assert given.keys() == set(levels_of(GAME))
    for player, cells in given.items():
        for opponent, cell in zip([*reversed(levels_of(GAME)), "random"], cells, strict=True):
            percent = [100 * share for share in results(player, opponent)]
            assert cell == " / ".join(f"{share:.1f}" for share in percent), (player, opponent)


@pytest.mark.slow
def test_each_level_beats_the_one_below_and_perfect_never_loses() -> None:
    for player, below in pairwise(PLAYERS):
        win, draw, loss = results(player, below)
        assert win + draw + loss == pytest.approx(1)
        assert win > loss + 0.1, (player, below)
    assert all(results("perfect", opponent)[2] == 0 for opponent in PLAYERS)


def lapses(player: str, opponent: str) -> tuple[float, float, float]:
    """Of the moves of ``player`` that matter, the shares that keep the result, that give away half a point, and that
    give away a whole one, by true values.
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


@pytest.mark.slow
def test_the_lapses_in_the_docs() -> None:
    given = table("level, against itself")
    assert given.keys() == set(levels_of(GAME))
    for player, cells in given.items():
        assert cells == [f"{100 * share:.1f}" for share in lapses(player, player)], player


def test_a_finished_game_has_nothing_to_choose() -> None:
    over = GAME.parse("xxx/oo./...")
    with pytest.raises(ValueError, match="over"):
        choose(ENGINE, over, PERFECT, random.Random(1), Interrupt())
    with pytest.raises(ValueError, match="over"):
        odds(ENGINE, over, PERFECT, Interrupt())


def some_positions(key: str) -> list[Position]:
    """The start of a game, and positions after random moves."""
    rng = random.Random(5)
    positions = [GAMES[key].start]
    while len(positions) < 20 and positions[-1].to_move:
        positions.append(positions[-1].play(rng.choice(positions[-1].legal_moves)))
    return [position for position in positions[::6] if position.to_move]


SCATTERED = {
    "gomoku": [
        ("h8", "c3", "m13", "d12", "l4", "h3", "h13"),
        ("b2", "n2", "b14", "n14", "h8", "h2", "e5", "l11", "e11", "l5", "h14"),
    ]
}
"""Games with the stones far apart, so that much of the board has to be searched."""


def hard_positions(key: str) -> list[Position]:
    """Positions with a large search."""
    return [
        reduce(lambda position, move: position.play(move), moves, GAMES[key].start) for moves in SCATTERED.get(key, [])
    ]


def answer(engine: Engine, position: Position, level: Level, seconds: float) -> float | None:
    """The CPU seconds from the stop, ``seconds`` after the start, to the level's answer. None if it had answered
    before.
    """
    stop, set_at = Interrupt(), list[float]()

    def ring() -> None:
        set_at.append(time.process_time())
        stop.set()

    clock = threading.Timer(seconds, ring)
    clock.start()
    try:
        assert choose(engine, position, level, random.Random(3), stop) in position.legal_moves
        return time.process_time() - set_at[0] if set_at else None
    finally:
        clock.cancel()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hard", "medium", "easy"])
@pytest.mark.parametrize("key", GAMES)
def test_the_lower_levels_finish_in_time(key: str, name: str) -> None:
    engine = engine_of(GAMES[key])
    for position in some_positions(key) + hard_positions(key):
        level = replace(LEVELS[name], lapse=1)
        began = time.process_time()  # CPU time, because the machine may be busy, and twice it if two share a core
        assert choose(engine, position, level, random.Random(3), Interrupt()) in position.legal_moves
        assert time.process_time() - began < 2 * level.seconds


@pytest.mark.slow
@pytest.mark.parametrize(("key", "most"), [("reversi", 0.005), ("gomoku", 0.005), ("ultimate", 0.005)])
def test_the_strongest_level_answers_soon_after_its_time(key: str, most: float) -> None:
    engine, position, late = engine_of(GAMES[key]), GAMES[key].start, list[float | None]()
    for _ in range(4):  # few enough that nothing is decided yet
        late += [answer(engine, position, LEVELS["best"], seconds) for seconds in (0.1, 0.05)]
        position = position.play(choose(engine, position, LEVELS["hard"], random.Random(1), Interrupt()))
    stopped = [seconds for seconds in late if seconds is not None]
    assert len(stopped) > 3
    assert statistics.median(stopped) < most, stopped


@pytest.mark.slow
def test_a_level_that_is_stopped_at_once_still_moves() -> None:
    for game in GAMES.values():
        stop = Interrupt()
        stop.set()
        for name in levels_of(game):
            assert choose(engine_of(game), game.start, LEVELS[name], random.Random(1), stop) in game.start.legal_moves


@pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)
def test_a_level_can_be_pickled(level: Level) -> None:
    assert pickle.loads(pickle.dumps(level)) == level
