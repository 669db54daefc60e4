"""How far bots that nobody vouches for are contained on this machine. See docs/sandbox.md."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from noughts_client.bots.bubblewrap import contained
from noughts_client.bots.probe import EVERYTHING, leaks, why_not
from noughts_client.bots.program import Program, python_path


@dataclass(frozen=True)
class Containment:
    """How bots are contained on this machine.

    ``missing`` says in sentences what is not contained. ``hide`` are files and folders that a bot must not see although
    they lie in its own folder: a league's records, the other bots.
    """

    by: Literal["bubblewrap", "limits"]
    missing: tuple[str, ...] = ()
    hide: tuple[Path, ...] = ()


@cache
def probe() -> Containment:
    """Try what this machine contains, once: it takes about half a second, and blocks."""
    reason = why_not()
    if reason is not None:
        return Containment("limits", (reason, *EVERYTHING))
    return Containment("bubblewrap", leaks())


def refusal(containment: Containment) -> str | None:
    """Why other people's bots must not run on this machine without ``--uncontained``; None if they may."""
    if containment.by == "bubblewrap" and not containment.missing:
        return None
    return " ".join(
        (
            "Other people's bots cannot be contained here.",
            *containment.missing,
            "See docs/sandbox.md.",
            "Add --uncontained if you trust these bots all the same.",
        )
    )


def environment(containment: Containment | None) -> dict[str, str]:
    """The environment of a bot: nearly nothing in the sandbox, and elsewhere this process's without NOUGHTS_*."""
    if not _in_sandbox(containment):
        own = {name: value for name, value in os.environ.items() if not name.startswith("NOUGHTS_")}
        return own | python_path(os.environ.get("PYTHONPATH", ""))
    path = "/usr/local/bin:/usr/bin:/bin"
    return {"PATH": path, "HOME": "/tmp", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", **python_path()}  # noqa: S108


def command(program: Program, containment: Containment | None) -> list[str]:
    """The command that starts ``program``. Raises :class:`~noughts_client.bots.bubblewrap.Unreadable`."""
    if containment is not None and _in_sandbox(containment):
        return [*first_to_die(), *contained(program, containment.hide)]
    return [*first_to_die(), *dying_with_parent(), *program.argv]


def _in_sandbox(containment: Containment | None) -> bool:
    return containment is not None and containment.by == "bubblewrap"


@cache
def first_to_die() -> tuple[str, ...]:
    """What to put before a command so that Linux kills it first when memory runs out; empty if that is not possible.

    A bot can hold memory that nobody counts, and the kernel might end the league instead. It takes ``choom`` of
    util-linux.
    """
    return _prefix("choom", "-n", "1000", "--")


@cache
def dying_with_parent() -> tuple[str, ...]:
    """What to put before a command so that Linux kills it if this process ends; empty if that is not possible here.

    It takes a ``setpriv`` that knows ``--pdeathsig``: util-linux's does, BusyBox's does not. The kernel kills the
    program alone, and not its children; and it does so already at the end of the thread that started it.
    """
    return _prefix("setpriv", "--pdeathsig", "KILL", "--")


def _prefix(name: str, *arguments: str) -> tuple[str, ...]:
    """The command that starts another, if it works here. It blocks for some milliseconds."""
    program = shutil.which(name) if sys.platform.startswith("linux") else None
    if program is None:
        return ()
    tried = subprocess.run([program, *arguments, "true"], capture_output=True, check=False)  # noqa: S603
    return (program, *arguments) if tried.returncode == 0 else ()
