"""Which names count as the same, and what guests are called. Pure; does no I/O."""

from __future__ import annotations

import unicodedata

# Letters, marks and a symbol that show nothing: fillers and vowels of Hangul and Khmer, variation selectors, a joiner.
_INVISIBLE = dict.fromkeys(
    [
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)


def name_key(name: str) -> str:
    """The same string for all names that read the same: width, case, blanks and invisible characters do not count.

    Letters of different alphabets that look alike stay different.
    """
    visible = unicodedata.normalize("NFKC", name.translate(_INVISIBLE))
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())


def guest_name(player_id: str) -> str:
    """The name of a player who has chosen none."""
    return f"guest-{player_id.removeprefix('p-')[:4]}"
