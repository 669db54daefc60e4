"""The engine that another revision of this repository has for a game, as a player's engine."""

from __future__ import annotations

import importlib
import io
import subprocess
import sys
import tarfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from noughts.engine import Engine
from noughts.engine.engines import ANY_SETUP, kernel_of
from noughts.games import Game

ROOT = Path(__file__).parents[2]
BEGINS = "at:"
"""The beginning of such a player's name; the rest is a commit or branch, such as ``HEAD~1``."""

_FOLDERS: list[TemporaryDirectory[str]] = []
"""They are removed when the process ends."""


def engine_at(revision: str, game: Game) -> Engine:
    """A new engine for ``game``, whose kernel is that of ``revision``. The rules and the rest are this tree's.

    Raises ValueError for a game without a kernel, and CalledProcessError if there is no such revision.
    """
    kernel = kernel_of(game)
    if kernel is None:
        raise ValueError(f"{game.key} has no kernel")
    module, _, name = kernel.partition(":")
    made = getattr(importlib.import_module(_extracted(revision, module.rpartition(".")[0]) + ".engine"), name)
    engine: Engine = made(game) if kernel in ANY_SETUP else made()
    return engine


@cache
def _extracted(revision: str, package: str) -> str:
    """The name of the package, of those to import, that is ``package`` as it was in ``revision``."""
    path = f"server/{package.replace('.', '/')}"
    commit = subprocess.run(["git", "rev-parse", revision], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    archive = subprocess.run(["git", "archive", commit.strip(), path], cwd=ROOT, check=True, capture_output=True).stdout
    then = f"{package.rpartition('.')[2]}_{commit[:12]}"
    _FOLDERS.append(TemporaryDirectory(prefix="noughts-"))
    folder = Path(_FOLDERS[-1].name)
    (folder / then).mkdir()
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            content = files.extractfile(member)
            if content is not None:
                text = content.read()
                if member.name.endswith(".py"):
                    text = text.replace(package.encode(), then.encode())
                (folder / then / Path(member.name).name).write_bytes(text)
    sys.path.insert(0, str(folder))
    return then
