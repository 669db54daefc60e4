"""Lines of styled text, fitted to the width and height of a window. Pure; does no I/O.

Widths are columns of the terminal, in which a wide character, such as a Chinese one, takes two.
"""

from __future__ import annotations

from prompt_toolkit.utils import get_cwidth

from noughts.columns import printable

Fragments = list[tuple[str, str]]
"""One line: its parts as (style, text), in prompt_toolkit's terms."""

LEAVE = ("q", "quit")
"""Words that leave every prompt."""

HELP_WORDS = ("h", "help", "?")
"""Words that ask for help, where anything can be typed."""

IDLE = "> "
"""The prompt while nothing is asked."""


def wrap(text: str, width: int, style: str = "") -> list[Fragments]:
    """``text`` in lines of at most ``width`` columns.

    Lines break between words, within a word that is longer than a line, and between wide characters: Chinese has no
    blanks.
    """
    lines: list[str] = []
    for word in printable(text).split():
        columns = get_cwidth(word)
        space = width - get_cwidth(lines[-1]) - 1 if lines else 0
        if lines and columns <= space:
            lines[-1] += f" {word}"
            continue
        rest = word
        if (columns > width or columns > len(word)) and (part := head(word, space)):
            lines[-1] += f" {part}"
            rest = word[len(part) :]
        while rest:
            part = head(rest, width) or rest[0]
            lines.append(part)
            rest = rest[len(part) :]
    return [[(style, line)] for line in lines]


def fit(text: str, width: int) -> str:
    """``text`` cut to ``width`` columns, with ``~`` at the end if something is left out."""
    return text if get_cwidth(text) <= width else (head(text, width - 1) + "~")[: max(0, width)]


def head(text: str, width: int) -> str:
    """As many characters from the beginning of ``text`` as fit into ``width`` columns."""
    columns = 0
    for index, character in enumerate(text):
        columns += get_cwidth(character)
        if columns > width:
            return text[:index]
    return text


def columns_of(lines: list[Fragments]) -> int:
    """The width of the widest of ``lines``."""
    return max(sum(get_cwidth(part) for _, part in line) for line in lines)


def cut(line: Fragments, width: int) -> Fragments:
    """``line`` cut to ``width`` columns."""
    shown: Fragments = []
    for style, words in line:
        part = fit(words, width)
        shown.append((style, part))
        width -= get_cwidth(part)
        if part != words or width <= 0:
            break
    return shown


def squeeze(lines: list[Fragments], height: int, back: int = 0) -> list[Fragments]:
    """At most ``height`` of ``lines``: without the empty ones if necessary, and then without the first ones.

    ``back`` scrolls towards the first lines by as many lines.
    """
    if len(lines) > height:
        lines = [line for line in lines if line]
    begin = max(0, len(lines) - height - back)
    return lines[begin : begin + height]


def newest(messages: list[str], width: int, rows: int) -> list[Fragments]:
    """The last of ``messages`` that fit into ``rows``, each whole. If not even the last one fits, its beginning."""
    shown: list[Fragments] = []
    for message in reversed(messages):
        lines = wrap(message, width, "italic")
        if len(shown) + len(lines) > rows:
            break
        shown = lines + shown
    if messages and rows > 0 and not shown:
        *shown, (last,) = wrap(messages[-1], width, "italic")[:rows]
        shown += [[(last[0], fit(f"{last[1]} ...", width))]]
    return shown


def join(lines: list[Fragments]) -> Fragments:
    """Lines as one text, each with its line break."""
    return [part for line in lines for part in [*line, ("", "\n")]]


def plain(lines: list[Fragments]) -> str:
    """The text without styles and without blanks at the ends of lines."""
    return "\n".join("".join(part for _, part in line).rstrip() for line in lines)
