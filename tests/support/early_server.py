"""``noughts`` with a journal that acknowledges before it stores: the control of the kill test."""

from __future__ import annotations

from pathlib import Path

from noughts import opening
from noughts.cli.main import main
from noughts.journal import Journal
from support.early_ack import EarlyAckJournal


async def _open_early(where: str, *_: object, **__: object) -> Journal:
    return await EarlyAckJournal.open(Path(where))


if __name__ == "__main__":
    opening.open_journal = _open_early
    main()
