"""Which engine searches a game. Pure, once it is known whether numba is there; does no I/O."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from noughts.engine.analysis import Engine
from noughts.engine.textbook import Textbook
from noughts.games import Game

KERNELS: dict[str, str] = {}
"""The engines that need numba, by the game's key: module and class. Loading one takes seconds the first time."""


def has_kernel(game: Game) -> bool:
    """Whether ``game`` is searched by compiled code, which runs without the GIL: numba is there and a kernel too."""
    return game.key in KERNELS and find_spec("numba") is not None


def engine_of(game: Game) -> Engine:
    """A new engine for ``game``: its kernel where :func:`has_kernel`, or else the :class:`Textbook`."""
    if not has_kernel(game):
        return Textbook(game)
    module, _, name = KERNELS[game.key].partition(":")
    engine: Engine = getattr(import_module(module), name)()
    return engine
