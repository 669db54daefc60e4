"""The cores of this machine: threads for what a kernel searches, processes for the rest."""

from __future__ import annotations

import asyncio

from noughts.computer.processes import Processes
from noughts.computer.threads import Threads
from noughts.computer.worker import Answer, Begun, Goal, Task
from noughts.engine import Tracing
from noughts.puzzles.oracle import is_solved_by_kernel
from noughts.puzzles.question import Question
from noughts.timing import Timing


class Cores:
    """Runs at most ``most`` searches at a time. For one event loop.

    Games with a fast kernel are searched in threads of this process once the kernel is loaded; until then, and for all
    other games, searches run in processes with the textbook engine.
    """

    def __init__(
        self, most: int, threads: Threads | None = None, processes: Processes | None = None, timing: Timing = Timing()
    ) -> None:
        self.most = most
        self.threads = threads or Threads(most)
        self._processes = processes or Processes(most, timing=timing)

    async def run(self, task: Task, seconds: float, stopped: asyncio.Future[bool], on_begun: Begun) -> Answer:
        """Run ``task`` until ``seconds`` have passed or ``stopped`` is done: true if somebody waits for the answer.

        The time starts with the search, which calls ``on_begun``. Must not be cancelled.

        Raises :class:`~noughts.computer.processes.SearchFailed`, and OSError if no process can be started.
        """
        kernel = not _is_plain(task[2]) and self.threads.loaded(*task[:2])
        return await (self.threads if kernel else self._processes).run(task, seconds, stopped, on_begun)

    async def close(self) -> None:
        """Release the threads and the processes. Nothing may run any more."""
        await self.threads.close()
        await self._processes.close()


def _is_plain(goal: Goal) -> bool:
    """True if no kernel helps to reach ``goal``: in a thread, a search in Python would hold up the event loop."""
    return isinstance(goal, Tracing) or (isinstance(goal, Question) and not is_solved_by_kernel(goal.puzzle.game))
