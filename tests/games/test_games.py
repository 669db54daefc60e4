"""Properties of every game: perft counts, position texts, errors, and what clients receive."""

from __future__ import annotations

import pickle
import random
import re

import pytest

from noughts.games import GAMES, Game, IllegalMove, InvalidPosition, MalformedMove, Position, Reason, Side
from noughts.games.sentences import listed

# Published numbers of positions by depth, passes counted as moves; a game's own test file may go deeper.
PERFT = {
    "tictactoe": [9, 72, 504, 3024, 15120, 54720],
    "connect4": [7, 49, 343, 2401, 16807, 117649, 823536, 5673234],
    "reversi": [4, 12, 56, 244, 1396, 8200, 55092, 390216],
    "gomoku": [225, 225 * 224],
    "ultimate": [81, 720, 6336, 55080],
    "draughts": [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680],  # A133046 in the encyclopedia of sequences
    "breakthrough": [22, 484, 11132, 256036],
}

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def perft(position: Position, depth: int) -> int:
    """The number of ways to play ``depth`` moves."""
    moves = position.legal_moves
    if depth == 1:
        return len(moves)
    return sum(perft(position.play(move), depth - 1) for move in moves)


@pytest.mark.parametrize("most", [60_000, pytest.param(10_000_000, marks=pytest.mark.slow)])
@every_game
def test_perft(game: Game, most: int) -> None:
    counts = [count for count in PERFT[game.key] if count < most]
    assert [perft(game.start, depth) for depth in range(1, len(counts) + 1)] == counts


def random_game(game: Game, seed: int) -> list[Position]:
    """The positions of a game of random moves."""
    rng = random.Random(f"{game.key} {seed}")
    positions = [game.start]
    while moves := positions[-1].legal_moves:
        positions.append(positions[-1].play(rng.choice(moves)))
    return positions


@every_game
def test_every_position_reads_back_from_its_text(game: Game) -> None:
    for seed in range(5):
        for position in random_game(game, seed):
            read = game.parse(position.text)
            assert read == position
            assert hash(read) == hash(position)
            assert (read.text, read.rows, read.to_move) == (position.text, position.rows, position.to_move)
            assert (read.legal_moves, read.outcome) == (position.legal_moves, position.outcome)
            assert position.text.split(" ")[0] == "/".join(position.rows)


@every_game
def test_the_sides_take_turns_until_the_outcome(game: Game) -> None:
    for seed in range(20):
        *earlier, last = random_game(game, seed)
        for ply, position in enumerate(earlier):
            assert position.ply == ply
            assert position.outcome is None
            assert position.to_move is (Side.FIRST, Side.SECOND)[ply % 2]
            assert len(set(position.legal_moves)) == len(position.legal_moves) > 0
        assert last.ply == len(earlier)
        assert last.to_move is None
        assert last.outcome is not None
        assert (last.outcome.reason is Reason.DRAW) <= (last.outcome.winner is None)
        assert bool(last.outcome.cells) == (last.outcome.reason is Reason.LINE)


@every_game
def test_moves_are_in_board_order_and_all_others_illegal(game: Game) -> None:
    in_order = list(dict.fromkeys(name for row in game.layout for name in row))
    for position in random_game(game, 1):
        legal = position.legal_moves
        if legal != ("pass",):
            assert list(legal) == [name for name in in_order if name in legal]
        for move in set(in_order) - set(legal):
            with pytest.raises(IllegalMove):
                position.play(move)


@every_game
@pytest.mark.parametrize("move", ["", "0", "a0", "a16", "p1", " 1", "1 ", "A1", "\u0661", "resign", "a1a1", "\0"])
def test_an_unknown_move_name_is_malformed_even_after_the_end(game: Game, move: str) -> None:
    for position in (game.start, random_game(game, 2)[-1]):
        with pytest.raises(MalformedMove, match="a move is a"):
            position.play(move)


@every_game
def test_a_traceback_names_the_move_that_was_refused_and_legal_ones(game: Game) -> None:
    for position in random_game(game, 2)[-2:]:
        legal = position.legal_moves
        for move in ("z9", 9, None, next(name for row in game.layout for name in row if name not in legal)):
            with pytest.raises((MalformedMove, IllegalMove)) as refused:
                position.play(move)  # type: ignore[arg-type]  # as a student might
            (note,) = refused.value.__notes__
            assert note.startswith(f"The move was {move!r}")
            assert note.endswith(f". Legal moves: {listed(legal)}.")


def test_a_move_that_is_no_string_is_told_how_to_be_written() -> None:
    with pytest.raises(MalformedMove) as refused:
        GAMES["connect4"].start.play(4)  # type: ignore[arg-type]  # as a student might
    assert refused.value.__notes__ == ["The move was 4, not a string: write '4'. Legal moves: 1, 2, 3, 4, 5, 6, 7."]


@every_game
def test_a_position_is_a_value(game: Game) -> None:
    for position in random_game(game, 3):
        copy = pickle.loads(pickle.dumps(position))
        assert copy == position
        assert hash(copy) == hash(position)
        assert copy.legal_moves == position.legal_moves


@every_game
def test_the_layout_for_clients(game: Game) -> None:
    assert GAMES[game.key] is game
    assert {len(row) for row in game.layout} == {len(game.layout[0])}
    assert [len(row) for row in game.start.rows] == [len(row) for row in game.layout]
    if game.cells is not None:
        assert [len(row) for row in game.cells] == [len(row) for row in game.layout]
    cells = [name for row in game.cells or game.layout for name in row]
    assert len(set(cells)) == len(cells)
    assert set(game.start.legal_moves) <= {name for row in game.layout for name in row}
    assert game.style(Side.FIRST).symbol != game.style(Side.SECOND).symbol
    drawn = {symbol for position in random_game(game, 4) for row in position.rows for symbol in row}
    assert drawn <= {".", game.first.symbol, game.second.symbol}


@every_game
def test_a_refused_move_is_explained_to_the_player(game: Game) -> None:
    """The start of a sentence: without the capital and the full stop, which the clients add."""
    assert 2 <= len(game.rules) <= 4
    assert 200 < sum(map(len, game.rules)) < 700, "half a page"
    for positions in (random_game(game, 5)[:30:3], random_game(game, 6)[-1:]):
        for position in positions:
            for move in {name for row in game.layout for name in row} - set(position.legal_moves):
                with pytest.raises(IllegalMove) as refused:
                    position.play(move)
                assert re.fullmatch(r"(a|the|cell|column|you) .*[^.]", str(refused.value))


@every_game
def test_winning_cells_belong_to_the_winner(game: Game) -> None:
    wins = 0
    for seed in range(40):
        last = random_game(game, seed)[-1]
        assert last.outcome
        names = [name for row in game.cells or game.layout for name in row]
        symbols = dict(zip(names, "".join(last.rows), strict=True))
        if last.outcome.reason is Reason.LINE:
            wins += 1
            assert last.outcome.winner
            assert {symbols[cell] for cell in last.outcome.cells} == {game.style(last.outcome.winner).symbol}
            assert list(last.outcome.cells) == [name for name in names if name in last.outcome.cells]
    assert wins or game.key == "reversi"


@every_game
@pytest.mark.parametrize("text", ["", " ", "/", "first", "x", "...", "\n", "." * 500, "/" * 500])
def test_bad_boards_are_refused(game: Game, text: str) -> None:
    with pytest.raises(InvalidPosition):
        game.parse(text)


@every_game
def test_bad_text_after_a_board_is_refused(game: Game) -> None:
    board = "/".join(game.start.rows)
    for more in (" ", " second", " third", " first first", " FIRST", " 0", " 10", "  first", " first "):
        if more.strip() != "second" or game.key != "reversi":
            with pytest.raises(InvalidPosition):
                game.parse(board + more)
    assert game.parse(f"{board} first") == game.start


def test_names_sides_and_sizes() -> None:
    listed = {
        key: (game.title, game.first.name, game.second.name, len(game.layout[0]), len(game.layout))
        for key, game in GAMES.items()
    }
    assert listed == {
        "tictactoe": ("Tic-tac-toe", "X", "O", 3, 3),
        "connect4": ("Connect Four", "Red", "Yellow", 7, 6),
        "reversi": ("Reversi", "Black", "White", 8, 8),
        "gomoku": ("Gomoku", "Black", "White", 15, 15),
        "ultimate": ("Ultimate tic-tac-toe", "X", "O", 9, 9),
    }
    for key, first, last in (("reversi", "a1", "h8"), ("gomoku", "a1", "o15"), ("ultimate", "a1", "i9")):
        layout = GAMES[key].layout
        assert (layout[0][0], layout[0][1], layout[1][0], layout[-1][-1]) == (first, "b1", "a2", last)
    assert GAMES["connect4"].layout == (tuple("1234567"),) * 6
