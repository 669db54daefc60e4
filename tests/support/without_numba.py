"""``noughts`` where numba is not installed."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.modules["numba"] = None  # type: ignore[assignment]  # what cannot be imported
    from noughts.cli.main import main

    main()
