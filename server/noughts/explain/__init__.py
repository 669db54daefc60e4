"""``noughts solve`` and ``noughts tree``: what the engine finds in a position, for people and programs."""

from noughts.explain.commands import add_commands

__all__ = ["add_commands"]
