"""Trees of leaves, as in lecture notes: their notation, and their nodes as positions. Pure; does no I/O.

``3,12,8/2,4,6/14,5,2`` is a root with three children of three leaves each. The whole grammar, in which blanks count for
nothing::

    tree      = nodes                              ; one node is the root, of several the root is the parent
    nodes     = node { separator node }
    separator = "," | "/" | "//" | "///" ...       ; "," binds tightest, more slashes bind looser than fewer;
                                                   ; several nodes between looser separators become one node
    node      = [name "="] number                  ; a leaf
              | [[name "="] number] "(" nodes ")"  ; a node with these children; the number is its estimate
              | name "(" nodes ")"
              | name                               ; the node of that name once more, which must be to the left
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from noughts.games import IllegalMove, MalformedMove, Outcome, Reason, Side

MOST_CHARACTERS = 4000
MOST_LEAVES = 500
"""A node that is named again counts each time."""

MOST_PLIES = 20
"""From the root to a leaf."""

LARGEST_VALUE = 1_000_000_000

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?(?!\w))|(?P<name>[^\W\d_]\w{0,15}'{0,3}(?!\w))"
    r"|(?P<slashes>/+)|(?P<sign>[,()=]))"
)
_BLANK = re.compile(r"\s*")


class BadTree(ValueError):
    """The text is not a tree. ``at`` is the index of the character that is wrong, from 0."""

    def __init__(self, problem: str, at: int) -> None:
        super().__init__(problem, at)
        self.problem = problem
        self.at = at

    def __str__(self) -> str:
        return f"character {self.at + 1}: {self.problem}"


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """A node of a tree: equal to itself alone.

    ``value`` is that of a leaf, or the estimate of another node, None if it has none. ``moves`` are the names of the
    ``children``: their own, or their numbers from 1. ``leaves`` counts the leaves below, ``plies`` is the depth.
    """

    name: str
    value: float | None
    children: tuple[Branch, ...] = ()
    moves: tuple[str, ...] = ()
    leaves: int = 1
    plies: int = 0

    @property
    def label(self) -> str:
        """The name, or what stands for it: a leaf's value, or the children."""
        if self.name or not self.children:
            return self.name or str(self.value)
        return f"({','.join(child.label for child in self.children)})"


@dataclass(frozen=True, slots=True)
class TreePosition:
    """A :class:`Branch` as a position of a game in which the sides take turns."""

    branch: Branch
    ply: int = 0

    @property
    def to_move(self) -> Side | None:
        return None if not self.branch.children else Side.SECOND if self.ply % 2 else Side.FIRST

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return self.branch.moves

    @property
    def outcome(self) -> Outcome | None:
        return None if self.branch.children else Outcome(None, Reason.COUNT)

    @property
    def rows(self) -> tuple[str, ...]:
        return ()

    @property
    def text(self) -> str:
        return self.branch.label

    def play(self, move: str) -> TreePosition:
        if not self.branch.children:
            raise IllegalMove("this is a leaf")
        if move not in self.branch.moves:
            raise MalformedMove(f"a move is one of {', '.join(self.branch.moves)}")
        return TreePosition(self.branch.children[self.branch.moves.index(move)], self.ply + 1)


def parse_tree(text: str) -> TreePosition:
    """The root of the tree in ``text``. Raises :class:`BadTree`."""
    if len(text) > MOST_CHARACTERS:
        raise BadTree(f"the tree is longer than {MOST_CHARACTERS:,} characters", MOST_CHARACTERS)
    return TreePosition(_Parser(text.replace("\N{MINUS SIGN}", "-")).tree())


@dataclass(frozen=True, slots=True)
class _Part:
    """A node, and where its text begins."""

    branch: Branch
    at: int


class _Parser:
    """Reads one text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.next = 0
        self.finished: dict[str, Branch] = {}
        self.begun: dict[str, int] = {}

    def tree(self) -> Branch:
        """The root."""
        parts, levels = self.nodes(0)
        if self.next < len(self.tokens):
            _, found, at = self.tokens[self.next]
            raise BadTree("there is no ( for this )" if found == ")" else f"',' or '/' is missing before {found!r}", at)
        if len(parts) == 1:
            return parts[0].branch
        return self.joined(parts, levels).branch

    def nodes(self, nested: int) -> tuple[list[_Part], list[int]]:
        """Nodes, and the separators between them: 0 for a comma, otherwise the number of slashes."""
        parts, levels = [self.node(nested)], []
        while (level := self.separator()) is not None:
            levels.append(level)
            parts.append(self.node(nested))
        return parts, levels

    def separator(self) -> int | None:
        if self.next == len(self.tokens):
            return None
        kind, found, _ = self.tokens[self.next]
        if kind != "slashes" and found != ",":
            return None
        self.next += 1
        return len(found) if kind == "slashes" else 0

    def node(self, nested: int) -> _Part:
        start = self.at
        name, value = self.head()
        if not self.accept("("):
            if value is None:
                if name not in self.finished:
                    raise BadTree(f"there is no complete node {name!r} to the left of this", start)
                return _Part(self.finished[name], start)
            return self.named(_Part(Branch(name, value), start))
        if nested == MOST_PLIES:
            raise BadTree(f"more than {MOST_PLIES} plies", start)
        parts, levels = self.nodes(nested + 1)
        if not self.accept(")"):
            raise BadTree("',', '/' or ')' is missing here", self.at)
        children = [part.branch for part in self.groups(parts, levels)]
        return self.named(_Part(self.branch(name, value, children, start), start))

    def head(self) -> tuple[str, float | None]:
        """A node's name and value, as far as it has them."""
        start = self.at
        name = self.accept_kind("name")
        if name:
            if not self.follows("=", "("):
                return name, None
            if name in self.begun:
                raise BadTree(f"{name!r} is already the name of the node at character {self.begun[name] + 1}", start)
            self.begun[name] = start
            if not self.accept("="):
                return name, None
        at = self.at
        number = self.accept_kind("number")
        if not number and (name or not self.follows("(")):
            what = "a number" if name else "a number, a name or '('"
            raise BadTree(f"{what} is missing here", at)
        if not number:
            return name, None
        value = float(number)
        if abs(value) > LARGEST_VALUE:
            raise BadTree(f"a value is at most {LARGEST_VALUE:,}", at)
        return name, int(value) if value.is_integer() else value

    def named(self, part: _Part) -> _Part:
        if part.branch.name:
            self.finished[part.branch.name] = part.branch
        return part

    def groups(self, parts: list[_Part], levels: list[int]) -> list[_Part]:
        """The children that the nodes ``parts`` make, with the separators ``levels`` between them."""
        loosest = max(levels, default=0)
        if loosest == 0:
            return parts
        made, start = [], 0
        for end, level in enumerate([*levels, loosest], 1):
            if level == loosest:
                made.append(self.joined(parts[start:end], levels[start : end - 1]))
                start = end
        return made

    def joined(self, parts: list[_Part], levels: list[int]) -> _Part:
        """One node of ``parts``, with the separators ``levels`` between them."""
        if len(parts) == 1:
            return parts[0]
        at = parts[0].at
        return _Part(self.branch("", None, [part.branch for part in self.groups(parts, levels)], at), at)

    def branch(self, name: str, value: float | None, children: Sequence[Branch], at: int) -> Branch:
        leaves, plies = sum(child.leaves for child in children), 1 + max(child.plies for child in children)
        if leaves > MOST_LEAVES:
            raise BadTree(f"more than {MOST_LEAVES:,} leaves", at)
        if plies > MOST_PLIES:
            raise BadTree(f"more than {MOST_PLIES} plies", at)
        names = [child.name for child in children]
        moves = [name if name and names.count(name) == 1 else str(number) for number, name in enumerate(names, 1)]
        return Branch(name, value, tuple(children), tuple(moves), leaves, plies)

    @property
    def at(self) -> int:
        """The index at which the next token begins."""
        return self.tokens[self.next][2] if self.next < len(self.tokens) else len(self.text)

    def follows(self, *signs: str) -> bool:
        return self.next < len(self.tokens) and self.tokens[self.next][1] in signs

    def accept(self, sign: str) -> bool:
        found = self.follows(sign)
        self.next += found
        return found

    def accept_kind(self, kind: str) -> str:
        if self.next == len(self.tokens) or self.tokens[self.next][0] != kind:
            return ""
        self.next += 1
        return self.tokens[self.next - 1][1]


def _tokens(text: str) -> list[tuple[str, str, int]]:
    """The kind of each token, its text, and where it begins."""
    tokens, at, end = [], 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None:
            wrong = _BLANK.match(text, at)
            at = wrong.end() if wrong else at
            raise BadTree(f"{text[at]!r} begins neither a number nor a name of at most 16 characters", at)
        kind = found.lastgroup
        assert kind is not None
        tokens.append((kind, found[kind], found.start(kind)))
        at = found.end()
    return tokens
