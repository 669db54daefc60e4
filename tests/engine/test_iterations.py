"""The steps of playouts, told once more by hand."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from noughts.engine import MOST_ITERATIONS, Sampled, Sampling, sampled_object, trace_playouts
from noughts.engine.iterations import BackUp, Expand, Playout, Select
from noughts.games import GAMES, Position
from noughts.games.hex import HEX


def position_of(game: str, moves: str) -> Position:
    position = GAMES[game].start
    for move in moves.split():
        position = position.play(move)
    return position


def counted(trace: Sampled, root: Position) -> list[tuple[int, float]]:
    """The playouts and points of each node, by the steps alone. Each step must be the one that UCB1 and the rules
    want.
    """
    parents = [place.parent for place in trace.places]
    found: list[list[float]] = [[0, 0.0] for _ in parents]
    children: dict[int, list[int]] = {}
    positions = {0: root}
    at, leaf, added, result = 0, 0, 0, 0.0
    for step in trace.steps:
        place = trace.places[step.node]
        match step:
            case Select():
                assert step.node == at
                assert len(children[at]) == len(positions[at].legal_moves), "all moves were tried"
                sums = {}
                for term, child in zip(step.terms, children[at], strict=True):
                    visits, points = found[child]
                    assert term.child == child
                    assert term.mean == pytest.approx(points / visits)
                    assert term.bonus == pytest.approx(math.sqrt(2 * math.log(found[at][0]) / visits))
                    sums[child] = term.mean + term.bonus
                assert sums[step.child] == max(sums.values())
                at = leaf = step.child
            case Expand():
                assert place.parent == at
                added += 1
                assert step.node == added
                children.setdefault(at, []).append(step.node)
                positions[step.node] = positions[at].play(place.move or "")
                assert place.move == positions[at].legal_moves[place.rank]
                leaf = step.node
            case Playout():
                assert step.node == leaf
                end = positions[leaf]
                assert (place.maximizing is None) is (end.outcome is not None)
                for move in step.moves:
                    end = end.play(move)
                outcome = end.outcome
                assert outcome is not None
                result = 0.5 if outcome.winner is None else float(outcome.winner is root.to_move)
                assert step.value == result
                assert step.rows in ((), end.rows)
            case BackUp():
                assert (step.node, step.value) == (leaf, result)
                node: int | None = leaf
                while node is not None:
                    found[node][0] += 1
                    above = parents[node]
                    if above is not None:
                        found[node][1] += result if trace.places[above].maximizing else 1 - result
                    node = above
                at = leaf = 0
    return [(int(visits), points) for visits, points in found]


@pytest.mark.parametrize(
    ("game", "moves"), [("tictactoe", "1 2 3 5 9"), ("tictactoe", ""), ("connect4", "4 4 4 4"), ("kalah", "")]
)
def test_playouts_are_traced_as_the_textbook_has_them(game: str, moves: str) -> None:
    position = position_of(game, moves)
    trace = trace_playouts(GAMES[game], position, Sampling(60, seed=3))
    found = counted(trace, position)
    assert found[0][0] == trace.playouts == 60
    top = [index for index, place in enumerate(trace.places) if place.parent == 0]
    assert sum(found[index][0] for index in top) == 60
    assert trace.places[max(top, key=lambda index: found[index][0])].move == trace.best
    assert len(trace.places) == 1 + sum(isinstance(step, Expand) for step in trace.steps)


def test_a_seed_decides_the_playouts() -> None:
    game = GAMES["tictactoe"]
    one, same, other = (trace_playouts(game, game.start, Sampling(30, seed)) for seed in (1, 1, 2))
    assert one == same
    assert one.steps != other.steps


def test_playouts_find_a_win_at_once() -> None:
    position = position_of("tictactoe", "1 2 3 5 9")
    best = Counter(trace_playouts(GAMES["tictactoe"], position, Sampling(50, seed)).best for seed in range(20))
    assert best == {"8": 20}


def test_a_finished_game_has_no_playouts_and_a_stop_is_told() -> None:
    game = GAMES["tictactoe"]
    over = trace_playouts(game, position_of("tictactoe", "1 4 2 5 3"), Sampling(5))
    assert (over.steps, over.best, over.playouts, over.notes) == ((), None, 0, ())
    polls = iter([False] * 5)
    stopped = trace_playouts(game, game.start, Sampling(MOST_ITERATIONS), lambda: next(polls, True))
    assert 0 < stopped.playouts < MOST_ITERATIONS
    assert stopped.notes == (f"The search was stopped after {stopped.playouts} of 200 playouts.",)
    assert isinstance(stopped.steps[-1], BackUp | Expand | Select)


def test_large_boards_are_left_out() -> None:
    told = sampled_object(trace_playouts(HEX, HEX.start, Sampling(3)))
    assert "position" not in told["nodes"][1]
    assert [step["step"] for step in told["steps"]] == ["expand", "playout", "back_up"] * 3
    assert "rows" not in told["steps"][1]
