"""The web page: files that the server serves as they are. Nothing is built, and nothing comes from another host."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "web"
"""The folder of the page's files: ``index.html``, and the modules, styles and pictures that it loads."""
