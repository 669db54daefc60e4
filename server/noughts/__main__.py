"""``python -m noughts`` is the same as ``noughts``."""

from noughts.cli import main

main()
