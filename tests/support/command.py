"""``noughts`` commands run in the process of the tests, which is much faster than in processes of their own."""

from __future__ import annotations

import asyncio
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from noughts.cli.main import main


@dataclass(frozen=True)
class Result:
    """A command's exit status and output."""

    status: int
    out: bytes
    err: str


def noughts(*argv: str, journal: Path | str | None = None, stdin: bytes = b"") -> Result:
    """Run a command to its end, on ``journal`` if it takes one."""
    argv = argv if journal is None else (*argv, f"--journal={journal}")
    out, err = TextIOWrapper(BytesIO(), "utf-8"), TextIOWrapper(BytesIO(), "utf-8")
    before, sys.stdin = sys.stdin, TextIOWrapper(BytesIO(stdin))
    try:
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main(argv)
    finally:
        sys.stdin = before
    out.flush()
    err.flush()
    assert isinstance(out.buffer, BytesIO)
    assert isinstance(err.buffer, BytesIO)
    assert isinstance(ended.value.code, int)
    return Result(ended.value.code, out.buffer.getvalue(), err.buffer.getvalue().decode())


async def noughts_aside(*argv: str, journal: Path | str, stdin: bytes = b"") -> Result:
    """Run a command in another thread, while a server runs in the test's event loop."""
    return await asyncio.to_thread(noughts, *argv, journal=journal, stdin=stdin)


def output_of(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """The output of a command that must succeed and print no error."""
    with pytest.raises(SystemExit) as ended:
        main(argv)
    printed = capsys.readouterr()
    assert (ended.value.code, printed.err) == (0, "")
    return printed.out


def errors_of(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """The error messages of a command that must be refused as wrong usage and print nothing else."""
    with pytest.raises(SystemExit) as ended:
        main(argv)
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    return printed.err
