"""The kernel of Go and Hex against the pure rules."""

from __future__ import annotations

import random

import numpy as np
import pytest

from noughts.engine.playouts import kernel, patterns
from noughts.engine.playouts.engine import PlayoutEngine
from noughts.games import Game, Side
from noughts.games.catalogue import game_named
from noughts.games.go import PASS, GoPosition
from noughts.games.hex import HexPosition, ways

pytestmark = pytest.mark.slow

GO_BOARDS = ("go", "go?size=13&komi=5.5")


class Board(PlayoutEngine):
    """An engine whose board the tests play on."""

    def __init__(self, game: Game) -> None:
        super().__init__(game, tree_size=4000)
        self.m = self._memory

    def put(self, move: str) -> None:
        kernel.put(self.m, self._cells.get(move, kernel.PASS))
        self.m[kernel.BOARDS + self.m[kernel.PAST]] = self.m[kernel.KEY]
        self.m[kernel.PAST] += 1

    def moves(self) -> set[str]:
        """The moves of the root of a new tree."""
        self._tree[0, :] = 0
        self.m[kernel.USED] = 1
        assert kernel.grow(self.m, 0, self._tree, self._sums, self._patterns)
        return {self._names[int(self._tree[child, kernel.MOVE])] for child in self._children(0)}

    def rows(self, symbols: str) -> tuple[str, ...]:
        colors = self.m[kernel.COLOR : kernel.COLOR + kernel.AREA]
        rows = range(1, self.m[kernel.SIZE] + 1)
        return tuple("".join(("." + symbols)[colors[kernel.STRIDE * row + column]] for column in rows) for row in rows)

    def groups(self) -> list[tuple[int, ...]]:
        """The counts of each group."""
        found: dict[int, tuple[int, ...]] = {}
        for cell in self._cells.values():
            if self.m[kernel.COLOR + cell] != kernel.EMPTY:
                head = int(self.m[kernel.HEAD + cell])
                counts = (kernel.STONES, kernel.LIBERTIES, kernel.SUM, kernel.SQUARES)
                found[head] = tuple(int(self.m[count + head]) for count in counts)
        return sorted(found.values())


def small_moves(position: GoPosition, rng: random.Random) -> str:
    """A move that makes captures and repetitions likely: near the corner."""
    near = [move for move in position.legal_moves if move != PASS and move[0] in "abc" and int(move[1:]) <= 3]
    return rng.choice(near or position.legal_moves)


@pytest.mark.parametrize("name", GO_BOARDS)
@pytest.mark.parametrize("corner", [False, True])
def test_go_has_the_moves_boards_and_points_of_the_rules(name: str, corner: bool) -> None:
    game, rng, suicides, forbidden = game_named(name), random.Random(1), 0, 0
    board, again = Board(game), Board(game)
    for _ in range(4):
        position = game.start
        assert isinstance(position, GoPosition)
        board._set_up(position)
        for _ in range(250):
            legal = set(position.legal_moves)
            if board.m[kernel.PASSES] < 2:
                assert board.moves() == legal
            assert board.rows("bw") == position.rows
            assert kernel.lead(board.m) == 2 * position.lead
            if position.outcome:
                break
            empty = {name for name in board._cells if board.m[kernel.COLOR + board._cells[name]] == kernel.EMPTY}
            forbidden += sum(kernel.survives(board.m, board._cells[point]) for point in empty - legal)
            move = small_moves(position, rng) if corner else rng.choice(position.legal_moves)
            if move != PASS:
                key = kernel.key_after(board.m, board._cells[move])
                suicides += not kernel.survives(board.m, board._cells[move])
            position = position.play(move)
            board.put(move)
            assert move == PASS or board.m[kernel.KEY] == key
            again._set_up(position)
            assert again.groups() == board.groups()
            assert list(again.m[kernel.BOARDS : kernel.BOARDS + again.m[kernel.PAST]])[-1] == board.m[kernel.KEY]
    if corner:
        assert suicides > 9
        assert forbidden  # by superko


@pytest.mark.parametrize("name", ["hex", "hex?size=5", "hex?size=7&swap=no"])
def test_hex_has_the_moves_boards_and_ends_of_the_rules(name: str) -> None:
    game, rng, swaps = game_named(name), random.Random(2), 0
    board = Board(game)
    for _ in range(20):
        position = game.start
        assert isinstance(position, HexPosition)
        board._set_up(position)
        while not position.outcome:
            assert board.moves() == set(position.legal_moves)
            swap = position.can_swap and rng.random() < 0.5
            swaps += swap
            move = "swap" if swap else rng.choice(position.legal_moves)
            position = position.play(move)
            board.put(move)
            assert board.rows("rb") == position.rows
            assert swap or kernel.has_chain(board.m) == position.won
        winner = position.outcome.winner
        while board.m[kernel.EMPTIES]:  # more stones change nothing
            kernel.put(board.m, board.m[kernel.LIST])
        assert kernel.first_won(board.m) == (2 if winner == "first" else 0)
    assert bool(swaps) == (name != "hex?size=7&swap=no")


def test_the_stones_that_hex_needs_are_those_of_the_heuristic() -> None:
    game, rng = game_named("hex?swap=no"), random.Random(3)
    board = Board(game)
    for _ in range(30):
        position = game.start
        assert isinstance(position, HexPosition)
        for _ in range(rng.randrange(60)):
            if not position.outcome:
                position = position.play(rng.choice(position.legal_moves))
        if position.outcome:
            continue
        board._set_up(position)
        on, empty = position.on, position.on.everywhere & ~(position.first | position.second)
        for side, stones in zip(Side, (position.first, position.second), strict=True):
            color = kernel.FIRST if side == "first" else kernel.SECOND
            kernel.measure(board.m, color, 1)
            found = int(kernel.measure(board.m, color, 0))
            need = board.m[kernel.NEED + 2 * (color - 1) * kernel.AREA :]
            through = {
                name
                for name, cell in board._cells.items()
                if board.m[kernel.COLOR + cell] == kernel.EMPTY and need[cell] + need[kernel.AREA + cell] == found + 1
            }
            least, cells = ways(on, side, stones, empty)
            assert (found, through) == (least, set(on.names(cells)))


@pytest.mark.parametrize(
    ("red", "blue", "saves"),
    [("b2 c3", "c2", "b3"), ("b2 c3", "b3", "c2"), ("b4", "b5", "a5"), ("b4", "a5", "b5"), ("b2 c3", "e5", "")],
)
def test_a_bridge_of_hex_is_saved_and_an_edge_counts_as_stones(red: str, blue: str, saves: str) -> None:
    board = Board(game_named("hex?size=5"))
    kernel.clear(board.m)
    for color, names in (kernel.FIRST, red), (kernel.SECOND, blue):
        for name in names.split():
            board.m[kernel.TURN] = color
            board.put(name)
    for number in range(1, 5):
        board.m[kernel.RANDOM] = number
        cell = int(kernel.bridge(board.m))
        assert (board._names[cell] if cell else "") == saves


def test_the_patterns_hold_in_all_directions_and_colors() -> None:
    table = patterns.table()

    def code(rows: str) -> int:
        cells = rows.replace(" ", "")
        return sum(".XO#".index(cells[place]) << 2 * at for at, place in enumerate(patterns.CIRCLE))

    for rows in ("XOX ... ...", "X.. O.. X..", "... ... OXO", ".O. X.. ...", "OX. X.O ###", "XO. O.X ###"):
        assert table[code(rows)], rows
    for rows in ("... ... ...", "XXX ... ...", "XO. X.O ###", "... X.. ###"):
        assert not table[code(rows)], rows


def test_random_numbers_are_spread_evenly() -> None:
    memory = kernel.memory_of(kernel.GO, 9, 7)
    memory[kernel.RANDOM] = 1
    counts = np.bincount([kernel.rand(memory, 7) for _ in range(7000)], minlength=7)
    assert counts.min() > 900
    assert counts.max() < 1100
