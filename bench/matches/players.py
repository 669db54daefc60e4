"""Players for matches: the computer's levels, and reference players.

Time is CPU time, not wall time, so other load on the machine makes no player weaker.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec

from bench.matches.fairy import ELO, fairy, program
from bench.matches.rapfi import PROGRAM, rapfi
from bench.matches.rapfi import found as rapfi_found
from bench.matches.revisions import BEGINS, engine_at
from bench.matches.stockfish import RATED, found, stockfish
from noughts.engine import LEVELS, Engine, Interrupt, MonteCarlo, Textbook, choose, engine_of, levels_of
from noughts.games import Game, Position

POLL_S = 0.001

Mover = Callable[[Position, Sequence[str]], str]
"""Chooses a move in a position, given the moves that led to it."""


ONE_GAME = {"connect4": ("easyai",), "chess": (*ELO, *RATED), "gomoku": ("rapfi",)}
"""Players that know one game only, by its key."""


def names(game: Game) -> list[str]:
    """The names of the players of ``game``."""
    return [*levels_of(game), "random", "textbook", "montecarlo", "mcts", *ONE_GAME.get(game.key, ())]


def new_player(game: Game, name: str, seconds: float | None, rng: random.Random) -> Mover:
    """A player without any memory of earlier games.

    ``seconds`` of CPU time per move apply to players with a time limit: the strongest level, ``textbook``, which is
    the same level without kernel and opening table, ``montecarlo``, the same by playouts, ``at:REVISION``, the same
    with the kernel of another revision, Stockfish and Rapfi. None means their own time. A level with a depth keeps its
    own time, ``random`` needs none, and ``mcts`` (OpenSpiel), ``easyai`` and Fairy-Stockfish ignore it. The first two
    of these raise ImportError if their package is missing, both Stockfishes and Rapfi FileNotFoundError.
    """
    if name == "random":
        return lambda position, _: rng.choice(position.legal_moves)
    if name == "mcts":
        from bench.matches.openspiel import mcts  # noqa: PLC0415 (an optional package)

        return mcts(game.key, rng)
    if name == "easyai":
        from bench.matches.easyai import negamax  # noqa: PLC0415 (as above)

        return negamax()
    if name in ELO:
        return fairy(name)
    if name in RATED:
        return stockfish(name, seconds)
    if name == "rapfi":
        return rapfi(game, seconds)
    then = name.startswith(BEGINS)
    level = LEVELS[levels_of(game)[0] if then or name in {"textbook", "montecarlo"} else name]
    if seconds is not None and level.depth is None:
        level = replace(level, seconds=seconds)
    engine: Engine = Textbook(game) if name == "textbook" else MonteCarlo(game, rng.getrandbits(31))
    if name in LEVELS:
        engine = engine_of(game)
    elif then:
        engine = engine_at(name.removeprefix(BEGINS), game)

    def move(position: Position, _: Sequence[str]) -> str:
        stop = Interrupt()
        with stopped_after(level.seconds, stop):
            return choose(engine, position, level, rng, stop)

    return move


@contextmanager
def stopped_after(seconds: float, stop: Interrupt) -> Iterator[None]:
    """Set ``stop`` when this process has used ``seconds`` more of CPU time. Works for single-threaded use."""
    done = threading.Event()
    end = time.process_time() + seconds

    def watch() -> None:
        # One thread cannot use more CPU time than wall time passes, so it is safe to sleep for the rest.
        while (left := end - time.process_time()) > 0:
            if done.wait(max(left, POLL_S)):
                return
        stop.set()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def missing(name: str) -> str | None:
    """An error message if the package of a player is not installed, or None if it can play."""
    for player, module, package in (("mcts", "pyspiel", "open_spiel"), ("easyai", "easyAI", "easyAI")):
        if name == player and find_spec(module) is None:
            return f"{name} needs another package: pip install {package}"
    if name in ELO and program() is None:
        return f"{name} needs another program: apt install fairy-stockfish"
    if name in RATED and found() is None:
        return f"{name} needs another program: apt install stockfish"
    if name == "rapfi" and rapfi_found() is None:
        return f"{name} needs another program on the path: {PROGRAM}, from https://github.com/dhbloo/rapfi"
    return None
