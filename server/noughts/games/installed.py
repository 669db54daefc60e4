"""Games of other packages, found by the entry point group ``noughts.games``. See docs/games.md."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from functools import cache
from typing import TYPE_CHECKING

from noughts.games.base import SEAM, Game, Reason

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

GROUP = "noughts.games"
KEY = re.compile(r"[a-z][a-z0-9_-]{0,31}")


class Games(MutableMapping[str, Game]):
    """Games by key: ``own``, and those of installed packages.

    It looks for packages when it is asked for a key that it does not know, or for all games: that takes a third of the
    time in which a bot's process starts, and few bots need it.
    """

    def __init__(self, own: Iterable[Game]) -> None:
        self._known = {game.key: game for game in own}
        self._looked = False

    def _all(self) -> dict[str, Game]:
        if not self._looked:
            self._looked = True
            self._known = installed(self._known)
        return self._known

    def __getitem__(self, key: str) -> Game:
        game = self._known.get(key)
        return self._all()[key] if game is None else game

    def __setitem__(self, key: str, game: Game) -> None:
        self._all()[key] = game

    def __delitem__(self, key: str) -> None:
        del self._all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def _entries() -> EntryPoints:
    from importlib.metadata import entry_points  # noqa: PLC0415  # costs as much as the games themselves

    return entry_points(group=GROUP)


@cache
def packages() -> dict[str, str]:
    """The names of the packages with games, by the key of the game. Those of Noughts itself are not among them."""
    return {entry.name: entry.dist.name for entry in reversed([*_entries()]) if entry.dist}  # the first stays


def installed(own: Mapping[str, Game]) -> dict[str, Game]:
    """``own`` and the games of installed packages, by key. The name of an entry point must be its game's key.

    An entry that cannot be loaded, is not a game, or has the key of another game is left out with a warning, so that
    a broken package does not disable the other games.
    """
    games = dict(own)
    for entry in sorted(_entries(), key=lambda entry: entry.name):
        try:
            game = entry.load()
            if not isinstance(game, Game):
                raise TypeError(f"{entry.value} is not a noughts.games.Game")
            if game.key != entry.name or not KEY.fullmatch(game.key):
                raise ValueError(f"its key is {game.key!r}; it must be the entry point's name, like 'connect4'")
            if game.seam > SEAM:
                raise ValueError(f"it was written for a newer Noughts: seam {game.seam}, and this one has {SEAM}")
            if game.key in games:
                raise ValueError("another game has this key")
            if strange := _conflict(game, games.values()):
                raise ValueError(strange)
            position = game.start
            for move in game.example.split():
                position = position.play(move)
        except Exception as error:
            package = entry.dist.name if entry.dist else "a package"
            what = f"{type(error).__name__}: {error}"
            warnings.warn(f"the game {entry.name} of {package} is left out: {what}", RuntimeWarning, stacklevel=2)
        else:
            games[game.key] = game
    return games


def _conflict(game: Game, others: Iterable[Game]) -> str | None:
    """The reason why the words of ``game`` for how it ends cannot stand in one table with those of the ``others``, if
    so."""
    known = {key: how for other in others for key, how in other.endings}
    for key, how in game.endings:
        if key in set(Reason):
            return f"the ending {key!r} is one of every game"
        if known.get(key, how) != how:
            return f"another game puts its ending {key!r} as {known[key]!r}"
    return None
