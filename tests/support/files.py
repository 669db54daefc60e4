"""What files hold."""

from __future__ import annotations

from pathlib import Path


def bytes_in(directory: Path) -> bytes:
    """All that the files of a directory hold."""
    return b"".join(file.read_bytes() for file in sorted(directory.iterdir()))
