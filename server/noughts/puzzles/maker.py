"""Puzzles from games: positions with one right move, proved, without repeated ideas. Pure; a seed decides its games."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence

from noughts.engine import LEVELS, Engine, Interrupt, Limits, choose, plain_engine_of
from noughts.engine.engines import usable_engine_of
from noughts.engine.review import prospect_of
from noughts.games import Game, Position
from noughts.games.catalogue import begun, name_of
from noughts.games.symmetry import canonical, turns_of
from noughts.puzzles.oracle import NEVER, EngineOracle, SearchOracle, Undecided, oracle_of, solver_of, winner_of
from noughts.puzzles.play import best_move, defence, is_kept, left
from noughts.puzzles.puzzle import Goal, Puzzle, solved

MOST_PLIES = 15
"""The longest solution: eight moves."""

FASTEST_PLIES = 5
"""The longest solution in so many moves, in a game without a table: three moves."""

SCOUTED = ("chess",)
"""The games whose kernels find forced wins that they prove, though they do not solve positions. The oracle, which knows
only the game's rules, then proves again what such a scout has found, and is not asked about anything else."""

SCOUTED_PLIES = 7
"""The longest solution in so many moves in such a game: four moves."""

SCOUT_NODES, SCOUTED_NODES = 60_000, 60_000
"""The positions that the scout may visit, and those that the proof of what it has found may take."""

FEWEST_MOVES = 3
"""With fewer legal moves there is nothing to find."""

APART = 8
"""The plies between two puzzles from one game: nearer ones look alike."""

ONE_IN = 20
"""At most one puzzle in so many is a win in one move."""

KERNEL_NODES, NODES, WIN_NODES = 100_000, 3_000, 10_000
"""The positions that a proof may take, with a kernel, without, and without where only wins are proved.

What takes longer is no puzzle for people, and most of the time would go into proofs that fail: with a tenth of the
positions the maker finds some five times as many puzzles in the same time."""

SEARCH_NODES = 30_000
"""The positions that a search visits to find out how hard a puzzle is."""

OPENING = 4
"""The first plies of a game are played at random."""

LONGEST_GAME = 160
"""In plies: a longer game of the engine is broken off."""


def scout_of(game: Game) -> Engine | None:
    """A new engine that finds forced wins of ``game``; None if there is none, or numba does not work."""
    if game.key not in SCOUTED:
        return None
    engine, why_plain = usable_engine_of(game)
    return engine if why_plain is None else None


def played(game: Game, seed: int) -> Iterator[list[Position]]:
    """The positions of games that the engine plays against itself, without end; ``seed`` decides them.

    It plays with lapses, each side at a level of its own, so that there is something to find.
    """
    solver = solver_of(game)
    scout = scout_of(game)
    engine = solver or scout or plain_engine_of(game)
    levels = (
        ("easy", "medium")
        if scout
        else ("easy",)
        if game.repeats
        else ("easy", "medium", "hard")
        if solver
        else ("easy", "medium")
    )
    number = 0
    while True:
        rng = random.Random(f"{seed}/{number}")
        sides = [rng.choice(levels) for _ in range(2)]
        position, positions = game.start, [game.start]
        while position.to_move is not None and len(positions) <= LONGEST_GAME:
            level = LEVELS[sides[position.to_move is game.start.to_move]]
            early = len(positions) <= OPENING
            move = rng.choice(position.legal_moves) if early else choose(engine, position, level, rng, Interrupt())
            position = position.play(move)
            positions.append(position)
        yield positions
        number += 1


class Maker:
    """Makes the puzzles of a game, and remembers their ideas. ``nodes`` bounds each proof.

    ``known`` is the number of puzzles that it has made or been told of.
    """

    def __init__(self, game: Game, nodes: int | None = None) -> None:
        self.game = game
        self.known = 0
        self._easiest = 0
        solver = solver_of(game)
        self._scout = scout_of(game)
        self._engine = solver or self._scout or plain_engine_of(game)
        self._oracle = oracle_of(game, nodes or _nodes_for(game, solver, self._scout))
        self._turns = turns_of(game)
        self._seen: set[object] = set()

    def puzzles(self, games: Iterable[Sequence[Position]]) -> Iterator[Puzzle]:
        """The puzzles in ``games``, each the positions of a game in order."""
        for positions in games:
            yield from self._in_game(positions)

    def know(self, puzzle: Puzzle) -> None:
        """Never make this puzzle, or one that leads into it or comes from it."""
        self.known += 1
        self._easiest += _is_easiest(puzzle)
        position = puzzle.position
        self._seen.add(self._form(position))
        for move in puzzle.line:
            position = position.play(move)
            if position.to_move is puzzle.side:
                self._seen.add(self._form(position))

    def _in_game(self, positions: Sequence[Position]) -> Iterator[Puzzle]:
        """Those puzzles first that begin early: they are longer."""
        found: list[tuple[int, Position, str, Goal, int]] = []
        failed = 0
        winner = winner_of(positions[-1])
        for number, position in reversed([*enumerate(positions)]):
            may_win = winner is None or position.to_move is winner
            if len(position.legal_moves) < FEWEST_MOVES or (self.game.repeats and not may_win):
                continue
            # A history is no part of a puzzle.
            alone = self.game.parse(position.text)
            try:
                one = self._only_move(alone, may_win=may_win)
                failed = 0
            except Undecided:
                failed += 1
                if failed == 2:  # proofs become longer towards the beginning
                    break
                continue
            if one is not None:
                found.append((number, alone, *one))
        free = 0
        for number, position, move, goal, plies in reversed(found):
            if number >= free and (puzzle := self._puzzle(position, move, goal, plies)) is not None:
                free = number + APART
                yield puzzle

    def _only_move(self, position: Position, *, may_win: bool) -> tuple[str, Goal, int] | None:
        """The one right move, the goal, and for FASTEST the plies. None if there is no such move. Raises Undecided.

        A forced win is looked for only if the side won the game: that there is none takes long to prove.
        """
        undecided = False
        if not self.game.repeats:
            try:
                only = self._oracle.only_move(position)
                return None if only is None else (only[0], Goal.WIN if only[1] else Goal.DRAW, 0)
            except Undecided:
                undecided = True
        if may_win and isinstance(self._oracle, SearchOracle) and self.game.margin is None:
            within = FASTEST_PLIES if self._scout is None else self._scouted(self._scout, position)
            fastest = None if within is None else self._oracle.fastest(position, within)
            if fastest is not None:
                return fastest[0], Goal.FASTEST, fastest[1]
        if undecided:
            raise Undecided
        return None

    def _scouted(self, scout: Engine, position: Position) -> int | None:
        """The plies of the soonest win that the scout finds, None if it finds none, or several moves win as soon."""
        found = scout.analyse(position, Limits(nodes=SCOUT_NODES), Interrupt())
        wins = [
            move.distance
            for move in found.moves.values()
            if move.distance is not None and move.exact and prospect_of(self.game, move).low > 0
        ]
        soonest = min(wins, default=NEVER)
        return soonest if soonest <= SCOUTED_PLIES and wins.count(soonest) == 1 else None

    def _puzzle(self, position: Position, move: str, goal: Goal, plies: int) -> Puzzle | None:
        """The puzzle, None if its idea is known, or if it is too long or one of too many wins in one move."""
        if self._form(position) in self._seen:
            return None
        start = begun(name_of(self.game), position.text)
        try:
            line = self._line(Puzzle(start, goal, (move,) * plies, 0), move)  # of its line only the length is known yet
        except Undecided:
            return None
        if line is None:
            return None
        puzzle = Puzzle(start, goal, line, rated(self._engine, position, line))
        if _is_easiest(puzzle) and self._easiest * ONE_IN > self.known:
            return None
        if any(self._form(each) in self._seen for each in _own_turns(puzzle)):
            return None
        self.know(puzzle)
        return puzzle

    def _line(self, puzzle: Puzzle, move: str) -> tuple[str, ...] | None:
        """The solution by best play, None if it is longer than :data:`MOST_PLIES`. Raises Undecided."""
        line, position = [move], puzzle.position.play(move)
        while not solved(puzzle, position):
            if len(line) == MOST_PLIES:
                return None
            within = left(puzzle, len(line))
            if position.to_move is puzzle.side:
                move = best_move(self._oracle, position, within)
            else:
                move = defence(self._oracle, position, within)
            line.append(move)
            position = position.play(move)
        return tuple(line)

    def _form(self, position: Position) -> object:
        """A form that a position shares with its reflections."""
        return (position.to_move, canonical(self.game, position, self._turns)) if self._turns else position


def _nodes_for(game: Game, solver: Engine | None, scout: Engine | None) -> int:
    """The positions that a proof may take."""
    if solver is not None:
        return KERNEL_NODES
    return SCOUTED_NODES if scout is not None else WIN_NODES if game.repeats else NODES


def _is_easiest(puzzle: Puzzle) -> bool:
    """True for a win in one move."""
    return puzzle.moves == 1 and puzzle.goal is not Goal.DRAW


def _own_turns(puzzle: Puzzle) -> Iterator[Position]:
    """The positions of its line in which its side is to move, without the first."""
    position = puzzle.position
    for move in puzzle.line:
        position = position.play(move)
        if position.to_move is puzzle.side:
            yield position


def rated(engine: Engine, position: Position, line: Sequence[str]) -> int:
    """The difficulty of finding the first move of ``line``, from some 600 to 2200, on the scale of players' ratings.

    It grows with the depth from which on a search finds the move and stays with it, with the legal moves, and with the
    moves that follow. It is a guess: no people were measured.
    """
    depth = 1
    for deeper in range(1, len(line) + 1):
        analysis = engine.analyse(position, Limits(deeper, SEARCH_NODES, every_move=False), Interrupt())
        if analysis.choices != (line[0],):
            depth = deeper + 1
        if analysis.depth < deeper and not analysis.exact:
            depth = len(line)  # too deep for so few nodes
            break
    return round(200 + 300 * math.log2(1 + depth) + 60 * math.log2(len(position.legal_moves)) + 20 * len(line))


def proved_again(puzzle: Puzzle, oracle: EngineOracle | SearchOracle) -> bool:
    """True if the first move is the only one that keeps the goal, and the line keeps and reaches it.

    Raises Undecided.
    """
    position, move = puzzle.position, puzzle.line[0]
    if puzzle.goal is Goal.FASTEST:
        assert isinstance(oracle, SearchOracle)
        if oracle.fastest(position, len(puzzle.line)) != (move, len(puzzle.line)):
            return False
    elif oracle.only_move(position) != (move, int(puzzle.goal is Goal.WIN)):
        return False
    for number, each in enumerate(puzzle.line):
        if solved(puzzle, position):
            return False
        if number and position.to_move is puzzle.side:
            outlook = oracle.outlooks(position, left(puzzle, number))[each]
            if not is_kept(puzzle, outlook):
                return False
        position = position.play(each)
    outcome = position.outcome
    return solved(puzzle, position) and (puzzle.goal is not Goal.DRAW or (outcome is not None and not outcome.winner))
