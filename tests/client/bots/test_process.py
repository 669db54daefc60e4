"""A child process that does not behave."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from noughts_client.bots.process import Process, ProcessLimits
from noughts_client.bots.program import Program
from noughts_client.bots.sandbox import dying_with_parent
from noughts_client.failure import ANSWER_BYTES, STDERR_BYTES, BotFailed, Failure
from support.eventually import soon

PATIENCE_S = 60
LIMITS = ProcessLimits(stdout_line=10_000)

ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)\n"


@asynccontextmanager
async def running(code: str, log: Path | None = None) -> AsyncIterator[Process]:
    """A Python process with ``code``."""
    program = Program((sys.executable, "-S", "-u", "-c", f"import os, sys, time\n{code}"))
    process = await Process.start(program, containment=None, limits=LIMITS, log=log)
    try:
        yield process
    finally:
        await process.close()


async def failure_of(code: str, patience_s: float = PATIENCE_S) -> Failure:
    with pytest.raises(BotFailed) as caught:
        async with running(code) as process:
            await process.ask("a line", patience_s)
    return caught.value.failure


@pytest.mark.both_loops
async def test_a_line_answers_a_line() -> None:
    async with running(ECHO) as process:
        for line in ("one", "two", "ü" * 1000):
            assert await process.ask(line, PATIENCE_S) == line


async def test_blank_lines_and_carriage_returns_are_not_answers() -> None:
    async with running("input()\nprint('\\n\\r\\n  \\n4\\r')\ninput()") as process:
        assert await process.ask("turn", PATIENCE_S) == "4"


async def test_an_endless_line_is_a_flood() -> None:
    failure = await failure_of("input()\nwhile True: os.write(1, b'x' * 1000)")
    assert (failure.kind, failure.message) == ("flood", "The bot wrote a line of more than 10000 bytes.")
    assert failure.answer == "x" * ANSWER_BYTES
    assert failure.line == "a line"


async def test_a_long_line_that_ends_is_a_flood_too() -> None:
    failure = await failure_of("input()\nos.write(1, b'x' * 10_001 + b'\\n')")
    assert (failure.kind, failure.answer) == ("flood", "x" * ANSWER_BYTES)


async def test_endless_blank_lines_are_a_flood() -> None:
    assert (await failure_of("input()\nwhile True: os.write(1, b'\\n' * 1000)")).kind == "flood"


async def test_an_answer_that_nobody_asked_for_is_garbage() -> None:
    async with running("input()\nprint('4')\nprint('and more', flush=True)\ninput()") as process:
        assert await process.ask("first turn", PATIENCE_S) == "4"
        await soon(lambda: b"more" in process._pipes.out)
        with pytest.raises(BotFailed) as caught:
            await process.ask("second turn", PATIENCE_S)
    failure = caught.value.failure
    assert (failure.kind, failure.line, failure.answer) == ("garbage", "second turn", "and more")
    assert failure.message == "The bot wrote 'and more' to stdout without being asked."


async def test_a_bot_that_floods_while_nobody_asks_is_stopped_by_its_pipe(tmp_path: Path) -> None:
    written = tmp_path / "written"
    code = f"count = 0\nwith open({str(written)!r}, 'w') as file:\n  while True:\n"
    code += (
        "    count += os.write(1, b'no\\n' * 1000)\n    file.seek(0)\n    file.write(str(count))\n    file.flush()\n"
    )
    async with running(code) as process:
        await soon(lambda: len(process._pipes.out) > LIMITS.stdout_line)
        for _ in range(100):  # chances to read on
            await asyncio.sleep(0.01)
        assert int(written.read_text()) < 1_000_000  # what lies in the pipe, and what one read takes
        assert len(process._pipes.out) < 1_000_000
        with pytest.raises(BotFailed) as caught:
            await process.ask("turn", PATIENCE_S)
    assert caught.value.failure.kind == "flood"


async def test_what_is_not_utf_8_is_garbage() -> None:
    failure = await failure_of("input()\nos.write(1, b'\\xff\\xfe\\n')")
    assert (failure.kind, failure.message) == ("garbage", "The bot answered '\ufffd\ufffd', which is not UTF-8.")


async def test_a_bot_that_closes_its_stdout_gives_no_answer() -> None:
    failure = await failure_of("input()\nos.close(1)\ntime.sleep(300)")
    assert (failure.kind, failure.message) == ("exit", "The bot closed its stdout instead of answering.")


async def test_a_bot_that_ended_between_two_turns_fails_at_the_next() -> None:
    async with running("input()\nprint('4', flush=True)") as process:
        assert await process.ask("first turn", PATIENCE_S) == "4"
        await soon(lambda: process._pipes.exited)
        with pytest.raises(BotFailed) as caught:
            await process.ask("second turn", PATIENCE_S)
    assert (caught.value.failure.kind, caught.value.failure.line) == ("exit", "second turn")


async def test_a_bot_that_does_not_read_runs_out_of_patience() -> None:
    async with running("time.sleep(300)") as process:
        with pytest.raises(BotFailed) as caught:
            await process.ask("x" * 1_000_000, 0.3)
    assert caught.value.failure.kind == "time"


async def test_the_end_of_stderr_is_kept_with_a_failure() -> None:
    failure = await failure_of("input()\nsys.stderr.write('start' + 'x' * 100_000 + 'end')\nos._exit(1)")
    assert failure.stderr == "x" * (STDERR_BYTES - 3) + "end"


async def test_a_bot_that_floods_its_stderr_still_answers() -> None:
    code = "import threading\ndef flood():\n  while True: os.write(2, b'x' * 65536)\n"
    code += "threading.Thread(target=flood, daemon=True).start()\n"
    async with running(code + ECHO) as process:
        for _ in range(20):
            assert await process.ask("turn", PATIENCE_S) == "turn"
        assert len(process.stderr) == STDERR_BYTES


async def test_stderr_goes_to_a_log_with_what_is_said(tmp_path: Path) -> None:
    log = tmp_path / "bot.log"
    log.write_text("before\n")
    async with running("os.write(2, b'hello\\n')\n" + ECHO, log) as process:
        await process.ask("turn", PATIENCE_S)
        await soon(lambda: sorted(log.read_text().splitlines()) == ["< turn", "> turn", "before", "hello"])


async def test_a_log_that_cannot_be_written_fails_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(BotFailed, match="cannot be started"):
        async with running(ECHO, tmp_path / "none" / "bot.log"):
            pass


async def test_the_children_of_a_bot_end_with_it() -> None:
    code = "import subprocess\nprint(subprocess.Popen(['sleep', '300'], start_new_session=True).pid, flush=True)\n"
    async with running(code + "time.sleep(300)") as process:
        child = int(await process.line(PATIENCE_S))
        assert not has_ended(child)
    await soon(lambda: has_ended(child))


def has_ended(pid: int) -> bool:
    """True if a process is gone, or only waits for its parent to ask how it ended: on some machines nobody does."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


PARENT = """
import asyncio, sys
from noughts_client.bots import sandbox
from noughts_client.bots.process import ProcessLimits
from noughts_client.bots.process import Process
from noughts_client.bots.program import Program

async def main():
    if sys.argv[1] == "control":
        sandbox.dying_with_parent = tuple
    program = Program((sys.executable, "-S", "-c", "import time; print('up', flush=True); time.sleep(300)"))
    bot = await Process.start(program, containment=None, limits=ProcessLimits())
    await bot.line(60)
    print(bot.pid, flush=True)
    await asyncio.sleep(300)

asyncio.run(main())
"""


@pytest.mark.parametrize("how", ["as it is", "control"])
async def test_a_bot_that_does_not_read_dies_with_its_parent(how: str) -> None:
    if not dying_with_parent():
        pytest.skip("there is no setpriv here that knows --pdeathsig")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    argv = [sys.executable, "-c", PARENT, how]
    parent = await asyncio.create_subprocess_exec(*argv, stdout=subprocess.PIPE, env=environment)
    try:
        assert parent.stdout is not None
        bot = int(await parent.stdout.readline())
    finally:
        parent.kill()
        await parent.wait()
    if how == "control":
        assert not has_ended(bot)
        os.kill(bot, signal.SIGKILL)
    await soon(lambda: has_ended(bot))


async def test_a_bot_ends_by_itself_at_the_end_of_its_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts_client.bots.process.EXIT_S", 60)
    code = f"sys.stdin.read()\nopen({str(tmp_path / 'ended')!r}, 'w').close()"
    async with running(code):
        pass
    assert (tmp_path / "ended").exists()


async def test_ctrl_c_in_the_terminal_is_not_for_bots() -> None:
    async with running(ECHO) as process:
        assert os.getsid(process.pid) == process.pid != os.getsid(0)


async def test_closing_twice_does_no_harm() -> None:
    async with running(ECHO) as process:
        await process.close()


async def test_asyncio_does_not_lose_a_process_that_is_killed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever reaps a child before asyncio makes it log "Unknown child process": often, not always."""
    monkeypatch.setattr("noughts_client.bots.process.EXIT_S", 0.01)
    program = Program((sys.executable, "-S", "-c", "import time\nprint('up', flush=True)\ntime.sleep(1000)"))
    for _ in range(8):
        processes = [await Process.start(program, containment=None, limits=LIMITS) for _ in range(5)]
        await asyncio.gather(*(process.line(PATIENCE_S) for process in processes))
        await asyncio.gather(*(process.close() for process in processes))
    assert caplog.messages == []


async def test_a_process_is_killed_even_if_closing_it_is_cancelled() -> None:
    async with running("print('up')\ntime.sleep(1000)") as process:
        assert await process.line(PATIENCE_S) == "up"
        closing = asyncio.create_task(process.close())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.wait({closing})
        assert closing.cancelled()
        await soon(lambda: not _is_running(process.pid))


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
