"""The commands ``noughts solve``, ``compare`` and ``tree``: their arguments and output."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from noughts.cli.arguments import seconds, whole
from noughts.cli.output import discard, text_width, under_way
from noughts.engine import BadTree, Method
from noughts.engine.grow import TooLarge
from noughts.explain import compare
from noughts.explain.position import BadRequest, game_of, position_of
from noughts.explain.solve import MOST_ROWS, SECONDS, as_object, in_words, solution, without_depth
from noughts.explain.tree import FORMATS, PLAYED, Wish, draw, draw_leaves
from noughts.games import Game, Position

POSITION = """\
A position is its rows from the top, joined by '/', followed by a space and 'first' or 'second' if the board does not
show who moves; in chess it is a FEN, in draughts as in PDN. The default is the start of the game."""

NO_OPTION = re.compile(r"-[\d.].*$")
"""A tree that begins with a negative number; :mod:`argparse` recognises only single numbers."""


def add_commands(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the commands. They set ``command`` to a function that takes the options and returns the exit status."""
    solver = commands.add_parser(
        "solve",
        help="show the value of every move in a position",
        description=f"Show the value of every move in a position. {POSITION} Values are for the side to move.",
    )
    solver.set_defaults(command=lambda options: _run("solve", lambda: _solve(options)))
    _add_position(solver, "GAME")
    solver.add_argument("--json", action="store_true", help="print one JSON object")
    solver.add_argument("--all", action="store_true", help=f"show all moves, not only the best {MOST_ROWS}")
    solver.add_argument(
        "--no-depth",
        action="store_true",
        help="show 10 for a win, -10 for a loss and 0 for a draw, however soon; estimates do not change",
    )
    solver.add_argument("--search", choices=("mcts",), help="mcts: Monte-Carlo tree search (default: the game's own)")
    solver.add_argument(
        "--seed",
        type=whole(None),
        default=0,
        metavar="N",
        help="of the playouts of Monte-Carlo tree search (default: 0)",
    )
    solver.add_argument(
        "--seconds",
        type=seconds(),
        default=SECONDS,
        metavar="N",
        help=f"stop the search after N seconds; Ctrl-C also stops it (default: {SECONDS})",
    )
    comparer = commands.add_parser(
        "compare",
        help="compare what several searches of a position cost",
        description="Search a position by minimax, by alpha-beta and its refinements, and by Monte-Carlo tree search, "
        f"and show what each finds and costs. {POSITION} Values are for the side to move.",
    )
    comparer.set_defaults(command=lambda options: _run("compare", lambda: _compare(options)))
    _add_position(comparer, "GAME")
    comparer.add_argument("--json", action="store_true", help="print one JSON object")
    comparer.add_argument(
        "--depth",
        type=whole(),
        metavar="N",
        help=f"search N plies (default: to the end of the game, and {compare.SHALLOW} plies to compare)",
    )
    comparer.add_argument(
        "--seconds",
        type=seconds(),
        default=compare.SECONDS,
        metavar="N",
        help=f"stop each search after N seconds (default: {compare.SECONDS}); Ctrl-C ends the comparison",
    )
    drawer = commands.add_parser(
        "tree",
        help="draw the game tree with its values and cuts",
        description="Draw the tree that a search visits, with its values and cuts. "
        f"{POSITION} All values are for MAX, the side to move there.",
    )
    drawer._negative_number_matcher = NO_OPTION
    drawer.set_defaults(command=lambda options: _run("tree", lambda: _tree(options)))
    _add_position(drawer, "[GAME]")
    drawer.add_argument(
        "--leaves",
        metavar="TREE",
        help="draw a tree of leaves instead, for example 3,12,8/2,4,6/14,5,2",
    )
    drawer.add_argument(
        "--depth",
        type=whole(),
        metavar="N",
        help="show N plies (default: as many as are easy to read); search N in a tree of leaves, an animation or JSON",
    )
    drawer.add_argument(
        "--format",
        choices=(*FORMATS, *PLAYED),
        default="text",
        help="(default: text); animation is an SVG that plays the search, json is its trace",
    )
    drawer.add_argument("--json", action="store_const", dest="format", const="json", help="the same as --format json")
    drawer.add_argument(
        "--search",
        choices=tuple(map(str, Method)),
        default=str(Method.ALPHA_BETA),
        help="(default: alphabeta); ordered and table are alpha-beta with move ordering, or a transposition table",
    )
    drawer.add_argument(
        "--strict", action="store_true", help="cut where alpha > beta; otherwise also where they are equal"
    )
    drawer.add_argument("--no-fold", action="store_true", help="also show moves that are reflections of each other")


def _add_position(command: argparse.ArgumentParser, game: str) -> None:
    command.usage = f"noughts {command.prog.split()[-1]} {game} [POSITION] [options]"
    command.add_argument("game", nargs="?", metavar="GAME", help="for example tictactoe")
    command.add_argument("position", nargs="*", metavar="POSITION", help="for example xox/oox/...")
    command.add_argument("--moves", metavar="M,M,..", help="moves to play first, for example 5,1,3")


def _solve(options: dict[str, Any]) -> None:
    game, position = _asked(options)
    playouts = options["search"] == "mcts"
    found = solution(game, position, options["seconds"], _warn_slow, playouts=playouts, seed=options["seed"])
    if options["no_depth"]:
        found = replace(found, analysis=without_depth(found.analysis))
    every_move = options["all"]
    _print(json.dumps(as_object(found)) if options["json"] else in_words(found, text_width(), every_move=every_move))


def _warn_slow(why: str) -> None:
    print(f"noughts solve: without numba the search is much slower ({why})", file=sys.stderr)


def _compare(options: dict[str, Any]) -> None:
    game, position = _asked(options)
    found = _told(game, options, compare.compared(game, position, options["depth"], options["seconds"]))
    if options["json"]:
        _print(json.dumps(compare.as_object(game, position, list(found))))
        return
    widest = max(len(way.name) for way in compare.ways(game, options["depth"]))
    _print("\n".join(compare.head_lines(game, position, widest)))
    costs = []
    for cost in found:
        costs.append(cost)
        _print(compare.row(game, position, cost, widest))
    for line in compare.foot_lines(game, costs):
        _print(line)


def _told(game: Game, options: dict[str, Any], found: Iterator[compare.Cost]) -> Iterator[compare.Cost]:
    """``found``, with a line on a terminal for the search under way: each may take as long as it may."""
    for way in compare.ways(game, options["depth"]):
        with under_way(f"{way.name} ... (at most {options['seconds']:g} s)"):
            cost = next(found, None)
        if cost is None:
            return
        yield cost


def _asked(options: dict[str, Any], otherwise: str = "") -> tuple[Game, Position]:
    """The game and the position that the options name. Raises BadRequest, which says what else will do."""
    if options["game"] is None:
        raise BadRequest(f"name a game, for example tictactoe{otherwise}")
    game = game_of(options["game"])
    return game, position_of(game, " ".join(options["position"]), options["moves"])


def _tree(options: dict[str, Any]) -> None:
    until = time.monotonic() + SECONDS
    wish = Wish(
        Method(options["search"]),
        options["format"],
        options["depth"],
        strict=options["strict"],
        folded=not options["no_fold"],
        stop=lambda: time.monotonic() > until,
    )
    if options["leaves"] is not None:
        if options["game"] is not None:
            raise BadRequest("give either a game or --leaves, not both")
        try:
            drawn = draw_leaves(options["leaves"], wish, width=text_width())
        except BadTree as error:
            raise BadRequest(f"--leaves: {error}\n{_pointed(options['leaves'], error.at)}") from None
        _print(drawn)
        return
    _print(draw(*_asked(options, ", or use --leaves"), wish, width=text_width()))


def _pointed(text: str, at: int) -> str:
    """``text`` around the character ``at``, and below it a mark."""
    start = max(0, at - 40)
    shown = "".join(" " if character.isspace() else character for character in text[start : at + 20])
    return f"  {shown}\n  {' ' * (at - start)}^"


def _run(command: str, run: Callable[[], None]) -> int:
    """Run a command and return the exit status: 2 for a bad request, with the message on stderr."""
    try:
        run()
    except (BadRequest, TooLarge) as error:
        print(f"noughts {command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        discard(sys.stdout)
        return 1
    return 0


ASCII = str.maketrans({"├": "|", "└": "`", "─": "-", "│": "|", "≤": "<=", "≥": ">="})


def _print(words: str) -> None:
    """Print, in ASCII if the output cannot encode anything else."""
    try:
        words.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        words = words.translate(ASCII)
    print(words, flush=True)
