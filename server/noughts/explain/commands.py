"""``noughts solve`` and ``noughts tree`` as they are typed."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from noughts.explain.drawing import WIDTH
from noughts.explain.grow import Search, TooLarge
from noughts.explain.report import MOST_ROWS, as_object, in_words
from noughts.explain.request import BadRequest, game_of, position_of
from noughts.explain.solve import solution, without_depth
from noughts.explain.tree import FORMATS, draw, draw_leaves

POSITION = """\
A position is written as its rows from the top, joined by '/', then a space and 'first' or 'second' where the board does
not tell who moves. Without one it is the start of the game."""

NO_OPTION = re.compile(r"-[\d.][-+\d.,eE]*$")
"""Leaves of which the first is negative, where :mod:`argparse` knows a single number alone."""

SECONDS = 10


def add_commands(commands: argparse._SubParsersAction[Any]) -> None:
    """Add both to the command line. What ``command`` is set to takes the options and gives the exit status."""
    solver = commands.add_parser(
        "solve",
        help="tell what every move in a position is worth",
        description=f"Tell what every move in a position is worth. {POSITION} Values are for the side to move.",
    )
    solver.set_defaults(command=lambda options: _told("solve", lambda: _solve(options)))
    _add_position(solver, "GAME")
    solver.add_argument("--json", action="store_true", help="tell it as one JSON object")
    solver.add_argument("--all", action="store_true", help=f"tell of all moves, not of the best {MOST_ROWS} alone")
    solver.add_argument(
        "--no-depth",
        action="store_true",
        help="values are 10 for a win, -10 for a loss and 0 for a draw, however soon; estimates stay as they are",
    )
    solver.add_argument(
        "--seconds",
        type=_seconds,
        default=SECONDS,
        metavar="N",
        help=f"search for so long at most; Ctrl-C ends it, too (default: {SECONDS})",
    )
    drawer = commands.add_parser(
        "tree",
        help="draw the game tree with its values and cuts",
        description="Draw the tree that a search walks, with its values and cuts. "
        f"{POSITION} All values are for MAX, the side to move there.",
    )
    drawer._negative_number_matcher = NO_OPTION
    drawer.set_defaults(command=lambda options: _told("tree", lambda: _tree(options)))
    _add_position(drawer, "[GAME]")
    drawer.add_argument("--leaves", metavar="N,N,..", type=_leaves, help="a tree of leaves instead, 1, 2, 4, 8, ...")
    drawer.add_argument("--depth", type=_depth, metavar="N", help="show N plies (default: as many as are easily read)")
    drawer.add_argument("--format", choices=tuple(FORMATS), default="text", help="(default: text)")
    drawer.add_argument(
        "--search", choices=tuple(map(str, Search)), default=str(Search.ALPHA_BETA), help="(default: alphabeta)"
    )
    drawer.add_argument("--no-fold", action="store_true", help="show moves that are each other's reflections, too")


def _add_position(command: argparse.ArgumentParser, game: str) -> None:
    command.usage = f"noughts {command.prog.split()[-1]} {game} [POSITION] [options]"
    command.add_argument("game", nargs="?", metavar="GAME", help="its key, such as tictactoe")
    command.add_argument("position", nargs="*", metavar="POSITION", help="such as xox/oox/...")
    command.add_argument("--moves", metavar="M,M,..", help="moves to play from there first, such as 5,1,3")


def _solve(options: dict[str, Any]) -> None:
    if options["game"] is None:
        raise BadRequest("say which game, such as tictactoe")
    game = game_of(options["game"])
    position = position_of(game, " ".join(options["position"]), options["moves"])
    found = solution(game, position, options["seconds"], _say_why_slow)
    if options["no_depth"]:
        found = replace(found, analysis=without_depth(found.analysis))
    every_move = options["all"]
    _tell(json.dumps(as_object(found)) if options["json"] else in_words(found, _width(), every_move=every_move))


def _say_why_slow(why: str) -> None:
    print(
        "noughts solve: without numba this takes far longer. Install it from the project's directory: "
        f"pip install '.[fast]' ({why})",
        file=sys.stderr,
    )


def _tree(options: dict[str, Any]) -> None:
    search, form = Search(options["search"]), options["format"]
    if options["leaves"] is not None:
        if options["game"] is not None:
            raise BadRequest("a tree is that of a game or one of leaves")
        _tell(draw_leaves(options["leaves"], search, form, width=_width()))
        return
    if options["game"] is None:
        raise BadRequest("say which game, such as tictactoe, or give --leaves")
    game = game_of(options["game"])
    position = position_of(game, " ".join(options["position"]), options["moves"])
    folded = not options["no_fold"]
    _tell(draw(game, position, options["depth"], search, form, folded=folded, width=_width()))


def _told(command: str, run: Callable[[], None]) -> int:
    """Run a command: the exit status, 2 for what cannot be done, which is said on stderr."""
    try:
        run()
    except (BadRequest, TooLarge) as error:
        print(f"noughts {command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever reads has seen enough. Nothing is left to be written when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130  # as a shell says of a program that Ctrl-C has ended
    return 0


def _width() -> int:
    """How long lines are to be, in columns: no wider than the terminal; a file or pipe has no width of its own."""
    return min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)


ASCII = str.maketrans({"├": "|", "└": "`", "─": "-", "│": "|", "≤": "<=", "≥": ">="})


def _tell(words: str) -> None:
    """Print, by signs that the terminal or file can take."""
    try:
        words.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        words = words.translate(ASCII)
    print(words, flush=True)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"it is a number, more than 0, not {text}")
    return seconds


def _depth(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"it is a whole number, 1 or more, not {text}")
    return int(text)


def _leaves(text: str) -> list[float]:
    try:
        leaves = [_leaf(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise argparse.ArgumentTypeError(f"they are numbers with commas between them, not {text!r}") from None
    if len(leaves).bit_count() != 1:
        raise argparse.ArgumentTypeError(f"there are 1, 2, 4, 8, ... of them, not {len(leaves)}")
    return leaves


def _leaf(word: str) -> float:
    leaf = float(word)
    if not math.isfinite(leaf):
        raise ValueError
    return int(leaf) if leaf.is_integer() else leaf
