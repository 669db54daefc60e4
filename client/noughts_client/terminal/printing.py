"""Sentences printed by commands that show no pages."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap

from noughts.columns import printable

_COMMAND = re.compile(r"\bnoughts [a-z].*$")


def tell(*sentences: str, error: bool = False) -> None:
    """Print each of ``sentences`` on lines of its own, to stderr if it is an ``error``.

    On a terminal, lines break between words. An address, a path or a command that ends a line is never broken, so that
    it can be copied.
    """
    stream = sys.stderr if error else sys.stdout
    lines = [printable(line) for sentence in sentences for line in sentence.split("\n")]
    if stream.isatty():
        width = shutil.get_terminal_size().columns
        lines = [_filled(line, width) for line in lines]
    print(*lines, sep="\n", file=stream, flush=True)


def _filled(line: str, width: int) -> str:
    whole = _COMMAND.sub(lambda found: found[0].replace(" ", "\0"), line)
    broken = textwrap.fill(whole, width, break_long_words=False, break_on_hyphens=False, replace_whitespace=False)
    return broken.replace("\0", " ")
