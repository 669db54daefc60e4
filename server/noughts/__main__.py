"""``python -m noughts`` is the same as ``noughts``."""

from noughts.cli.main import main

main()
