"""Keeps the default test run from compiling any kernel but Connect Four's."""

from __future__ import annotations

from pathlib import Path

import pytest

KERNELS = {"chess", "gomoku", "mnk", "playouts", "reversi", "ultimate"}
NEED_NO_KERNEL = {"test_patterns.py"}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip files that the run deselects anyway: importing a kernel compiles it, which takes up to a minute."""
    if "not slow" not in config.option.markexpr or collection_path.parent.name not in KERNELS:
        return None
    return True if collection_path.suffix == ".py" and collection_path.name not in NEED_NO_KERNEL else None
