"""The rules against an independent implementation, OpenSpiel's: in random games to the end, and all lines counted."""

from __future__ import annotations

import importlib
import os
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from noughts.games import GAMES, Game, Position, Side
from noughts.games.go import GO, KOMI, GoPosition, board
from noughts.games.grid import coordinates
from noughts.games.mnk import mnk

pytestmark = pytest.mark.slow

# OpenSpiel is not built for every platform; in CI it must be there.
pyspiel: Any = importlib.import_module("pyspiel") if "CI" in os.environ else pytest.importorskip("pyspiel")

openspiel: Any = importlib.import_module("bench.matches.openspiel")

GAMES_EACH = 200
MANY_GAMES = 1000
WINNERS = {(1.0, -1.0): Side.FIRST, (-1.0, 1.0): Side.SECOND, (0.0, 0.0): None}
MOVES_AGAIN = {"mancala", "dots_and_boxes"}
"""Where a side to move again makes another move. Elsewhere it goes on with the same."""
SECOND_BEGINS = {"chess"}
"""Where OpenSpiel's second player moves first."""
DRAWS_SOONER = {"chess", "checkers", "nine_mens_morris"}
"""Where OpenSpiel ends a game as a draw that ours lets a player claim, or ends later: at the third repetition, after
50 moves without a capture or a pawn's move in chess, after 40 without a capture in checkers, and after 200 moves.
"""


DIFFERENT = {"go"}
"""Games with rules of their own there, which are compared apart."""


def actions(state: Any) -> set[tuple[int, ...]]:
    """The legal moves, each as OpenSpiel's actions."""
    again = state.get_game().get_type().short_name in MOVES_AGAIN
    found: set[tuple[int, ...]] = set()
    for action in state.legal_actions():
        child = state.child(action)
        goes_on = not again and not child.is_terminal() and child.current_player() == state.current_player()
        found |= {(action, *rest) for rest in actions(child)} if goes_on else {(action,)}
    return found


@pytest.mark.parametrize(
    ("game", "name", "to_actions"),
    [
        *(
            pytest.param(GAMES[key], *called, marks=[pytest.mark.slow] if key == "gomoku" else [])
            for key, called in openspiel.THEIRS.items()
            if key not in DIFFERENT
        ),
        (mnk("four", "Four in a row", 6, 5, 4), "mnk(m=6,n=5,k=4)", openspiel.by_cell),
    ],
    ids=[*(key for key in openspiel.THEIRS if key not in DIFFERENT), "mnk"],
)
def test_legal_moves_and_winners_match_openspiel(game: Game, name: str, to_actions: Callable[[Game], Any]) -> None:
    theirs, to_action = pyspiel.load_game(name), to_actions(game)
    called = theirs.get_type().short_name
    first = int(called in SECOND_BEGINS)
    won = set()
    for seed in range(MANY_GAMES if called == "hex" else GAMES_EACH):
        rng = random.Random(seed)
        position, state = game.start, theirs.new_initial_state()
        while position.outcome is None:
            if state.is_terminal():
                assert called in DRAWS_SOONER
                assert WINNERS[tuple(state.returns())] is None
                break
            assert state.current_player() ^ first == (position.to_move is Side.SECOND)
            assert {to_action(move, state) for move in position.legal_moves} == actions(state)
            move = rng.choice(position.legal_moves)
            for action in to_action(move, state):
                state.apply_action(action)
            position = position.play(move)
        if position.outcome is not None:
            assert state.is_terminal()
            assert position.outcome.winner is WINNERS[tuple(state.returns()[:: -1 if first else 1])]
            won.add(position.outcome.winner)
    assert won >= {Side.FIRST, Side.SECOND}


@pytest.mark.parametrize(("size", "games"), [(9, MANY_GAMES), (5, 200), (13, 100)])
def test_go_is_openspiels_but_for_suicide_and_superko(size: int, games: int) -> None:
    """There no side may take its own stones, a stone that brings back an earlier board ends the game as a draw, and so
    does a great number of moves. Wherever neither happens, moves, sides, boards and results are the same.
    """
    game = GO if size == 9 else replace(GO, layout=board(size).layout, start=GoPosition(board(size), KOMI))
    theirs, to_action = pyspiel.load_game(f"go(board_size={size},komi={KOMI:.1f})"), openspiel.by_point(game)
    suicides = repeats = ended = 0
    for seed in range(games):
        rng = random.Random(seed)
        position, state = game.start, theirs.new_initial_state()
        while position.outcome is None and not state.is_terminal():
            assert state.current_player() == (position.to_move is Side.SECOND)
            ours = {to_action(move, state)[0]: move for move in position.legal_moves}
            known = {*state.legal_actions()}
            both = sorted(ours.keys() & known)
            for action in ours.keys() - known:  # suicide: nothing of the other side is taken, and one's own group is
                mover = "w" if position.to_move is Side.SECOND else "b"
                before, after = "".join(position.rows), "".join(position.play(ours[action]).rows)
                assert after.count(mover) < before.count(mover)
                assert after.replace(mover, ".") == before.replace(mover, ".")
                suicides += 1
            for action in known - ours.keys():
                assert state.child(action).is_terminal()
                assert state.child(action).returns() == [0, 0]
                repeats += 1
            # A few passes make an end before the board is full again and again.
            action = rng.choice(both)
            move = ours[action]
            state.apply_action(action)
            position = position.play(move)
            shown = str(state).splitlines()[2 : 2 + size]
            assert [row[3:].translate(str.maketrans("+XO", ".bw")) for row in shown] == [*position.rows]
        if position.outcome is not None:
            assert state.is_terminal()
            assert position.outcome.winner is WINNERS[tuple(state.returns())]
            ended += 1
    assert suicides
    assert repeats
    assert ended


def lines(position: Position, depth: int) -> int:
    """The number of ways to play ``depth`` moves, the last counted in bulk."""
    moves = position.legal_moves
    return len(moves) if depth == 1 else sum(lines(position.play(move), depth - 1) for move in moves)


def their_lines(state: Any, depth: int) -> int:
    """The same by OpenSpiel."""
    if state.is_terminal():
        return 0
    moves = actions(state)
    return len(moves) if depth == 1 else sum(their_lines(after(state, move), depth - 1) for move in moves)


def after(state: Any, move: tuple[int, ...]) -> Any:
    for action in move:
        state = state.child(action)
    return state


@pytest.mark.parametrize(
    ("key", "name", "counts"),
    [
        ("ultimate", "ultimate_tic_tac_toe", [81, 720, 6336, 55080]),
        ("gomoku", "gomoku", [225, 225 * 224]),
    ],
)
def test_perft_matches_openspiel(key: str, name: str, counts: list[int]) -> None:
    depths = range(1, len(counts) + 1)
    assert [lines(GAMES[key].start, depth) for depth in depths] == counts
    state = pyspiel.load_game(name).new_initial_state()
    assert [their_lines(state, depth) for depth in depths] == counts


@pytest.mark.parametrize(
    ("key", "name", "to_actions"),
    [
        ("ultimate", "ultimate_tic_tac_toe", openspiel.by_small_board),
        pytest.param("gomoku", "gomoku", openspiel.by_cell, marks=pytest.mark.slow),
    ],
)
def test_perft_near_the_end_matches_openspiel(
    key: str, name: str, to_actions: Callable[[Game], Callable[[str, Any], tuple[int, ...]]]
) -> None:
    """From shortly before the end of random games, where many lines end early with a win."""
    theirs, to_action = pyspiel.load_game(name), to_actions(GAMES[key])
    plies, depth, games = {"ultimate": (5, 4, 100), "gomoku": (2, 3, 6)}[key]
    for seed in range(games):
        rng = random.Random(seed)
        game = [GAMES[key].start]
        states = [theirs.new_initial_state()]
        while game[-1].outcome is None:
            move = rng.choice(game[-1].legal_moves)
            states.append(after(states[-1], to_action(move, states[-1])))
            game.append(game[-1].play(move))
        assert lines(game[-1 - plies], depth) == their_lines(states[-1 - plies], depth)


@pytest.mark.parametrize(
    ("columns", "rows", "length", "depth"), [(4, 3, 3, 7), (4, 4, 3, 6), (4, 4, 4, 5), (6, 5, 4, 4)]
)
def test_perft_of_small_boards_matches_openspiel(columns: int, rows: int, length: int, depth: int) -> None:
    """Including positions shortly before the end of a game."""
    theirs = pyspiel.load_game(f"mnk(m={columns},n={rows},k={length})")
    start = mnk("small", "Small", columns, rows, length).start
    cells = [cell for row in coordinates(columns, rows) for cell in row]
    assert [lines(start, plies) for plies in (1, 2)] == [len(cells), len(cells) * (len(cells) - 1)]
    for seed in range(10):
        rng = random.Random(seed)
        position, state = start, theirs.new_initial_state()
        while position.to_move and len(position.legal_moves) > depth + 1:
            move = rng.choice(position.legal_moves)
            position, state = position.play(move), state.child(cells.index(move))
        assert state.is_terminal() == (position.to_move is None)
        assert lines(position, depth) == their_lines(state, depth)
