"""Contents of files."""

from __future__ import annotations

from pathlib import Path


def bytes_in(directory: Path) -> bytes:
    """The contents of all files of a directory."""
    return b"".join(file.read_bytes() for file in sorted(directory.iterdir()))
