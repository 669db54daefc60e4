"""The heuristics with which games estimate unfinished positions."""

import random
from dataclasses import replace

import pytest

from noughts.engine import Interrupt, Limits, Textbook
from noughts.games import GAMES, Game, Position, Side
from noughts.games.connect4 import AT_ONCE, BITS, EVERYWHERE, OWN_ROW, THREAT, Connect4Position, has_line, threats_of
from noughts.games.grid import coordinates
from noughts.games.mnk import mnk
from noughts.games.threats import Threats

KEYS = ("connect4", "reversi", "gomoku", "ultimate")


def positions(key: str, games: int = 12, seed: int = 1) -> list[Position]:
    """Unfinished positions of random games."""
    rng = random.Random(seed)
    found = []
    for _ in range(games):
        position = GAMES[key].start
        while position.to_move:
            found.append(position)
            position = position.play(rng.choice(position.legal_moves))
    return found


def value(game: Game, position: Position) -> int:
    assert game.heuristic
    return game.heuristic.evaluate(position)


def candidates(game: Game, position: Position) -> tuple[str, ...]:
    assert game.heuristic
    assert game.heuristic.candidates
    return game.heuristic.candidates(position)


@pytest.mark.parametrize("key", KEYS)
def test_candidates_are_legal_moves(key: str) -> None:
    for position in positions(key):
        found = candidates(GAMES[key], position)
        assert found
        assert len(set(found)) == len(found)
        assert set(found) <= set(position.legal_moves)
        assert key == "gomoku" or len(found) == len(position.legal_moves)


def turned(key: str, position: Position, seen_from: str) -> Position:
    """The same position with left and right exchanged, or top and bottom."""
    board, space, rest = position.text.partition(" ")
    rows = board.split("/")
    rows = rows[::-1] if seen_from == "below" else [row[::-1] for row in rows]
    if key == "ultimate" and rest:
        column, row = (int(rest) - 1) % 3, (int(rest) - 1) // 3
        rest = str((2 - row) * 3 + column + 1 if seen_from == "below" else row * 3 + 2 - column + 1)
    return GAMES[key].parse("/".join(rows) + space + rest)


@pytest.mark.parametrize(
    ("key", "seen_from"),
    [(key, "behind") for key in KEYS] + [(key, "below") for key in KEYS if key != "connect4"],
)
def test_reflections_have_the_same_value(key: str, seen_from: str) -> None:
    game = GAMES[key]
    values = set()
    for position in positions(key, 4):
        reflected = turned(key, position, seen_from)
        assert value(game, position) == value(game, reflected), position.text
        values.add(value(game, position))
    assert len(values) > 10


@pytest.mark.slow
@pytest.mark.parametrize(("key", "games"), [("connect4", 20), ("reversi", 10), ("ultimate", 10), ("gomoku", 4)])
def test_the_heuristic_beats_a_search_of_the_same_depth_without_it(key: str, games: int) -> None:
    game = GAMES[key]
    assert game.heuristic
    seeing = Textbook(game)
    blind = Textbook(replace(game, heuristic=replace(game.heuristic, evaluate=even)))
    rng = random.Random(2)
    points = 0.0
    for number in range(games):
        side = tuple(Side)[number % 2]
        position = game.start
        while position.to_move:
            engine = seeing if position.to_move is side else blind
            moves: tuple[str, ...] = position.legal_moves
            if position.ply >= 4:
                moves = engine.analyse(position, Limits(depth=2, every_move=False), Interrupt()).choices
            position = position.play(rng.choice(moves))
        assert position.outcome
        points += 0.5 if position.outcome.winner is None else position.outcome.winner is side
    assert points >= 0.8 * games


def even(position: Position) -> int:
    return 0


def test_connect_four_finds_all_threats() -> None:
    for position in positions("connect4", 40):
        assert isinstance(position, Connect4Position)
        empty = EVERYWHERE & ~(position.first | position.second)
        for discs in (position.first, position.second):
            made = sum(bit for bit in BITS if bit & empty and has_line(discs | bit))
            assert threats_of(discs, empty) == made


def test_connect_four_values_threats() -> None:
    game = GAMES["connect4"]
    # Red threatens a3 and e3 from below, an odd row, and e4, an even one; each side has three discs in the middle.
    position = game.parse("......./......./......./.rrr.../.yry.../.ryy...")
    assert value(game, position) == -(3 * THREAT + 2 * OWN_ROW)
    # With yellow's disc below e3, red makes a line at once; with two such cells yellow could not stop it.
    position = position.play("5").play("7").play("5")
    assert value(game, position) == AT_ONCE
    assert value(game, position.play("7").play("1").play("7").play("1")) == AT_ONCE


def test_gomoku_counts_the_windows() -> None:
    columns, rows, length = 9, 7, 5
    game = mnk("some", "Some", columns, rows, length)
    threats = Threats(game.layout, length, 2)
    cells = coordinates(columns, rows)
    bits = game.start.on.bits  # type: ignore[attr-defined]
    rng = random.Random(4)
    for _ in range(50):
        stones = [[rng.choice("xo...") for _ in range(columns)] for _ in range(rows)]
        own, other = (
            sum(bits[cells[r][c]] for r in range(rows) for c in range(columns) if stones[r][c] == symbol)
            for symbol in "xo"
        )
        for number, (right, down) in enumerate([(1, 0), (-1, 1), (0, 1), (1, 1)]):
            expected = [set[str](), set[str](), set[str](), set[str]()]
            spread = [set[str](), set[str](), set[str](), set[str]()]
            for r in range(rows):
                for c in range(columns):
                    window = [(r + n * down, c + n * right) for n in range(length)]
                    if all(0 <= y < rows and 0 <= x < columns and stones[y][x] != "o" for y, x in window):
                        lacking = sum(stones[y][x] == "." for y, x in window)
                        if 1 <= lacking <= 4:
                            expected[lacking - 1].add(cells[r][c])
                            spread[lacking - 1] |= {cells[y][x] for y, x in window}
            direction, *found = list(threats.windows(own, other))[number]
            assert [set(threats.names(each)) for each in found] == expected
            assert [set(threats.names(threats.cells(direction, each))) for each in found] == spread


def gomoku(*rows: str) -> Position:
    """The position of these rows at the top left of an empty board."""
    full = [row.ljust(15, ".") for row in rows] + ["." * 15] * (15 - len(rows))
    return GAMES["gomoku"].parse("/".join(full))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("bbbb...", "wwww..."), {"e1"}),  # a line, though the other has four as well
        (("wwww...", "bbb....", "......b"), {"e1"}),  # the other's line
        (("...", ".wwww..", ".bbb..b"), {"a2", "f2"}),  # either end, though one cannot stop both
        (("...", "..www..", "", ".b.b...", "....b.."), {"a2", "b2", "f2", "g2"}),  # an open three
    ],
)
def test_gomoku_candidates_answer_threats(rows: tuple[str, ...], expected: set[str]) -> None:
    assert set(candidates(GAMES["gomoku"], gomoku(*rows))) == expected


def test_gomoku_candidates_are_near_stones() -> None:
    position = GAMES["gomoku"].start
    assert candidates(GAMES["gomoku"], position) == ("h8",)
    assert set(candidates(GAMES["gomoku"], position.play("a1"))) == {"b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"}


def test_reversi_values_corners_and_avoids_their_neighbours() -> None:
    game = GAMES["reversi"]
    row = "/".join([*["{}"] * 2, "..b.....", "...bw...", "...wb...", *["........"] * 3]) + " first"
    values = [
        value(game, game.parse(row.format(*rows)))
        for rows in (("b.......", ".b......"), ("........", ".b......"), ("........", "..b....."))
    ]
    with_the_corner, beside_it, away = values
    assert with_the_corner > away > beside_it


def test_ultimate_values_small_boards_and_freedom() -> None:
    game = GAMES["ultimate"]
    # X, who is to move, has the small board in the middle, or else two of its cells and a third elsewhere.
    rows = [*["........."] * 3, "o..{}..o", ".........", "........o", *["........."] * 2, "........{}"]
    won, not_won = (game.parse("/".join(rows).format(*cells) + " 1") for cells in (("xxx", "."), ("xx.", "x")))
    assert value(game, won) > value(game, not_won) > -5
    # The same with X free to play anywhere.
    sent, free = (replace(won, sent_to=board) for board in (0, -1))  # type: ignore[type-var]
    assert value(game, free) > value(game, sent)
