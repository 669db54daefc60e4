"""Players' names: which are the same, which are reserved, and what a guest is called. Pure."""

from __future__ import annotations

import hashlib
import unicodedata
from functools import cache

from noughts.engine import LEVELS
from noughts.players.looks import INVISIBLE, look

COMPUTER_NAME = "computer"
"""The name of a computer seat's player."""

DELETED_NAME = "deleted player"
"""The word in place of a deleted player's name."""

_COMPUTERS = ("minimax", "computer:")  # the first was its name once
_RESERVED = (*_COMPUTERS, DELETED_NAME, "guest-", "p-")


def name_key(name: str) -> str:
    """A key that two names share when a reader could not tell them apart.

    It ignores width, case, spacing and invisible characters. Letters of different alphabets stay different: see
    :func:`~noughts.players.looks.look`.
    """
    visible = unicodedata.normalize("NFKC", name.translate(INVISIBLE))
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())


def guest_name(player_id: str) -> str:
    """The name of a player who gave none."""
    return f"guest-{player_id.removeprefix('p-')[:4]}"


def another_name(name: str) -> str:
    """A name to suggest where ``name`` is refused: like it, and the next for whoever asks for this one too."""
    if is_reserved(name):
        return f"my {name[:29].strip()}"
    return f"{name[:28].strip()}-{hashlib.sha256(name.encode()).hexdigest()[:3]}"


def is_reserved(name: str) -> bool:
    """True if nobody may register ``name``: it looks like the computer's, a level's, a guest's or an id.

    A deleted player's is such a name, too.
    """
    return _starts_like(name, _RESERVED) or look(name) in _looks_of_computers()


def is_computers(name: str) -> bool:
    """True if ``name`` looks like the computer's. Guests may not have it either."""
    return _starts_like(name, _COMPUTERS) or look(name) == look(COMPUTER_NAME)


def _starts_like(name: str, starts: tuple[str, ...]) -> bool:
    return name_key(name).startswith(starts) or look(name).startswith(tuple(map(look, starts)))


@cache
def _looks_of_computers() -> frozenset[str]:
    return frozenset(map(look, (COMPUTER_NAME, *LEVELS)))


def is_invisible(name: str) -> bool:
    """True if ``name`` has no visible character. All such names would look the same."""
    return not name_key(name)
