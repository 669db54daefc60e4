from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from noughts_client.bots.process import ProcessLimits, excess, kill_tree, resident, tree
from noughts_client.bots.sandbox import MIB

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has /proc")

FAMILY = r"""
import os, sys, threading, time
def child():
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
        os.write(1, b'%d\n' % os.getpid())
        time.sleep(300)
threading.Thread(target=lambda: (child(), time.sleep(300))).start()  # a child belongs to the thread that started it
child()
held = bytearray(int(sys.argv[1]))
os.write(1, b'%d\n' % os.getpid())
time.sleep(300)
"""


@contextmanager
def family(held: int = 0) -> Iterator[tuple[int, set[int]]]:
    """A process, and it with its two children and two grandchildren, which lead sessions of their own."""
    argv = [sys.executable, "-S", "-c", FAMILY, str(held)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, start_new_session=True) as parent:
        assert parent.stdout is not None
        members = {int(parent.stdout.readline()) for _ in range(5)}
        try:
            yield parent.pid, members
        finally:
            for pid in members:
                os.kill(pid, signal.SIGKILL)


def test_a_tree_has_the_children_of_all_threads_and_theirs() -> None:
    with family() as (pid, members):
        assert set(tree(pid)) == members
        assert tree(pid)[0] == pid


def test_a_tree_is_read_no_further_than_asked() -> None:
    with family() as (pid, _):
        assert len(tree(pid, 1)) < 5


def test_a_process_that_has_ended_has_no_tree_and_no_memory() -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert (tree(ended.pid), resident(ended.pid)) == ([], 0)


def test_processes_are_counted_without_those_of_the_sandbox() -> None:
    with family() as (pid, _):
        assert excess(pid, ProcessLimits(processes=5)) is None
        found = excess(pid, ProcessLimits(processes=4))
        assert found is not None
        assert (found.kind, found.message) == ("processes", "The bot started more than 4 processes.")
        assert excess(pid, ProcessLimits(processes=4), overhead=1) is None


def test_the_memory_of_all_processes_counts() -> None:
    with family(100 * MIB) as (pid, members):
        held = sum(map(resident, members))
        assert resident(pid) > 100 * MIB
        assert excess(pid, ProcessLimits(memory_bytes=held + 20 * MIB)) is None
        found = excess(pid, ProcessLimits(memory_bytes=resident(pid) + MIB))  # the children's is the rest
        assert found is not None
        assert found.kind == "memory"
        assert found.message.startswith("The bot held ")


def test_a_tree_is_killed_with_all_its_sessions() -> None:
    with family() as (pid, members):
        kill_tree(pid)
        for member in members - {pid}:
            assert ends(member)


def ends(pid: int) -> bool:
    """Wait for the end of a process that is not our child."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 60)[0])
    finally:
        os.close(descriptor)
