"""Runs benchmarks of the project at their smallest size."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from support.client import PATIENCE_S

pins_to_two_cores = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity") or (os.cpu_count() or 1) < 2, reason="it pins to two cores, on Linux"
)


async def quick(name: str, patience: int = 6) -> list[str]:
    """The lines that ``python -m bench.NAME --quick`` prints. It may take ``patience`` times ``PATIENCE_S``."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", f"bench.{name}", "--quick", cwd=Path(__file__).parents[2], stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(patience * PATIENCE_S):
        output, _ = await process.communicate()
    assert process.returncode == 0
    return output.decode().splitlines()
