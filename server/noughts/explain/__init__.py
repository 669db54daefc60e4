"""What the engine makes of a position, told to a person or a program: ``noughts solve`` and ``noughts tree``."""

from noughts.explain.commands import add_commands

__all__ = ["add_commands"]
