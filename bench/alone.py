"""The command line of benchmarks that drive a server from a core of their own."""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import uvloop

from bench.gateway.servers import LOAD_CORE


def parser(name: str, text: str | None) -> argparse.ArgumentParser:
    """The options of ``python -m bench.NAME``, whose docstring is ``text``."""
    made = argparse.ArgumentParser(prog=f"python -m bench.{name}", description=(text or "").partition("\n")[0])
    made.add_argument("--quick", action="store_true", help="a few seconds, to check that it runs")
    made.add_argument("--directory", help="where to create the journals")
    return made


def run(main: Callable[[Path], Coroutine[Any, Any, None]], directory: str | None) -> None:
    """Run ``main`` on the load's core, with all open files allowed, and a new folder in ``directory``."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    os.sched_setaffinity(0, {LOAD_CORE})
    with tempfile.TemporaryDirectory(dir=directory) as made:
        uvloop.run(main(Path(made)))
