"""Monte-Carlo tree search for any game. Pure; does no I/O, and a seed decides its playouts.

UCT, as in Kocsis and Szepesvari, *Bandit Based Monte-Carlo Planning* (2006), and in the survey by Browne et al. (2012):
each iteration goes down the tree by the upper confidence bounds of the moves, adds a position, plays from there to the
end of the game at random, and tells the result to every position on its way. The additions are published ones:

- Proved results (Winands, Bjornsson and Saito, *Monte-Carlo Tree Search Solver*, 2008), in the form of Cazenave and
  Saffidine, *Score Bounded Monte-Carlo Tree Search* (2010): each position has the least and the greatest value that it
  may have, a draw or the distance of a win included. A move that cannot change the result gets no more playouts.
- Decisive moves (Teytaud and Teytaud, *On the Huge Benefit of Decisive Moves*, 2010): when the tree takes up the moves
  of a position, those that end the game are played at once.
- GRAVE (Cazenave, *Generalized Rapid Action Value Estimation*, 2015): a move with few playouts borrows from those in
  which its side played it later.
- Playouts prefer moves that have done well in others (MAST: Finnsson and Bjornsson, *Simulation-Based Approach to
  General Game Playing*, 2008).

Values are the engine's: a win d plies from the root is worth ``Game.win - d``, or its margin. In the tree they are for
the side to move at the root.

The tree joins no transpositions: each position was played to from the root and has its own history. So a proved win or
loss holds also where earlier positions can decide. A draw there may rest on a repetition or a claim, and is exact only
if the move ends the game.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from noughts.engine.analysis import Analysis, Bound, Interrupt, Limits, MoveValue
from noughts.engine.levels import expected_result
from noughts.engine.textbook import Textbook
from noughts.games import Game, Position, Side

NODES_PER_POLL = 32
"""In a playout too: one of 200 plies may take 10 ms."""

TREE_SIZE = 100_000
"""The positions in a tree. When it is full the search ends."""

PLAYOUT_PLIES = 200
"""A playout that has not ended by then counts as a draw."""

ESTIMATED_PLIES = 8
"""With a heuristic, a playout that has not ended by then counts as the expected result of its estimate."""

EXPLORATION = 0.4
"""The weight of the upper confidence bound beside the mean, which is from 0 to 1."""

FIRST_PLAY = 1.0
"""The same for a move without playouts."""

BIAS = 1e-3
"""The bias of borrowed playouts: the greater, the sooner a move's own playouts count alone."""

REFERENCE = 25
"""A position lends playouts to those below it once it has so many itself."""

GREEDY = 0.6
"""The probability that a playout plays the move that has done best in others."""

UNIT = 100
"""The unit of estimates in games without a heuristic, see ``Heuristic.unit``."""

UNBOUNDED = 10**9
"""More than any margin."""

_Tally = dict[str, list[float]]
"""For moves by name: how often they were played, and the sum of the results for the side that played them."""


@dataclass(frozen=True, slots=True)
class Style:
    """The additions of a search to UCT, by default all of them. See the constants for the numbers.

    ``ahead`` playouts more than a position has had count for its exploration. ``proves``: it backs up proved results
    and plays decisive moves; ``borrows``: it uses GRAVE; ``cutoff``: the heuristic's estimate ends playouts.
    """

    exploration: float = EXPLORATION
    ahead: int = 1
    first_play: float = FIRST_PLAY
    greedy: float = GREEDY
    proves: bool = True
    borrows: bool = True
    cutoff: bool = True


PLAIN = Style(math.sqrt(2), 0, math.inf, 0, proves=False, borrows=False, cutoff=False)
"""UCT as courses teach it, with the bounds of UCB1 (Auer, Cesa-Bianchi and Fischer, 2002) for results from 0 to 1."""


class Watcher(Protocol):
    """Hears each iteration of a search. Results and means are from 0 to 1."""

    def select(self, node: Node, child: Node, terms: Sequence[tuple[Node, float, float]]) -> None:
        """Go down to the ``child`` with the greatest sum: of each child the mean, for the side to move at ``node``, and
        the weight of its exploration.
        """

    def expand(self, node: Node, child: Node) -> None:
        """Add ``child`` to the tree."""

    def playout(self, moves: Sequence[str], end: Position, result: float) -> None:
        """Play ``moves``, none if the game is over, from the new position to ``end``, for the root's ``result``."""

    def back_up(self, path: Sequence[Node], result: float) -> None:
        """Tell the result to the positions on the ``path`` from the root; they have it."""


class _Halt(Exception):
    """The search was stopped, or has reached its limit of nodes."""


class Node:
    """A position in the tree, and what is known of it.

    ``low`` and ``high`` are the least and the greatest value that it may have. ``wins`` is the sum of the results of
    its playouts for the side that moved there. ``untried`` are the moves that are not among the ``children`` yet, None
    before the tree takes them up. ``tallies`` are those of the playouts from here, of the minimizer and the maximizer.
    """

    __slots__ = (
        "children",
        "high",
        "low",
        "maximizing",
        "move",
        "plies",
        "position",
        "tallies",
        "untried",
        "visits",
        "wins",
    )

    def __init__(self, position: Position, move: str, plies: int, bounds: tuple[int, int], *, maximizing: bool) -> None:
        self.position = position
        self.move = move
        self.plies = plies
        self.maximizing = maximizing
        self.low, self.high = bounds
        self.visits = 0
        self.wins = 0.0
        self.untried: list[str] | None = None
        self.children: list[Node] = []
        self.tallies: tuple[_Tally, _Tally] | None = None

    @property
    def solved(self) -> bool:
        """True if the value is known."""
        return self.low == self.high

    @property
    def decided(self) -> bool:
        """True if it is known who wins, or that nobody does."""
        return self.low > 0 or self.high < 0 or self.low == self.high

    def tighten(self) -> bool:
        """Draw conclusions from the bounds of the children. Returns True if there are any."""
        low, high = self.low, self.high
        if self.maximizing:
            self.low = max(low, *[child.low for child in self.children])
            if not self.untried:
                self.high = min(high, max([child.high for child in self.children]))
        else:
            self.high = min(high, *[child.high for child in self.children])
            if not self.untried:
                self.low = max(low, min([child.low for child in self.children]))
        return low != self.low or high != self.high


class MonteCarlo:
    """Searches any game by playouts. It keeps nothing from one search to the next.

    The same ``seed``, position and limit of nodes give the same analysis.
    """

    def __init__(self, game: Game, seed: int = 0) -> None:
        self.game = game
        self.seed = seed

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """See :class:`~noughts.engine.analysis.Engine`.

        Estimates have their ``playouts`` and ``mean``. Playouts have no depth: a search of limited depth is that of
        :class:`~noughts.engine.textbook.Textbook`. The tree has at most :data:`TREE_SIZE` positions and no more than
        ``limits.nodes``, which counts those of playouts too. Raises ValueError if the game lasts longer than
        ``Game.win`` allows.
        """
        if limits.depth is not None:
            return Textbook(self.game).analyse(position, limits, stop)
        return _Search(self.game, position, limits, stop, random.Random(self.seed)).run()


def iterate(
    game: Game, position: Position, iterations: int, watcher: Watcher, *, seed: int, stop: Callable[[], bool]
) -> Node:
    """Tell ``watcher`` the first iterations of a search in the style :data:`PLAIN`, fewer if ``stop`` ends it. Returns
    the root. The same ``seed`` gives the same iterations.
    """
    limits = Limits(every_move=False)
    search = _Search(game, position, limits, stop, random.Random(seed), style=PLAIN, watcher=watcher)
    with suppress(_Halt):
        while search.root.visits < iterations and position.outcome is None:
            search.iterate()
    return search.root


class _Search:
    def __init__(
        self,
        game: Game,
        root: Position,
        limits: Limits,
        stop: Callable[[], bool],
        rng: random.Random,
        *,
        style: Style = Style(),
        watcher: Watcher | None = None,
    ) -> None:
        self.style = style
        self.watcher = watcher
        self.game = game
        self.limits = limits
        self.stop = stop
        self.rng = rng
        # A finished game is valued as if the sides had alternated.
        self.side = root.to_move or (Side.SECOND if root.ply % 2 else Side.FIRST)
        self.nodes = 0
        self.size = 0
        self.exactly = False  # whether all results are known, and only distances and margins are not
        self.most_nodes = math.inf  # for those
        self.tallies: tuple[_Tally, _Tally] = ({}, {})
        self.root = self._node(root, "", 0)
        self.root.tallies = self.tallies

    def run(self) -> Analysis:
        if self.root.position.outcome is not None:
            return Analysis(self.root.low, True, {}, (), 1, 0)
        try:
            while not self._enough():
                self.iterate()
        except _Halt:
            pass
        return self._answer()

    def _enough(self) -> bool:
        """True if more playouts would find no more, or are not allowed."""
        root = self.root
        if root.untried is None:
            return False
        if self.size >= TREE_SIZE:
            return True
        if self.limits.every_move:
            self.exactly = not root.untried and all(child.decided for child in root.children)
            return self.exactly and all(child.solved for child in root.children)
        if root.decided and not self.exactly:
            self.exactly = True
            self.most_nodes = 2 * self.nodes
        return root.solved or self.nodes >= self.most_nodes

    def _node(self, position: Position, move: str, plies: int) -> Node:
        self.size += 1
        game, outcome = self.game, position.outcome
        if outcome is None:
            # Nothing is better than winning at once.
            most = UNBOUNDED if game.margin is not None else max(game.win - plies - 1, 1)
            return Node(position, move, plies, (-most, most), maximizing=position.to_move is self.side)
        worth = 0
        if outcome.winner is not None:
            worth = game.win - plies if game.margin is None else abs(game.margin(position))
            if game.margin is None and worth <= 0:
                raise ValueError(f"a game is won {plies} plies from the root: the game's win must be greater")
            worth = worth if outcome.winner is self.side else -worth
        return Node(position, move, plies, (worth, worth), maximizing=False)

    def _count(self) -> None:
        """Count a position, and now and then poll."""
        if not self.nodes % NODES_PER_POLL and (
            self.stop() or (self.limits.nodes is not None and self.nodes >= self.limits.nodes)
        ):
            raise _Halt
        self.nodes += 1

    def iterate(self) -> None:
        """Selection, expansion, playout and backing up."""
        node, path, tallies = self.root, [self.root], self.tallies
        while node is self.root or not (node.solved if self.exactly else node.decided):
            if node.untried is None:
                if node is not self.root and not node.visits:
                    break
                self._open(node)
                if node.decided:
                    break
            if node.tallies is not None:
                tallies = node.tallies
            node = self._select(node, tallies)
            path.append(node)
        played: list[tuple[bool, str]] = []
        result = 0.5 if node.solved and not node.low else 1.0 if node.low > 0 else 0.0
        if not node.decided:
            result = self._playout(node.position, played)
        elif self.watcher is not None:
            self.watcher.playout((), node.position, result)
        self._back_up(path, played, result)
        if self.watcher is not None:
            self.watcher.back_up(path, result)

    def _open(self, node: Node) -> None:
        """Take up the moves of ``node``, and play those that end the game."""
        if not self.style.proves:
            node.untried = list(node.position.legal_moves)
            self.rng.shuffle(node.untried)
            return
        claim = self.game.claim
        if claim is not None and claim(node.position) is not None:
            node.children.append(Node(node.position, "", node.plies, (0, 0), maximizing=False))
        node.untried = list(node.position.legal_moves)
        self.rng.shuffle(node.untried)
        for move in node.untried[:]:
            self._count()
            after = node.position.play(move)
            if after.outcome is not None:
                node.untried.remove(move)
                node.children.append(self._node(after, move, node.plies + 1))
        if node.children:
            node.tighten()

    def _select(self, node: Node, tallies: tuple[_Tally, _Tally]) -> Node:
        """The child to go down to: an old one, or a new one for the most promising untried move."""
        tally = tallies[node.maximizing]
        every_move = node is self.root and self.limits.every_move
        style = self.style
        exploration = style.exploration * math.sqrt(math.log(max(node.visits + style.ahead, 1)))
        best: Node | None = None
        best_score = -1.0
        terms = []
        for child in node.children:
            if every_move:
                if child.solved if self.exactly else child.decided:
                    continue
            elif style.proves and not self._matters(child, node):
                continue
            visits, mean = child.visits, child.wins / (child.visits or 1)
            if style.borrows and child.move in tally:
                count, wins = tally[child.move]
                share = count / (count + visits + BIAS * count * visits)
                mean += share * (wins / count - mean)
            bonus = exploration / math.sqrt(visits) if visits else style.first_play
            if self.watcher is not None:
                terms.append((child, mean, bonus))
            score = mean + bonus
            if score > best_score:
                best, best_score = child, score
        untried = ""
        for move in node.untried or ():
            count, wins = tally.get(move, (1, 0.5))
            score = wins / count + (2 if every_move else style.first_play)
            if score > best_score:
                untried, best_score = move, score
        if untried and node.untried:
            node.untried.remove(untried)
            self._count()
            best = self._node(node.position.play(untried), untried, node.plies + 1)
            node.children.append(best)
            if self.watcher is not None:
                self.watcher.expand(node, best)
        elif self.watcher is not None and best is not None:
            self.watcher.select(node, best, terms)
        assert best is not None, "a position that is not solved has moves that matter"
        return best

    def _matters(self, child: Node, node: Node) -> bool:
        """True if the result of ``child`` may change that of ``node``; later, if its value may change the value."""
        low, high = (node.low, child.high) if node.maximizing else (-node.high, -child.low)
        return high > low if self.exactly or node.decided else high > 0 or (high == 0 and low < 0)

    def _playout(self, position: Position, played: list[tuple[bool, str]]) -> float:
        """Play to the end, note the moves, and return the result for the side to move at the root, from 0 to 1."""
        rand, side = self.rng.random, self.side
        heuristic = self.game.heuristic if self.style.cutoff else None
        for _ in range(ESTIMATED_PLIES if heuristic else PLAYOUT_PLIES):
            moves = position.legal_moves
            if not moves:
                break
            mine = position.to_move is side
            if rand() < self.style.greedy:
                tally, best, move = self.tallies[mine], -1.0, ""
                for each in moves:
                    known = tally.get(each)
                    mean = known[1] / known[0] + 1e-6 * rand() if known else 1.0
                    if mean > best:
                        best, move = mean, each
            else:
                move = moves[int(rand() * len(moves))]
            played.append((mine, move))
            self._count()
            position = position.play(move)
        outcome = position.outcome
        if outcome is not None:
            result = 0.5 if outcome.winner is None else float(outcome.winner is side)
        elif heuristic is None:
            result = 0.5
        else:
            estimate = MoveValue(heuristic.evaluate(position), exact=False, distance=None, line=())
            result = expected_result(self.game, estimate)
            result = result if position.to_move is side else 1 - result
        if self.watcher is not None:
            self.watcher.playout([move for _, move in played], position, result)
        return result

    def _back_up(self, path: list[Node], played: list[tuple[bool, str]], result: float) -> None:
        """Tell the result to the positions on the ``path``, with the moves ``played`` after it."""
        changed = True
        for depth in range(len(path) - 1, -1, -1):
            node = path[depth]
            node.visits += 1
            if changed and node.children and self.style.proves:
                changed = node.tighten() or depth >= len(path) - 2  # where children may be new
            if node.tallies is not None and (self.style.borrows or self.style.greedy):
                for mine, move in set(played):
                    entry = node.tallies[mine].setdefault(move, [0, 0.0])
                    entry[0] += 1
                    entry[1] += result if mine else 1 - result
            elif node.visits >= REFERENCE:
                node.tallies = {}, {}
            if depth:
                mine = path[depth - 1].maximizing
                node.wins += result if mine else 1 - result
                played.append((mine, node.move))

    def _answer(self) -> Analysis:
        root, position = self.root, self.root.position
        children = {child.move: child for child in root.children if child.move}
        moves = {
            move: self._value(children[move]) if move in children else MoveValue(0, False, None, (move,))
            for move in position.legal_moves
        }
        best = _best(children.values()).move if children else position.legal_moves[0]
        top = moves[best]
        choices = tuple(
            move for move, one in moves.items() if move == best or (top.exact and one.exact and one.value == top.value)
        )
        value, exact = top.value, root.solved and top.exact
        claim = self.game.claim is not None and self.game.claim(position) is not None
        if claim and value < 0:
            value, exact = 0, False
        depth = int(len(children) == len(moves))
        return Analysis(value, exact, moves, choices, self.nodes + 1, depth, claim=claim)

    def _value(self, child: Node) -> MoveValue:
        """The value of a move of the root."""
        line, playouts = _line(child), child.visits
        if child.solved and (child.low or child.untried is None or not (self.game.repeats or self.game.claim)):
            return MoveValue(child.low, True, len(line), line, playouts=playouts)
        if child.low > 0:
            return MoveValue(child.low, False, None, line, bound=Bound.LOWER, playouts=playouts)
        if child.high < 0 or (self.root.solved and not child.solved):
            return MoveValue(child.high, False, None, line, bound=Bound.UPPER, playouts=playouts)
        if not playouts:
            return MoveValue(0, False, None, line)
        mean = 0.5 if child.solved else child.wins / playouts
        unit = self.game.heuristic.unit if self.game.heuristic else UNIT
        odds = max(mean, 1e-6) / max(1 - mean, 1e-6)
        return MoveValue(round(unit * math.log10(odds)), False, None, line, playouts=playouts, mean=mean)


def _best(children: Collection[Node]) -> Node:
    """The move to play: of those not decided the one with the most playouts, unless a decided one is better."""
    rivals = [child for child in children if child.decided]
    rivals += sorted((child for child in children if not child.decided), key=lambda child: -child.visits)[:1]

    def rank(child: Node) -> tuple[int, float, float]:
        if child.low > 0:
            return 1, child.low, child.high
        if child.high < 0:
            return -1, child.high, child.low
        mean = 0.5 if child.decided else child.wins / (child.visits or 1)
        return 0, mean if child.high else min(mean, 0.5), child.low

    return max(rivals, key=rank)


def _line(node: Node) -> tuple[str, ...]:
    """The move to ``node``, and the best line after it: to the end if the value is known."""
    line = [node.move]
    while node.children:
        maximizing = node.maximizing
        if not node.decided:
            node = max(node.children, key=lambda child: child.visits)
        elif maximizing if node.solved else node.low > 0:
            node = (max if maximizing else min)(node.children, key=lambda child: child.low)
        else:
            node = (max if maximizing else min)(node.children, key=lambda child: child.high)
        if not node.move:  # a claim
            break
        line.append(node.move)
    return tuple(line)
