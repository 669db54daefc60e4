"""Ctrl-C in ``noughts verify`` and ``noughts grade``."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell has it ignored
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(command: str, file: Path, *options: str) -> tuple[int, str, str]:
    """The status, output and errors of a command that is interrupted once its program has made the file ``hangs``."""
    argv = [sys.executable, "-m", "noughts", command, str(file), "--uncontained", *options]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 60
        while not file.with_name("hangs").exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def hang(file: Path) -> str:
    return f"(open({str(file.with_name('hangs'))!r}, 'w').close(), __import__('time').sleep(600))"


def test_verify_tells_what_is_known(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(f"""
from noughts.engine import alpha_beta

def choose(state):
    if state.side == "second" and len(state["moves"]) == 3:
        {hang(file)}
    return alpha_beta(state.position).best[0]
""")
    # O is asked after each of nine first moves, and hangs after that.
    status, out, err = interrupted("verify", file)
    assert (status, err) == (
        130,
        "noughts verify: interrupted at Tic-tac-toe: as X proved; as O not proved, but no loss after 9 positions\n",
    )
    assert "As X, which moves first: proved" in out
    assert "As O" not in out


def test_grade_tells_what_is_known(tmp_path: Path) -> None:
    file = tmp_path / "student.py"
    file.write_text(f"""
asked = 0

def alphabeta(position):
    global asked
    asked += 1
    if asked == 4:
        {hang(file)}
    return 0
""")
    assert interrupted("grade", file) == (
        130,
        "",
        "noughts grade: interrupted: 3 answers of 4 positions so far, and no grade\n",
    )


def test_grade_of_a_class_tells_how_many_and_writes_their_table(tmp_path: Path) -> None:
    file = tmp_path / "b.py"
    file.write_text(f"def alphabeta(position):\n    {hang(file)}\n")
    (tmp_path / "a.py").write_text("1 / 0\n")
    table = tmp_path / "grades.csv"
    status, out, err = interrupted("grade", file, str(tmp_path / "a.py"), "--csv", str(table))
    assert (status, out, err) == (130, "", "noughts grade: interrupted: 0 of 2 students so far\n")
    file.with_name("hangs").unlink()
    file.rename(tmp_path / "c.py")
    status, out, err = interrupted("grade", tmp_path / "a.py", str(tmp_path / "c.py"), "--csv", str(table))
    assert (status, err) == (130, "noughts grade: interrupted: 1 of 2 students so far\n")
    assert out.startswith("a  ")
    assert [line.split(",")[0] for line in table.read_text(encoding="utf-8-sig").splitlines()] == ["student", "a"]
