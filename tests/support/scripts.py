"""Python scripts in their own processes, with the import path of the tests."""

from __future__ import annotations

import os
import subprocess
import sys


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Run ``script`` with ``arguments`` in ``sys.argv[1:]``; read its output from ``stdout``."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
    )
