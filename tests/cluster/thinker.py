"""``noughts`` whose computer, when it plays perfectly, never comes to a move."""

from __future__ import annotations

from dataclasses import replace

from noughts.cli import main
from noughts.engine import LEVELS
from support.searches import endless

if __name__ == "__main__":
    LEVELS["perfect"] = replace(LEVELS["perfect"], search=endless)
    main()
