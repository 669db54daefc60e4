"""Leadership: the leader holds a lock of the database, in a session of its own."""

from __future__ import annotations

import asyncio

from noughts.journal.postgres.connect import FAILURES, Address, Connection, end

LEASE_S = 5.0
"""A leader that has not asked for so long is none any more: the database ends its session, even if it is cut off."""

_ANSWER_S = 2.0

# The lock belongs to the session, and its holder gets it again: asking for it is also the check.
_LEAD = "SELECT pg_try_advisory_lock(x'4E474854'::integer, 2)"


class Leadership:
    """Leadership of all servers that share the database at ``address``."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._connection: Connection | None = None
        self._lock = asyncio.Lock()

    async def held(self) -> bool:
        """Take the lead if nobody has it; whether it is ours now. False if the database does not answer."""
        async with self._lock:
            try:
                async with asyncio.timeout(_ANSWER_S):
                    if self._connection is None:
                        self._connection = await self._address.connect(idle_session_timeout=f"{LEASE_S:.0f}s")
                    return bool(await self._connection.fetchval(_LEAD))
            except (*FAILURES, TimeoutError):
                self._drop()
                return False
            except BaseException:
                self._drop()  # the session is in the middle of a query and cannot run another
                raise

    async def close(self) -> None:
        """Give up the lead."""
        async with self._lock:
            if self._connection is not None:
                await end(self._connection)
                self._connection = None

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None
