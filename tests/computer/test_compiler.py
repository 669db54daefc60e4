"""Kernels are compiled by one compiler at a time, those first that somebody waits for."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import deque

import pytest

from noughts.computer.compiler import take_next, take_turn
from noughts.computer.threads import COMPILER

pytest.importorskip("fcntl", reason="where there are no such locks nobody waits")

PATIENCE_S = 120


def test_one_compiler_works_at_a_time() -> None:
    first = take_turn(0.2)
    waiting = threading.Thread(target=lambda: take_turn(PATIENCE_S).close())
    waiting.start()
    time.sleep(0.5)
    assert waiting.is_alive()
    first.close()
    waiting.join(PATIENCE_S)
    assert not waiting.is_alive()


def test_the_wait_for_a_stuck_compiler_ends() -> None:
    stuck = take_turn(0.2)
    take_turn(0.2).close()
    stuck.close()


def test_what_is_asked_for_is_compiled_next() -> None:
    left, asked = ["connect4", "reversi", "gomoku"], deque(["gomoku", "shogi", "gomoku"])
    assert take_next(left, asked) == "gomoku"
    assert take_next(left, asked) == "connect4"
    asked.append("reversi")
    assert take_next(left, asked) == "reversi"
    assert not left


@pytest.mark.slow
def test_a_compiler_begins_with_the_kernel_that_it_was_asked_for() -> None:
    first = take_turn(PATIENCE_S)
    with subprocess.Popen([sys.executable, "-P", COMPILER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"ultimate\n")
        process.stdin.flush()
        time.sleep(3)  # until it has read that, and waits for the lock
        first.close()
        assert process.stdout.readline() == b"ultimate\n"


@pytest.mark.slow
def test_a_compiler_waits_for_the_lock() -> None:
    def compiler() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-P", COMPILER], stdin=subprocess.PIPE)

    with compiler() as process:
        assert process.wait(PATIENCE_S) == 0  # what there is to compile is compiled
    first = take_turn(PATIENCE_S)
    begun = time.monotonic()
    with compiler() as waiting:
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(6)
        first.close()
        assert waiting.wait(PATIENCE_S) == 0
    assert time.monotonic() - begun >= 6
