"""The forms in which students write a search, and how a function of each form is called. Pure; does no I/O.

A form is recognised by the names of the parameters and by what the file does with them: ``minimax(position)``,
``minimax(board)``, ``alphabeta(state, depth, alpha, beta, maximizing)``, ``alpha_beta_search(state, game)`` and their
like. This runs in the student's process, so it knows no answers.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from noughts.games import Game, Position, Side
from noughts.games.paths import cells_of
from noughts.grading.boards import Board, holds, representation
from noughts.grading.contracts import AdversarialGame, AdversarialState, configuration, observation

Kind = Literal[
    "alpha", "beta", "depth", "limit", "maximizing", "minimizing", "player", "opponent", "color", "game", "observation",
    "configuration",
]  # fmt: skip
"""The purpose of a parameter besides the position."""

Views = Literal["assigned", "first", "any"]
"""For whom the values of a form are: as the assignment says, for the first side, or what fits."""

KNOWN = "depth, alpha, beta, maximizing, player, game"
"""The parameters that an error names as recognised."""

POSITION = frozenset({"legal_moves", "outcome", "play", "ply", "rows", "text", "to_move"})
"""The attributes of a position of ``noughts.games``: a file that uses it searches such positions."""

EXACT: Mapping[str, Kind] = {
    **dict.fromkeys(("a", "\N{GREEK SMALL LETTER ALPHA}"), "alpha"),
    **dict.fromkeys(("b", "\N{GREEK SMALL LETTER BETA}"), "beta"),
    **dict.fromkeys(("d", "plies", "ply", "level", "levels"), "depth"),
    **dict.fromkeys(("color", "colour"), "color"),
    **dict.fromkeys(("game", "problem", "g"), "game"),
    **dict.fromkeys(("observation", "obs"), "observation"),
    **dict.fromkeys(("configuration", "config", "conf"), "configuration"),
    **dict.fromkeys(("opponent", "other", "enemy", "them"), "opponent"),
    **dict.fromkeys(
        ("turn", "mark", "marker", "symbol", "sign", "side", "who", "letter", "piece", "tomove", "token", "me"),
        "player",
    ),
    **dict.fromkeys(("isai", "iscomputer", "isaiturn", "aiturn", "ismyturn", "myturn", "computerturn"), "maximizing"),
}


METHODS = ("alphabeta", "minimax")
"""The functions that are asked for by these names."""

AGENTS = ("agent", "findbestmove", "bestmove", "getbestmove", "aimove", "negamax")
"""Other names of a search."""


@dataclass(frozen=True)
class Own:
    """The definitions of a student's files: their names and values, and their syntax."""

    names: Mapping[str, Any]
    trees: tuple[ast.AST, ...]

    def walk(self) -> Any:
        """All nodes of the syntax."""
        return (node for tree in self.trees for node in ast.walk(tree))


@dataclass
class Form:
    """The form in which a search is called and its moves are read.

    ``said`` is its signature for people. ``takes`` is what its first argument is, ``view`` for whom its values are.
    ``maximizer`` is None where the file leaves open who maximizes. ``told`` are remarks on what it was called with.
    """

    search: Callable[..., Any]
    said: str
    takes: Literal["position", "board", "state", "observation"]
    view: Views
    kinds: Mapping[str, Kind]
    subject: str
    board: Board | None = None
    counts_up: bool = False
    maximizer: Side | None = None
    told: list[str] = field(default_factory=list)

    @property
    def sides(self) -> bool:
        """True if one side maximizes and the other one minimizes."""
        return bool({"maximizing", "minimizing"} & set(self.kinds.values()))

    @property
    def either_maximizes(self) -> bool:
        """True if nothing tells for which side it is to be called with maximizing true."""
        return self.maximizer is None and bool({"maximizing", "minimizing", "color"} & set(self.kinds.values()))

    def fits(self, game: Game) -> bool:
        """True if what it is given can say all of a position of ``game``."""
        return self.takes not in ("board", "observation") or holds(game)

    def remarks(self, game: Game, maximizer: Side) -> list[str]:
        """Remarks on its arguments."""
        who = next((name for name, kind in self.kinds.items() if kind in ("maximizing", "minimizing")), None)
        if who is None:
            return self.told
        side = self.maximizer or maximizer
        true = side if self.kinds[who] == "maximizing" else side.other
        return [*self.told, f"{who} was true for {game.style(true).name} to move"]

    @property
    def counts(self) -> bool:
        """True if it is given positions that count what is looked at."""
        return self.takes in ("position", "state")

    def call(self, game: Game, position: Position, watched: Any, maximizer: Side = Side.FIRST) -> tuple[Any, bool]:
        """The result of the search for ``position``, and whether it changed its board. ``watched`` counts the visits.

        ``maximizer`` is the side that maximizes, where the file leaves that open.
        """
        subject = self._subject(game, position, watched)
        before = repr(subject) if self.takes == "board" else ""
        arguments = {self.subject: subject} if self.subject else {}
        maximizes = position.to_move is (self.maximizer or maximizer)
        arguments |= {name: self._argument(kind, game, position, maximizes) for name, kind in self.kinds.items()}
        in_order, by_name, gap = [], {}, False
        for name, each in inspect.signature(self.search).parameters.items():
            if name not in arguments:
                gap = True
            elif gap or each.kind is each.KEYWORD_ONLY:
                by_name[name] = arguments[name]
            else:
                in_order.append(arguments[name])
        said = self.search(*in_order, **by_name)
        return said, self.takes == "board" and repr(subject) != before

    def move(self, game: Game, said: Any) -> str | None:
        """The name of the move that ``said`` means, None if it means none."""
        if self.board is not None:
            return self.board.move(game, said)
        names = [name for row in game.layout for name in row]
        if self.takes == "observation":
            at = said if hasattr(said, "__index__") and not isinstance(said, bool) else -1
            return names[int(at)] if 0 <= at < len(names) else None
        is_move = isinstance(said, str) and (said in game.start.legal_moves or cells_of(said, names)[0])
        return said if is_move else None

    def example(self, game: Game) -> object:
        """A move as the search would write it."""
        if self.counts:
            return game.start.legal_moves[-1]
        return (0, 2) if self.board is not None and self.board.nested else 2

    def _subject(self, game: Game, position: Position, watched: Any) -> Any:
        if self.takes == "board":
            assert self.board is not None
            return self.board.of(game, position)
        if self.takes == "state":
            return AdversarialState(game, watched)
        return observation(game, position) if self.takes == "observation" else watched

    def _argument(self, kind: Kind, game: Game, position: Position, maximizes: bool) -> Any:
        side = position.to_move or Side.FIRST
        match kind:
            case "alpha" | "beta":
                return -math.inf if kind == "alpha" else math.inf
            case "depth":
                return 0 if self.counts_up else plies_left(game, position)
            case "limit":
                return plies_left(game, position)
            case "maximizing" | "minimizing":
                return maximizes is (kind == "maximizing")
            case "color":
                return 1 if maximizes else -1
            case "player" | "opponent":
                of = side if kind == "player" else side.other
                if self.takes == "state":
                    return game.style(of).name
                return of if self.board is None else self.board.mark(of)
            case "game":
                return AdversarialGame(game)
            case "configuration":
                return configuration(game)


def plies_left(game: Game, position: Position) -> int:
    """At least as many plies as can be played: the empty cells, where each move fills one."""
    cells = "".join(position.rows)
    return cells.count(".") if game.key in {"tictactoe", "connect4", "gomoku", "ultimate"} else 2 * len(cells)


def other_names(names: list[str], wanted: str) -> list[str]:
    """Those of ``names`` that may be the search ``wanted`` under another name, the likeliest first."""
    groups = [(wanted,), tuple(each for each in METHODS if each != wanted), ("minmax",), AGENTS]
    found = []
    for group in groups:
        plain = {name: name.casefold().replace("_", "") for name in names if name not in found}
        fits = [name for name in plain if any(each in plain[name] for each in group)]
        found += sorted(fits, key=len)
    return found


def form_of(search: Callable[..., Any], own: Own) -> Form | None:
    """The form of ``search``; None if something that it needs is not known."""
    parameters = list(inspect.signature(search).parameters.values())
    kinds: dict[str, Kind] = {}
    subject = ""
    for each in parameters:
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            continue
        kind = kind_of(each.name)
        if not subject and kind not in ("game", "configuration"):
            subject = each.name
        elif each.default is each.empty or kind in ("maximizing", "minimizing", "player", "opponent", "color"):
            if kind is None or kind == "observation":
                if each.default is each.empty:
                    return None
                continue
            kinds[each.name] = kind
    takes = _takes(subject, kinds, own)
    names = [each.name for each in parameters]
    form = Form(search, f"{search.__name__}({', '.join(names)})", takes, "any", kinds, subject)
    if takes == "board":
        form.board = representation(own.names, own.walk())
    _fit(form, own)
    return form


def unknown_parameters(search: Callable[..., Any]) -> list[str]:
    """The required parameters after the first that are not known."""
    return [
        each.name
        for each in list(inspect.signature(search).parameters.values())[1:]
        if each.default is each.empty
        and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        and kind_of(each.name) in (None, "observation")
    ]


def kind_of(name: str) -> Kind | None:
    """The purpose of a parameter, by its name."""
    plain = name.casefold().replace("_", "")
    if plain in EXACT:
        return EXACT[plain]
    for part, kind in (("alpha", "alpha"), ("beta", "beta")):
        if part in plain:
            return kind  # type: ignore[return-value]
    if "depth" in plain:
        return "limit" if "max" in plain or "limit" in plain else "depth"
    if "max" in plain:
        return "maximizing"
    if "minimiz" in plain or "minimis" in plain or plain in {"ismin", "minplayer", "minturn"}:
        return "minimizing"
    if "player" in plain or "turn" in plain:
        return "player"
    return None


def _takes(subject: str, kinds: dict[str, Kind], own: Own) -> Literal["position", "board", "state", "observation"]:
    """The kind of the first argument."""
    if kind_of(subject) == "observation":
        return "observation"
    if "game" in kinds.values():
        return "state"
    defined = {node.name for node in own.walk() if isinstance(node, ast.FunctionDef)}
    used = {node.attr for node in own.walk() if isinstance(node, ast.Attribute)} & POSITION
    if used - defined:
        return "position"
    indexed = any(isinstance(node, ast.Subscript) and _is_name(node.value, subject) for node in own.walk())
    return "board" if indexed or not subject.casefold().startswith("pos") else "position"


def _is_name(node: ast.AST, name: str) -> bool:
    """True if it is this name, or an entry of it."""
    return (
        _is_name(node.value, name)
        if isinstance(node, ast.Subscript)
        else isinstance(node, ast.Name) and node.id == name
    )


def _fit(form: Form, own: Own) -> None:
    """Find out how depth is counted and who maximizes, and note it."""
    by_kind = {kind: name for name, kind in form.kinds.items()}
    if form.takes == "position" and not {"maximizing", "minimizing", "player", "color"} & by_kind.keys():
        form.view = "assigned"
    if (depth := by_kind.get("depth")) is not None:
        form.counts_up = _counts_up(own, depth)
        start = "0, as it counts up" if form.counts_up else "the number of plies to the end of the game"
        form.told.append(f"{depth} was {start}")
    if (limit := by_kind.get("limit")) is not None:
        form.told.append(f"{limit} was the number of plies to the end of the game")
    if (who := by_kind.get("maximizing")) is not None:
        form.view = "first" if form.takes == "position" else "any"
        if form.board is not None and (mark := _maximizes(who, own, form.board.marks)) is not None:
            form.maximizer = Side.FIRST if mark == form.board.marks[0] else Side.SECOND
    if form.board is not None:
        first, second = form.board.marks
        empty = "their numbers" if form.board.numbered else repr(form.board.empty)
        shape = "a list of rows" if form.board.nested else "one list of cells"
        form.told.append(f"the board was {shape} with {first!r}, {second!r} and {empty} for empty cells")


def _counts_up(own: Own, depth: str) -> bool:
    """True if the search adds to its depth instead of subtracting from it."""
    signs = [
        isinstance(node.op, ast.Add)
        for node in own.walk()
        if isinstance(node, ast.BinOp | ast.AugAssign)
        and isinstance(node.op, ast.Add | ast.Sub)
        and isinstance(left := node.left if isinstance(node, ast.BinOp) else node.target, ast.Name)
        and left.id == depth
        and isinstance(right := node.right if isinstance(node, ast.BinOp) else node.value, ast.Constant)
        and right.value == 1
    ]
    return signs.count(True) > signs.count(False)


def _maximizes(who: str, own: Own, marks: tuple[Any, Any]) -> Any:
    """The mark that the search sets when it maximizes, None if that cannot be seen."""
    for node in own.walk():
        if not isinstance(node, ast.If) or who not in {
            each.id for each in ast.walk(node.test) if isinstance(each, ast.Name)
        }:
            continue
        negated = any(isinstance(each, ast.Not) for each in ast.walk(node.test)) or any(
            isinstance(each, ast.Constant) and each.value is False for each in ast.walk(node.test)
        )
        body = node.orelse if negated else node.body
        for each in (found for line in body for found in ast.walk(line)):
            if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Subscript):
                values = [each.value]
            elif isinstance(each, ast.Call):
                values = each.args
            else:
                continue
            for value in values:
                found = value.value if isinstance(value, ast.Constant) else None
                if isinstance(value, ast.Name):
                    found = own.names.get(value.id)
                if found in marks and not isinstance(found, bool):
                    return found
    return None
