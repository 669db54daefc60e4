"""The control of the kill tests: a journal that tells before it stores, so that a kill must lose some."""

from __future__ import annotations

import time
from collections.abc import Sequence

from noughts.journal.sqlite import Batch, Outcome, SqliteJournal

COMMIT_DELAY_S = 0.05


class EarlyAckJournal(SqliteJournal):
    """An :class:`SqliteJournal` whose appends return before they are committed, ``COMMIT_DELAY_S`` before."""

    def _commit(self, batch: Batch, outcomes: Sequence[Outcome]) -> None:
        self._tell(batch, outcomes)
        time.sleep(COMMIT_DELAY_S)
        super()._commit(batch, outcomes)
