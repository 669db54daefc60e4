"""Players' names: which are the same, which are reserved, and what a guest is called. Pure."""

from __future__ import annotations

import unicodedata

COMPUTER_NAME = "minimax"
"""The name of a computer seat's player."""

_RESERVED_PREFIXES = (COMPUTER_NAME, "computer:", "guest-", "p-")

# Letters, marks and a symbol without a glyph: fillers and vowels of Hangul and Khmer, variation selectors, a joiner.
_INVISIBLE = dict.fromkeys(
    [
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)


def name_key(name: str) -> str:
    """A key that two names share when a reader could not tell them apart.

    It ignores width, case, spacing and invisible characters. Look-alike letters of different alphabets stay different.
    """
    visible = unicodedata.normalize("NFKC", name.translate(_INVISIBLE))
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())


def guest_name(player_id: str) -> str:
    """The name of a player who gave none."""
    return f"guest-{player_id.removeprefix('p-')[:4]}"


def is_reserved(name: str) -> bool:
    """Whether nobody may register ``name``: it looks like the computer's, a guest's or an id."""
    return name_key(name).startswith(_RESERVED_PREFIXES)


def is_invisible(name: str) -> bool:
    """Whether ``name`` has no visible character. All such names would look the same."""
    return not name_key(name)
