"""Properties of every game, as usual and set up otherwise: perft counts, texts, errors, and what clients receive.

What only some games do is taken from what the game says of itself.
"""

from __future__ import annotations

import pickle
import random
import re
from functools import cache
from itertools import pairwise

import pytest

from noughts.games import GAMES, SWAP, Game, IllegalMove, InvalidPosition, MalformedMove, Position, Reason, Side
from noughts.games.catalogue import game_named, name_of, set_up
from noughts.games.go import PASS
from noughts.games.paths import cells_of
from noughts.games.sentences import listed
from noughts.games.swap2 import KEEP, MORE

# Published numbers of positions by depth, passes counted as moves; a game's own test file may go deeper.
PERFT = {
    "tictactoe": [9, 72, 504, 3024, 15120, 54720],
    "connect4": [7, 49, 343, 2401, 16807, 117649, 823536, 5673234],
    "reversi": [4, 12, 56, 244, 1396, 8200, 55092, 390216],
    "gomoku": [225, 225 * 224],
    "ultimate": [81, 720, 6336, 55080],
    "go": [82, 81 * 81 + 82, 81 * 80 * 80 + 2 * 81 * 81],
    "hex": [121, 121 * 121, 121 * (120 * 119 + 120)],
    "draughts": [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680],  # A133046 in the encyclopedia of sequences
    "breakthrough": [22, 484, 11132, 256036],
    "chess": [20, 400, 8902, 197281, 4865609],
    "morris": [24, 24 * 23, 24 * 23 * 22, 24 * 23 * 22 * 21],  # no side has three men
    "kalah": [6, 5 * 6 + 5],  # after c1 South moves again, and c1 is empty
    "dots": [24, 24 * 23, 24 * 23 * 22, 24 * 23 * 22 * 21],  # every edge can be drawn at any time
}


@cache
def random_game(game: Game, seed: int) -> tuple[Position, ...]:
    """The positions of a game of random moves."""
    rng = random.Random(f"{game.key} {seed}")
    positions = [game.start]
    while moves := positions[-1].legal_moves:
        positions.append(positions[-1].play(rng.choice(moves)))
    return tuple(positions)


def seeds(game: Game, most: int) -> range:
    """So many random games. Where positions may repeat, a game is long."""
    return range(min(most, 3) if game.repeats else most)


def variants() -> dict[str, Game]:
    """By name, each game with its first option chosen otherwise: the last choice, or the text of another position."""
    found = {}
    for game in GAMES.values():
        for option in game.options:
            others = [choice for choice in option.choices if choice != option.default]
            other = set_up(game.key, [(option.key, (others or [random_game(game, 0)[9].text])[-1])])
            found[name_of(other)] = other
    return found


VARIANTS = variants()
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
every_variant = pytest.mark.parametrize("game", [*GAMES.values(), *VARIANTS.values()], ids=[*GAMES, *VARIANTS])


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


def opens(game: Game, position: Position) -> bool:
    """True in the opening, in which one side may place stones of both colours and the other may choose."""
    return dict(game.setup).get("opening") == "swap2" and position.ply < 8


def names_of(game: Game) -> list[str]:
    """The names in the layout, in board order, each once."""
    return list(dict.fromkeys(name for row in game.layout for name in row if name))


@cache
def moves_of(game: Game) -> frozenset[str]:
    """Many moves of the game, legal in some position or other."""
    return frozenset(move for seed in seeds(game, 5) for each in random_game(game, seed) for move in each.legal_moves)


@every_variant
def test_every_position_reads_back_from_its_text(game: Game) -> None:
    begins_with_rows = game.start.text.startswith("/".join(game.start.rows))
    for seed in seeds(game, 5):
        for position in random_game(game, seed):
            read = game.parse(position.text)
            assert read == position
            assert hash(read) == hash(position)
            assert (read.text, read.rows) == (position.text, position.rows)
            if read.outcome == position.outcome or not game.repeats:  # a text does not tell what came before
                assert (read.to_move, read.outcome) == (position.to_move, position.outcome)
                assert read.legal_moves == position.legal_moves or (
                    game.repeats and {*read.legal_moves} > {*position.legal_moves}
                )
            assert position.text.startswith("/".join(position.rows)) == begins_with_rows


@every_variant
def test_the_sides_play_until_the_outcome(game: Game) -> None:
    cells = [name for row in game.cells or game.layout for name in row]
    for seed in seeds(game, 20):
        *earlier, last = random_game(game, seed)
        for ply, position in enumerate(earlier):
            assert position.ply == ply
            assert position.outcome is None
            assert position.to_move in tuple(Side)
            assert len(set(position.legal_moves)) == len(position.legal_moves) > 0
        for before, after in pairwise(earlier):
            if after.to_move is before.to_move and not opens(game, before):  # which has just scored
                assert game.score is not None
                assert sum(game.score(after)) > sum(game.score(before))
        assert last.ply == len(earlier)
        assert last.to_move is None
        assert last.outcome is not None
        assert last.outcome.reason in {Reason.LINE, Reason.COUNT, Reason.DRAW, *dict(game.endings)}
        assert (last.outcome.reason == Reason.DRAW) <= (last.outcome.winner is None) <= game.draws
        assert (last.outcome.reason == Reason.LINE) <= bool(last.outcome.cells)
        assert list(last.outcome.cells) == [name for name in cells if name in last.outcome.cells]


@every_variant
def test_moves_are_in_board_order_and_all_others_illegal(game: Game) -> None:
    order = {name: number for number, name in enumerate(names_of(game))}
    rng = random.Random(1)
    for position in random_game(game, 1):
        legal = position.legal_moves
        choices = [move for move in legal if move in (PASS, SWAP, KEEP, MORE)]
        if legal != (PASS,):
            assert legal[len(legal) - len(choices) :] == (*choices,)
            paths = [[order[name] for name in cells_of(move, order)[0]] for move in legal if move not in choices]
            assert paths == sorted(paths)
            assert all(paths)
        others = sorted(moves_of(game) - set(legal))
        for move in rng.sample(others, min(len(others), 30)):
            with pytest.raises(IllegalMove):
                position.play(move)


@every_game
@pytest.mark.parametrize("move", ["", "0", "a0", "a16", "p1", " 1", "1 ", "A1", "\u0661", "resign", "a1a1", "\0"])
def test_an_unknown_move_name_is_malformed_even_after_the_end(game: Game, move: str) -> None:
    for position in (game.start, random_game(game, 2)[-1]):
        with pytest.raises((MalformedMove, IllegalMove) if _is_path(game, move) else MalformedMove) as refused:
            position.play(move)
        assert _is_path(game, move) or str(refused.value).startswith("a move is a")


def _is_path(game: Game, move: str) -> bool:
    """True if ``move`` looks like a way from cell to cell, and the game has such moves."""
    names = names_of(game)
    return len(cells_of(move, names)[0]) > 1 and any(len(cells_of(known, names)[0]) > 1 for known in moves_of(game))


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


@every_variant
def test_a_position_is_a_value(game: Game) -> None:
    for position in random_game(game, 3):
        copy = pickle.loads(pickle.dumps(position))
        assert copy == position
        assert hash(copy) == hash(position)
        assert (copy.legal_moves, copy.outcome) == (position.legal_moves, position.outcome)


@every_variant
def test_the_layout_for_clients(game: Game) -> None:
    assert name_of(game_named(name_of(game))) == name_of(game)
    assert {len(row) for row in game.layout} == {len(game.layout[0])}
    for grid in (game.cells or game.layout, *(position.rows for position in random_game(game, 4))):
        assert [len(row) for row in grid] == [len(row) for row in game.layout]
    cells = [name for row in game.cells or game.layout for name in row if name]
    assert len(set(cells)) == len(cells)
    names = names_of(game)
    for move in moves_of(game) - {PASS, SWAP, KEEP, MORE}:
        path, rest = cells_of(move, names)
        assert path
        assert re.fullmatch("[a-z]?", rest)
    assert game.style(Side.FIRST).symbol != game.style(Side.SECOND).symbol
    pieces = {piece.symbol for piece in game.pieces} or {game.first.symbol, game.second.symbol}
    for position in random_game(game, 4):
        for name, symbol in zip("".join(position.rows), (name for row in game.layout for name in row), strict=True):
            assert (name == " ") == (symbol == "")
        assert {symbol for row in position.rows for symbol in row} <= {".", " "} | pieces


@every_variant
def test_the_board_is_one_that_clients_can_draw(game: Game) -> None:
    cells = {name for row in game.cells or game.layout for name in row}
    assert {name for line in game.board.lines for name in line} <= cells
    if game.board.shape == "edges":
        for r, row in enumerate(game.layout):
            for c, name in enumerate(row):
                assert (name == "") == (r % 2 == c % 2 == 0), "a dot is no cell"
    if game.board.shape == "pits":
        assert game.counts is not None
    assert all(len(piece.glyph) == len(piece.symbol) == 1 for piece in game.pieces)
    assert all(piece.name for piece in game.pieces)
    assert len({piece.symbol for piece in game.pieces}) == len(game.pieces)


@every_variant
def test_what_a_game_tells_beside_the_board(game: Game) -> None:
    endings, symbols = dict(game.endings), {game.first.symbol, game.second.symbol, *(one.symbol for one in game.pieces)}
    assert not endings.keys() & set(Reason)
    for seed in seeds(game, 3):
        positions = random_game(game, seed)
        for position in positions[:: max(1, len(positions) // 20)]:
            if game.counts is not None:
                assert [len(row) for row in game.counts(position)] == [len(row) for row in game.layout]
            if game.score is not None:
                assert all(count >= 0 for count in game.score(position))
            if game.held is not None:
                held = [entry for side in Side for entry in game.held(position, side)]
                assert all(symbol in symbols and count >= 0 for symbol, count in held)
            if game.claim is not None:
                assert game.claim(position) in {None, *endings}
            names = [game.name(position, move) for move in position.legal_moves]
            assert len(set(names)) == len(names)
            if game.read is not None:
                assert [game.read(position, name) for name in names] == list(position.legal_moves)
                assert [game.read(position, move) for move in position.legal_moves] == list(position.legal_moves)
                assert game.read(position, "no such move") == "no such move"
        last = positions[-1]
        if last.outcome is not None and last.outcome.reason == Reason.COUNT:
            assert game.score is not None
            first, second = game.score(last)
            assert last.outcome.winner is (Side.FIRST if first > second else Side.SECOND if second > first else None)
            assert game.margin is None or game.margin(last) == first - second
        if game.claim is not None:
            assert game.claim(last) is None


@every_variant
def test_a_refused_move_is_explained_to_the_player(game: Game) -> None:
    """The start of a sentence: without the capital and the full stop, which the clients add."""
    assert 2 <= len(game.rules) <= 4
    assert 200 < sum(map(len, game.rules)) < 700, "half a page"
    rng = random.Random(1)
    for positions in (random_game(game, 2)[:30:3], random_game(game, 1)[-1:]):
        for position in positions:
            others = sorted(moves_of(game) - set(position.legal_moves))
            for move in rng.sample(others, min(len(others), 30)):
                with pytest.raises(IllegalMove) as refused:
                    position.play(move)
                assert re.fullmatch(r"[a-z0-9].* .*[^.]", str(refused.value))


@every_variant
def test_cells_of_a_line_belong_to_the_winner(game: Game) -> None:
    wins = 0
    for seed in seeds(game, 40):
        last = random_game(game, seed)[-1]
        assert last.outcome
        names = [name for row in game.cells or game.layout for name in row]
        symbols = dict(zip(names, "".join(last.rows), strict=True))
        if last.outcome.reason == Reason.LINE:
            wins += 1
            assert last.outcome.winner
            assert {symbols[cell] for cell in last.outcome.cells} == {game.style(last.outcome.winner).symbol}
    assert wins or game.endings or game.score


@every_game
@pytest.mark.parametrize("text", ["", " ", "/", "first", "x", "...", "\n", "." * 500, "/" * 500])
def test_bad_boards_are_refused(game: Game, text: str) -> None:
    with pytest.raises(InvalidPosition):
        game.parse(text)


@every_variant
def test_bad_text_after_a_board_is_refused(game: Game) -> None:
    """A side may be named, and must be where the counts do not show it."""
    text = game.start.text
    board = text.removesuffix(" first")
    refused = [" third", " first first", " FIRST", " 0", " 10", "  first", " first "]
    if board == text:  # so the side is not named, but shown by counts, or in another way
        refused.append(" second")
    if text.startswith("/".join(game.start.rows)):
        refused.append(" ")
    for more in refused:
        with pytest.raises(InvalidPosition):
            game.parse(board + more)
    if text.startswith("/".join(game.start.rows)):
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
        "go": ("Go", "Black", "White", 9, 9),
        "hex": ("Hex", "Red", "Blue", 11, 11),
        "chess": ("Chess", "White", "Black", 8, 8),
        "draughts": ("Draughts", "Black", "White", 8, 8),
        "breakthrough": ("Breakthrough", "White", "Black", 8, 8),
        "morris": ("Nine Men's Morris", "White", "Black", 7, 7),
        "kalah": ("Kalah", "South", "North", 8, 2),
        "dots": ("Dots and Boxes", "Red", "Blue", 7, 7),
    }
    for key, first, last in (("reversi", "a1", "h8"), ("gomoku", "a1", "o15"), ("ultimate", "a1", "i9")):
        layout = GAMES[key].layout
        assert (layout[0][0], layout[0][1], layout[1][0], layout[-1][-1]) == (first, "b1", "a2", last)
    assert GAMES["connect4"].layout == (tuple("1234567"),) * 6
    for key in ("chess", "breakthrough"):
        layout = GAMES[key].layout
        assert (layout[0][0], layout[0][7], layout[7][0], layout[7][7]) == ("a8", "h8", "a1", "h1")
    assert GAMES["draughts"].layout[0] == ("", "1", "", "2", "", "3", "", "4")
