"""A student's Monte-Carlo tree search in its own process: how it is called, and what it returned. Knows no answers."""

from __future__ import annotations

import inspect
import random
import time
from collections.abc import Callable, Mapping
from numbers import Integral
from types import ModuleType
from typing import Any

from noughts.games.catalogue import game_named
from noughts_client.bots.child import NoFunction
from noughts_client.failure import own_traceback

NAMES = ("mcts", "uct")
"""The names of the function. The first is asked for."""

SEEDS = ("seed", "rng", "random")
"""Names of a third parameter: a seed, or a source of random numbers."""


def sampler(module: ModuleType) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Answers questions by the file's ``mcts(position, iterations)``. Raises NoFunction if it has none.

    ``random.seed`` is called before each; a third parameter gets the seed, or as ``rng`` a ``random.Random`` of it.
    """
    name = next((each for each in NAMES if callable(getattr(module, each, None))), None)
    if name is None:
        raise NoFunction(f"It has no function {NAMES[0]}(position, iterations).")
    search = getattr(module, name)
    parameters = list(inspect.signature(search).parameters.values())
    needed = [each for each in parameters if each.default is each.empty]
    third = parameters[2].name.casefold() if len(parameters) > 2 else ""
    if len(parameters) < 2 or len(needed) > 2 + (third in SEEDS):
        raise NoFunction(f"{name} must take a position, the number of iterations and perhaps a seed.")

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        game = game_named(question["game"])
        position = game.parse(question["position"])
        seed = question["seed"]
        random.seed(seed)
        more = [seed if third == "seed" else random.Random(seed)] if third in SEEDS else []
        began = time.perf_counter()
        try:
            said = search(position, question["iterations"], *more)
        except BaseException as error:  # also SystemExit: the file does not decide when it is done
            text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            return {"error": f"It raised {text.splitlines()[0][:200]}", "traceback": own_traceback(error)}
        found = _read(said)
        if isinstance(found, str):
            return {"error": found, "traceback": ""}
        move, visits = found
        return {"move": move, "visits": visits, "seconds": time.perf_counter() - began}

    return answer


def _read(said: Any) -> tuple[str, dict[str, int]] | str:
    """The move and the visits of each; a sentence if it is neither."""
    pair = said if isinstance(said, tuple) and len(said) == 2 else (None, said)
    move, visits = pair if isinstance(pair[1], Mapping) else pair[::-1]
    if not isinstance(visits, Mapping) or not visits:
        return (
            f"It returned {said!r:.80}, but should return the visits of the moves, as in ('5', {{'5': 90, '1': 10}})."
        )
    if not all(isinstance(count, Integral) and not isinstance(count, bool) for count in visits.values()):
        return f"The visits must be whole numbers: {said!r:.80}."
    counts = {str(each): int(count) for each, count in visits.items()}
    return str(move) if move is not None else max(counts, key=counts.__getitem__), counts
