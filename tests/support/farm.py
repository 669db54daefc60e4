"""A farm of real processes for tests: a scheduler and workers of Dask."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from bench import farm_processes as processes
from bench.farm_processes import FarmProcesses
from support.programs import check_tier


def farm_processes(folder: Path, workers: int, **options: Any) -> AbstractAsyncContextManager[FarmProcesses]:
    """A farm of so many workers, which runs within the block."""
    check_tier("Dask")
    return processes.farm_processes(folder, workers, **options)
