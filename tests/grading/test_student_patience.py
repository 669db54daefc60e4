"""The time a student's search may take: processor time, measured against our own search."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path

import pytest

from noughts.games import GAMES
from noughts.grading.student import TIMES_OURS, NoReply, Reply, Student, our_seconds
from noughts_client.bots.process import ProcessLimits, processor_s

GAME = GAMES["tictactoe"]


def asked(
    tmp_path: Path, body: str, *positions: str, patience_s: float = 0.2, seconds: float = 600
) -> list[Reply | NoReply]:
    """The answers of a search with this body in each of ``positions``."""
    file = tmp_path / "student.py"
    file.write_text(f"import time\n\ndef minimax(position):\n    {body}\n    return 0\n")

    async def ask() -> list[Reply | NoReply]:
        student = Student(file, "minimax", None, ProcessLimits(start_s=60), patience_s=patience_s, seconds=seconds)
        try:
            return [await student.ask(GAME, GAME.parse(each)) for each in positions]
        finally:
            await student.close()

    return asyncio.run(ask())


BURN = "until = time.process_time() + {}\n    while time.process_time() < until: pass"
EARLY = "x../.../..."
LATE = "xox/oxo/..."


def test_a_search_that_waits_is_not_charged_for_it(tmp_path: Path) -> None:
    assert isinstance(asked(tmp_path, "time.sleep(0.5)", LATE)[0], Reply)


def test_a_search_may_take_a_multiple_of_the_time_of_our_own(tmp_path: Path) -> None:
    # Ours takes much longer early in a game than near its end.
    assert isinstance(asked(tmp_path, BURN.format(0.5), EARLY)[0], Reply)
    (reply,) = asked(tmp_path, BURN.format(0.5), LATE)
    assert isinstance(reply, NoReply)
    assert reply.message == "It gave no answer within 0.2 s of processor time."


def test_a_search_that_sleeps_on_is_given_up(tmp_path: Path) -> None:
    slept, next_one = asked(tmp_path, "time.sleep(600)", LATE, LATE)
    assert isinstance(slept, NoReply)
    assert slept.late
    assert re.search(r" s, of which it used the processor for 0(\.0\d)? s\.$", slept.message)
    assert isinstance(next_one, NoReply)
    assert next_one.message == "It was not asked any more."


def test_the_time_for_all_answers_is_processor_time_too(tmp_path: Path) -> None:
    before, after = asked(tmp_path, BURN.format(0.4), LATE, LATE, patience_s=10, seconds=0.3)
    assert isinstance(before, Reply)
    assert isinstance(after, NoReply)
    assert after.message == "The time for grading was over."


def test_our_own_search_is_measured_in_processor_time() -> None:
    began, used = time.perf_counter(), our_seconds(GAME, GAME.parse(EARLY))
    assert 0 < used < time.perf_counter() - began + 0.1
    assert TIMES_OURS * our_seconds(GAME, GAME.parse(LATE)) < 1


@pytest.mark.asyncio
async def test_the_processor_time_of_a_process_includes_that_of_children_that_ended() -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    parent = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {burn!r}])\nprint(flush=True)\ninput()"
    process = await asyncio.create_subprocess_exec(
        "python3", "-c", parent, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    used = processor_s(process.pid)
    await process.communicate(b"\n")
    assert used is not None
    assert used >= 0.3
    assert processor_s(process.pid) is None
