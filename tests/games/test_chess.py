"""The rules of chess: FIDE's Laws of Chess of 2023 by article, published counts, and the names of moves."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from typing import Any

import pytest

from noughts.games import IllegalMove, InvalidPosition, MalformedMove, Outcome, Side
from noughts.games.chess import CHESS, ChessPosition, claim, evaluate, noisy, notation, parse, read, variant

START: Any = CHESS.start
PERFT = {
    # https://www.chessprogramming.org/Perft_Results; the slow tier counts the depths after the bar.
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": ([20, 400, 8902], [197_281, 4_865_609]),
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": ([48, 2039], [97_862, 4_085_603]),
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": ([14, 191, 2812], [43_238, 674_624, 11_030_083]),
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": ([6, 264, 9467], [422_333, 15_833_292]),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": ([44, 1486], [62_379, 2_103_487]),
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": ([46, 2079], [89_890, 3_894_594]),
}


def perft(position: ChessPosition, depth: int) -> int:
    moves = position.legal_moves
    return len(moves) if depth == 1 else sum(perft(position.play(move), depth - 1) for move in moves)


@pytest.mark.parametrize("fen", PERFT)
def test_perft(fen: str) -> None:
    counts, _ = PERFT[fen]
    assert [perft(parse(fen), depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.slow
@pytest.mark.parametrize("fen", PERFT)
def test_perft_deeper(fen: str) -> None:
    counts, more = PERFT[fen]
    depths = range(len(counts) + 1, len(counts) + len(more) + 1)
    assert [perft(parse(fen), depth) for depth in depths] == more


def played(moves: str, start: ChessPosition = START) -> ChessPosition:
    """After moves by any name, separated by spaces."""
    position = start
    for move in moves.split():
        position = position.play(read(position, move))
    return position


def moves_from(position: ChessPosition, square: str) -> set[str]:
    return {move[2:] for move in position.legal_moves if move[:2] == square}


# Castling, 3.8


def test_castling_moves_king_and_rook() -> None:
    position = parse("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert moves_from(position, "e1") == {"c1", "d1", "d2", "e2", "f2", "f1", "g1"}
    assert played("e1g1 e8c8", position).text == "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2"
    assert played("O-O-O O-O", position).text == "r4rk1/8/8/8/8/8/8/2KR3R w - - 2 2"


@pytest.mark.parametrize(
    ("moves", "rights"),
    [("a1b1 a8a7", "Kk"), ("h1h8", "Qq"), ("e1e2 h8h7", "q"), ("a1a8", "Kk"), ("h1g1 e8e7 g1h1 e7e8", "Q")],
)
def test_a_king_or_rook_that_moved_or_was_taken_loses_the_right(moves: str, rights: str) -> None:
    assert played(moves, parse("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")).rights == rights


@pytest.mark.parametrize(
    ("fen", "move", "why"),
    [
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1", "you cannot castle there any more: the king or the rook has moved"),
        ("4k3/8/8/8/8/8/8/4KB1R w K - 0 1", "e1g1", "only if the squares between king and rook are empty"),
        ("4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", "e1c1", "only if the squares between king and rook are empty"),
        ("4k3/4r3/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "you cannot castle out of check"),
        ("4k3/5r2/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "over or onto an attacked square"),
        ("4k3/6r1/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "over or onto an attacked square"),
        ("4k3/8/8/8/8/8/6p1/4K2R w K - 0 1", "e1g1", "over or onto an attacked square"),
    ],
)
def test_castling_is_refused_with_a_reason(fen: str, move: str, why: str) -> None:
    assert move not in parse(fen).legal_moves
    with pytest.raises(IllegalMove, match=why):
        parse(fen).play(move)


def test_the_rook_may_be_attacked_and_cross_an_attacked_square() -> None:
    assert "e1c1" in parse("4k3/rr6/8/8/8/8/8/R3K3 w Q - 0 1").legal_moves


# Pawns, 3.7


def test_a_pawn_that_made_a_double_step_can_be_captured_in_passing_at_once() -> None:
    position = played("e4 a6 e5 d5")
    assert position.text == "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3"
    assert moves_from(position, "e5") == {"d6", "e6"}
    assert position.play("e5d6").rows[2:4] == ("p..P....", "........")
    assert moves_from(played("Nf3 Nf6", position), "e5") == {"e6"} | {"f6"}
    assert played("e4").text.split()[3] == "-", "nobody can capture"


def test_a_capture_in_passing_must_not_open_the_king_to_a_rook() -> None:
    """Both pawns leave the row: a pin that no single piece has."""
    position = parse("8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1")
    assert "d5c6" not in position.legal_moves
    assert position.text.split()[3] == "-"
    with pytest.raises(IllegalMove, match="the pawn on d5 cannot go to c6"):
        position.play("d5c6")


def test_a_capture_in_passing_can_end_a_check() -> None:
    position = parse("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1")
    assert position.in_check
    assert "e4d3" in position.legal_moves
    assert "e4e3" not in position.legal_moves


def test_a_pawn_on_the_last_row_becomes_another_piece() -> None:
    position = parse("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    names = {"a7a8b", "a7a8n", "a7a8q", "a7a8r", "a7b8b", "a7b8n", "a7b8q", "a7b8r"}
    assert {move for move in position.legal_moves if move[0] == "a"} == names
    assert position.play("a7a8n").rows[0] == "Nn..k..."
    with pytest.raises(IllegalMove, match="you must say what the pawn becomes: a7a8q is a queen"):
        position.play("a7a8")
    with pytest.raises(IllegalMove, match="only if it is a pawn on the last row"):
        position.play("e1e2q")


# The end of the game, 5 and 9


@pytest.mark.parametrize(
    ("moves", "cell", "winner"),
    [("f3 e5 g4 Qh4", "e1", Side.SECOND), ("e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7", "e8", Side.FIRST)],
    ids=["fool's mate", "scholar's mate"],
)
def test_checkmate(moves: str, cell: str, winner: Side) -> None:
    end = played(moves)
    assert end.outcome == Outcome(winner, "checkmate", (cell,))
    assert (end.to_move, end.legal_moves) == (None, ())
    with pytest.raises(IllegalMove, match="the game is over"):
        end.play("a2a3")


def test_stalemate_in_ten_moves() -> None:
    """The shortest known, by Sam Loyd."""
    moves = "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6"
    assert played(moves).outcome is None
    assert played(f"{moves} Qe6").outcome == Outcome(None, "stalemate")


@pytest.mark.parametrize(
    ("white", "black", "dead"),
    [
        ("", "", True),
        ("N", "", True),
        ("", "b", True),
        ("B", "b", False),  # b8 and c8: squares of two colours
        ("B.", "b", True),
        ("B.B.B", "", True),
        ("BB", "", False),
        ("NN", "", False),
        ("N", "n", False),
        ("N", "b", False),
        ("P", "", False),
        ("R", "", False),
        ("", "q", False),
    ],
)
def test_dead_positions(white: str, black: str, dead: bool) -> None:
    row = f".{white}{black}".ljust(8, ".")
    position = parse(f"k1K5/8/8/8/8/8/{row}/8 w - - 0 1")
    assert position.outcome == (Outcome(None, "material") if dead else None)


def test_repetition_is_claimed_the_third_time_and_ends_the_game_the_fifth() -> None:
    position, around = START, "Nf3 Nf6 Ng1 Ng8"
    claims = []
    for _ in range(3):
        position = played(around, position)
        claims.append(claim(position))
    assert claims == [None, "repetition", "repetition"]
    assert played("Nf3 Nf6 Ng1", position).outcome is None
    end = played(around, position)
    assert end.outcome == Outcome(None, "fivefold_repetition")
    assert claim(end) is None


def test_positions_with_other_rights_or_another_side_to_move_are_not_the_same() -> None:
    """Article 9.2.3."""
    without_castling = "Ke2 Ke7 Ke1 Ke8"
    position = played(f"e4 e5 {without_castling} {without_castling}")
    assert (position.times, claim(position)) == (2, None)
    position = played(without_castling, position)
    assert (position.times, claim(position)) == (3, "repetition")
    triangle = played("Kd1 Kd8 Kd2 Ke8 Ke1", parse("4k3/p7/8/8/8/8/P7/4K3 w - - 0 1"))
    assert (triangle.past[0], triangle.times) == (triangle.board, 1), "the other side is to move"
    in_passing = played("e4 a6 e5 d5 Nf3 Nf6 Ng1 Ng8")
    assert in_passing.board == played("e4 a6 e5 d5").board
    assert (in_passing.times, played("Nf3 Nf6 Ng1 Ng8", in_passing).times) == (1, 2)


def test_fifty_moves_can_be_claimed_and_seventy_five_end_the_game() -> None:
    fen = "4k3/8/8/8/8/8/4P3/R3K3 w - - {} 80"
    assert claim(parse(fen.format(99))) is None
    assert claim(parse(fen.format(100))) == "fifty_moves"
    assert claim(parse(fen.format(99)).play("e2e4")) is None
    assert parse(fen.format(149)).play("a1a2").outcome == Outcome(None, "seventy_five_moves")
    assert parse(fen.format(149)).play("e2e3").outcome is None
    mate = parse("7k/8/6K1/8/8/8/8/R7 w - - 149 90").play("a1a8")
    assert mate.outcome == Outcome(Side.FIRST, "checkmate", ("h8",)), "mate counts first (9.6.2)"


def test_only_the_king_can_end_a_double_check() -> None:
    position = parse("4r1k1/8/8/8/8/5n2/3Q2P1/4K3 w - - 0 1")
    assert set(position.legal_moves) == {"e1d1", "e1f1", "e1f2"}


# Errors


@pytest.mark.parametrize("move", ["", "e4", "e2e9", "i2i4", "E2E4", "e2e4 ", "e2e4k", "a8=X", "pass", "\0"])
def test_other_names_are_malformed(move: str) -> None:
    with pytest.raises(MalformedMove, match="a move is a pair of squares"):
        START.play(move)
    with pytest.raises(MalformedMove):
        START.play(5)


@pytest.mark.parametrize(
    ("fen", "move", "why"),
    [
        (START.text, "e4e5", "the square e4 is empty"),
        (START.text, "e7e5", "the piece on e7 is not yours"),
        (START.text, "e2e5", "the pawn on e2 cannot go to e5"),
        (START.text, "e2d3", "the pawn on e2 cannot go to d3"),
        (START.text, "a1a3", "the rook on a1 cannot go to a3"),
        (START.text, "e1e1", "the king on e1 cannot go to e1"),
        ("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1", "h1h2", "you are in check, and h1h2 does not end it"),
        ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", "you would be in check after e2c3"),
        ("4k3/3r4/8/8/8/8/8/4K3 w - - 0 1", "e1d1", "you would be in check after e1d1"),
        ("4k3/8/8/8/4r3/8/8/4K3 w - - 0 1", "e1e2", "you are in check, and e1e2 does not end it"),
        (START.text, "Ke3", "no king of yours can go to e3 now"),
        (START.text, "e5", "no pawn of yours can go to e5 now"),
        (START.text, "o-o", "you can castle only if the squares between king and rook are empty"),
        ("8/8/8/8/4k3/7r/8/4K3 w - - 0 1", "O-O-O", "you cannot castle there any more: the king or the rook has moved"),
        ("8/8/8/8/4k3/7r/8/3K4 w - - 0 1", "O-O", "the king is not where it began"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8", "you must say what the pawn becomes: a8=Q is a queen"),
        (
            "4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1",
            "Nd2",
            "more than one knight can go to d2: name the square, too, as in b1d2",
        ),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "Rh8=Q", "a piece becomes another one only if it is a pawn on the last row"),
    ],
)
def test_an_illegal_move_is_explained(fen: str, move: str, why: str) -> None:
    with pytest.raises(IllegalMove) as refused:
        parse(fen).play(move)
    assert str(refused.value) == why


# The names of moves


@pytest.mark.parametrize(
    ("fen", "move", "name"),
    [
        (START.text, "g1f3", "Nf3"),
        (START.text, "e2e4", "e4"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", "exd5"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
        ("8/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7e8r", "e8=R"),
        ("3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q", "exd8=Q+"),
        ("5rk1/7p/8/8/8/3Q4/1B6/4K3 w - - 0 1", "d3h7", "Qxh7+"),
        ("r4r1k/7p/8/4N3/8/3Q4/1B6/4K3 w - - 0 1", "e5g6", "Ng6+"),
        ("r5rk/5ppp/8/8/8/8/1B6/4K2R w K - 0 1", "e1g1", "O-O"),
        ("2rkr3/2p1p3/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O#"),
        ("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1", "b1d2", "Nbd2"),
        ("4k3/8/8/3N4/8/8/8/3NK3 w - - 0 1", "d1c3", "N1c3"),
        ("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
        ("4k3/8/8/8/1b6/8/3N4/4KN2 w - - 0 1", "f1e3", "Ne3"),
    ],
)
def test_names(fen: str, move: str, name: str) -> None:
    position = parse(fen)
    assert notation(position, move) == name
    assert CHESS.name(position, move) == name
    assert read(position, name) == move


@pytest.mark.parametrize(
    ("text", "move"),
    [
        *(("e5d6", "e5d6"), ("exd6", "e5d6"), ("ed6", "e5d6"), ("exd6 e.p.", "e5d6"), ("e5xd6", "e5d6")),
        *(("O-O", "e1g1"), ("0-0", "e1g1"), ("0-0-0", "e1c1"), ("o-o-o!", "e1c1"), ("e1-g1", "e1g1")),
        *(("g8", ""), ("hxg8=N", "h7g8n"), ("hg8q", "h7g8q"), ("h8Q", "h7h8q"), ("h8=B+", "h7h8b"), ("h8", "")),
        *(("bxc3", "b2c3"), ("Bxc3", "d2c3"), ("bc3", "b2c3"), ("Bc3", "d2c3"), ("Bd2xc3+", "d2c3")),
        *(("Rb1", "a1b1"), ("Rf1", "h1f1"), ("R1f1", "h1f1"), ("Ke2", "e1e2"), (" Ke2?! ", "e1e2"), ("ke2", "")),
        *(("E5D6", "e5d6"), ("E1G1", "e1g1"), ("E1-C1", "e1c1"), ("H7G8N", "h7g8n"), ("E5XD6", "e5d6"), ("BC3", "")),
        *(("", ""), ("x", ""), ("Kd8", ""), ("e9", ""), ("d6", ""), ("O-O-O-O", ""), ("resign", "")),
    ],
)
def test_what_people_type(text: str, move: str) -> None:
    position = parse("4k1n1/7P/8/3pP3/8/2p5/1P1B4/R3K2R w KQ d6 0 1")
    assert read(position, text) == (move or text)


def test_squares_in_capitals_are_refused_for_what_they_mean() -> None:
    position = CHESS.start
    with pytest.raises(IllegalMove, match="the pawn on e2 cannot go to e5"):
        position.play(CHESS.meant(position, "E2E5"))


def test_an_ambiguous_name_means_nothing() -> None:
    assert read(parse("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1"), "Nd2") == "Nd2"


# Positions as text


@pytest.mark.parametrize(
    ("fen", "why"),
    [
        ("", "is a FEN"),
        ("8/8/8/8/8/8/8/8", "is a FEN"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0", "is a FEN"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 1", "is a FEN"),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", "8 rows"),
        ("4k4/8/8/8/8/8/8/4K3 w - - 0 1", "8 rows"),
        ("4k3/8/8/8/8/8/8/4KX2 w - - 0 1", "8 rows"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "one king"),
        ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "one king"),
        ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "no pawn"),
        ("4k3/8/8/8/8/8/8/p3K3 w - - 0 1", "no pawn"),
        ("4k3/8/8/8/P7/PPPPPPPP/8/4K3 w - - 0 1", "8 pawns"),
        ("4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1", "8 pawns"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "w or b"),
        ("4k3/8/8/8/8/8/8/4K2R w k - 0 1", "king and rook"),
        ("4k3/8/8/8/8/8/8/3K3R w K - 0 1", "king and rook"),
        ("4k3/8/8/8/8/8/8/4K2R w KK - 0 1", "some of KQkq"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "not to move is in check"),
        ("8/8/8/8/8/8/4k3/4K3 w - - 0 1", "not to move is in check"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "double step"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d3 0 1", "double step"),
        ("4k3/3n4/8/3pP3/8/8/8/4K3 w - z9 0 1", "double step"),
        ("4k3/3n4/8/3pP3/8/8/8/4K3 w - d6 0 1", "double step"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 151 1", "last two fields"),
        ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", "last two fields"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", "last two fields"),
        ("4k3/8/8/8/8/8/8/4K3 w - - \u0661 1", "last two fields"),
    ],
)
def test_impossible_positions_are_refused(fen: str, why: str) -> None:
    with pytest.raises(InvalidPosition, match=why):
        parse(fen)


def test_clocks_may_be_left_out_and_do_not_matter_for_equality() -> None:
    board = "4k3/8/8/8/8/8/4P3/4K3 w - -"
    assert parse(board).text == f"{board} 0 1"
    assert parse(f"{board} 30 40") == parse(board)
    assert hash(parse(f"{board} 30 40")) == hash(parse(board))
    assert parse(board.replace("w", "b")) != parse(board)


def test_positions_of_random_games_are_values() -> None:
    for seed in range(4):
        rng = random.Random(seed)
        position = START
        for ply in range(80):
            assert (position.ply, position.to_move) == (ply, (Side.FIRST, Side.SECOND)[ply % 2])
            again = parse(position.text)
            assert (again, hash(again)) == (position, hash(position))
            assert (again.text, again.ply, again.legal_moves) == (position.text, ply, position.legal_moves)
            assert (again.middle, again.late, again.phase) == (position.middle, position.late, position.phase)
            assert "".join(position.rows) == position.board
            squares = [name for row in CHESS.layout for name in row]
            legal = list(position.legal_moves)
            assert legal == sorted(
                legal, key=lambda move: (squares.index(move[:2]), squares.index(move[2:4]), move[4:])
            )
            if position.outcome is not None:
                break
            position = position.play(rng.choice(legal))


def test_repetitions_are_counted_in_another_process() -> None:
    """Strings have another hash in each."""
    twice = pickle.dumps(played("Nf3 Nf6 Ng1 Ng8"))
    program = (
        "import pickle, sys; position = pickle.load(sys.stdin.buffer)\n"
        "for move in 'g1f3 g8f6 f3g1 f6g8'.split(): position = position.play(move)\n"
        "print(position.times)"
    )
    run = subprocess.run([sys.executable, "-c", program], input=twice, capture_output=True, check=True)
    assert run.stdout.strip() == b"3"


# Set up from a position


def test_a_game_can_begin_from_a_position() -> None:
    game = variant({"start": "4k3/8/8/8/8/8/4P3/4K3 b - - 12 30"})
    assert (game.key, game.start.ply, game.start.to_move) == ("chess", 0, Side.SECOND)
    assert game.start.text == "4k3/8/8/8/8/8/4P3/4K3 b - - 12 30"
    assert game.start.play("e8e7").ply == 1
    assert variant({"start": ""}).start == START
    with pytest.raises(InvalidPosition, match="over at its start"):
        variant({"start": "4k3/8/8/8/8/8/8/4K3 w - - 0 1"})
    with pytest.raises(InvalidPosition, match="is a FEN"):
        variant({"start": "nonsense"})


# For the computer


def test_the_estimate_is_the_same_for_both_sides() -> None:
    assert evaluate(START) == 0
    for fen in PERFT:
        rows, mover, rights, behind, *clocks = fen.split()
        turned = "/".join(reversed(rows.split("/"))).swapcase()
        other = " ".join([turned, "b" if mover == "w" else "w", "".join(sorted(rights.swapcase())), behind, *clocks])
        assert evaluate(parse(other)) == evaluate(parse(fen))


def test_a_rook_more_is_worth_about_five_pawns() -> None:
    assert 450 < evaluate(parse("4k3/pppppppp/8/8/8/8/PPPPPPPP/R3K3 w Q - 0 1")) < 550
    assert -550 < evaluate(parse("4k3/pppppppp/8/8/8/8/PPPPPPPP/R3K3 b Q - 0 1")) < -450


def test_captures_of_the_most_by_the_least_are_searched_first() -> None:
    position = parse("3r2k1/2P5/8/3q1n2/4P3/5Q2/8/6K1 w - - 0 1")
    assert noisy(position) == ("c7d8q", "c7c8q", "e4d5", "e4f5", "f3f5")
    assert noisy(parse("6k1/8/8/q3n3/3P4/8/8/Q5K1 w - - 0 1")) == ("a1a5", "d4e5")
    guarded = parse("4k3/4p3/3p1n2/8/6N1/8/3Q4/4K3 w - - 0 1")
    assert noisy(guarded) == ("g4f6",), "the queen is worth more than the pawn and the one that guards it"
    in_passing = parse("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")
    assert noisy(in_passing) == ("e5d6",)
    assert noisy(START) == ()
    checked = parse("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1")
    assert noisy(checked) == checked.legal_moves
