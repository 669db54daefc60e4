"""``noughts`` whose computer, when it plays perfectly, never comes to a move."""

from __future__ import annotations

from functools import partial

from noughts import app
from noughts.cli import main
from noughts.computer import ProcessSearcher
from support.searches import ODD_LEVELS, odd_engine_of

if __name__ == "__main__":
    levels = ODD_LEVELS | {"perfect": ODD_LEVELS["endless"]}
    app.ProcessSearcher = partial(ProcessSearcher, levels=levels, engine_of=odd_engine_of)  # type: ignore[assignment, attr-defined]
    main()
