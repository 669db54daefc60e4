"""Whether something is a bot, before a game begins: a function of a state. Pure; does no I/O."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from difflib import get_close_matches


def why_no_bot(bot: object) -> str:
    """Why ``bot`` cannot be asked for a move, in a sentence with its cure; empty if it can, or if that is not known."""
    needed = "A bot is a function choose(state)"
    if isinstance(bot, type):
        return f"{needed}, not the class {bot.__name__}: for its method, give {bot.__name__}().choose."
    if not callable(bot):
        if callable(getattr(bot, "choose", None)):
            return f"{needed}, not an object: give its method, as in {type(bot).__name__}().choose."
        return f"{needed}, not {bot!r:.40}: give choose itself, without calling it."
    try:
        signature = inspect.signature(bot)
    except (TypeError, ValueError):  # one in C may have none
        return ""
    try:
        signature.bind(None)
    except TypeError:
        name = getattr(bot, "__name__", type(bot).__name__)
        return f"{needed}, but {name}{signature} cannot be called with a state alone."
    return ""


def meant(name: str, defined: Mapping[str, object]) -> str:
    """What to write for a function ``name`` that is not among what a file has defined; empty if that is not known."""
    functions = {each.casefold(): each for each, found in defined.items() if callable(found)}
    if close := get_close_matches(name.casefold(), functions, n=1):
        return f"Did you mean {functions[close[0]]}?"
    for each, found in defined.items():
        if isinstance(found, type) and callable(getattr(found, name, None)):
            return f"For the class {each}, write {name} = {each}().{name} below it."
    return ""
