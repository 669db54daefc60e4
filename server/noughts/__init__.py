"""Noughts: a real-time server for two-player board games. The engines as a library: docs/solving.md."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noughts.explain.notebook import board, leaves, play, solve, tree

__all__ = ["board", "leaves", "play", "solve", "tree"]


def __getattr__(name: str) -> Any:
    """Import what a program asks for by ``noughts.name``: a bot must not load the engines."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("noughts.explain.notebook"), name)
