"""The look of names: Unicode's skeletons (UTS 39), without regard to case. Pure, but for loading their table."""

from __future__ import annotations

import hashlib
import unicodedata
from functools import cache

_RULES = 1
"""Changes with what :func:`look` does, as looks are stored."""

# Letters, marks and a symbol without a glyph: fillers and vowels of Hangul and Khmer, variation selectors, a joiner.
INVISIBLE = dict.fromkeys(
    [
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)


def look(name: str) -> str:
    """A key that two names share when they look alike to a reader who ignores case; empty for an invisible name.

    It is a skeleton of the name before its case is folded and another of what comes out: ``B`` of any alphabet looks
    like ``B`` first and like ``b`` then. As capital I looks like l, i and l count as the same. Names with the same
    look may differ in how they are written, and equal names in another case may have different looks.
    """
    visible = unicodedata.normalize("NFKC", name.translate(INVISIBLE))
    folded = skeleton(skeleton(visible).casefold()).replace("i", "l")
    return " ".join(folded.split())


def stored_look(name: str) -> str:
    """The look of ``name`` as a journal stores it: looks of different editions are never equal."""
    return f"{edition()} {look(name)}"


def skeleton(text: str) -> str:
    """The skeleton of ``text``: two texts with the same one can be mistaken for each other.

    See https://www.unicode.org/reports/tr39/#Confusable_Detection. The directions of writing are not considered.
    """
    prototypes = _prototypes()
    mapped = "".join(prototypes.get(letter, letter) for letter in unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFD", mapped)


@cache
def edition() -> str:
    """Names the data and the rules that looks come from. Looks of different editions cannot be compared."""
    table = "".join(sorted(key + value for key, value in _prototypes().items()))
    text = f"{_RULES} {unicodedata.unidata_version} {table}"
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@cache
def _prototypes() -> dict[str, str]:
    """The letter that stands for each one that looks like others. Loading it takes some tens of milliseconds, once.

    The library's table has for each letter or sequence all that look like it: for a prototype its whole class, for any
    other its prototype alone. Sequences, and the letters in them, are prototypes. Where a class has just two members
    and that does not tell, either can stand for both.
    """
    from confusable_homoglyphs.utils import load  # noqa: PLC0415 - it imports much, and most commands need no looks

    classes: dict[str, list[str]] = {
        _bare(key): [_bare(other["c"]) for other in others] for key, others in load("confusables.json").items()
    }
    known = {letter for sequence in classes if len(sequence) > 1 for letter in sequence}
    found = {}
    for letter, others in classes.items():
        if len(letter) == 1 and len(others) == 1 and letter not in known:
            (other,) = others
            told = len(other) > 1 or other in known or len(classes[other]) > 1
            found[letter] = other if told else min(letter, other)
    return found


def _bare(text: str) -> str:
    """Without the marks of direction that the table has around letters written from right to left."""
    return text.replace("\u200e", "")
