"""Who leads: whoever holds a lock of the database, by a session of its own."""

from __future__ import annotations

import asyncio

from noughts.journal.postgres.connect import FAILURES, Address, Connection, let_go

LEASE_S = 5.0
"""Who has not asked for so long leads no more: the server ends the session, also when no word of it gets through."""

_ANSWER_S = 2.0

# The lock belongs to the session and is granted again to who has it: the answer is worth as much as a check.
_LEAD = "SELECT pg_try_advisory_lock(x'4E474854'::integer, 2)"


class Leadership:
    """A candidacy for the lead of all servers that share the database at ``address``."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._connection: Connection | None = None
        self._asking = asyncio.Lock()

    async def held(self) -> bool:
        """Whether it is ours now; asked for if it is nobody's. False also while the database does not answer."""
        async with self._asking:
            try:
                async with asyncio.timeout(_ANSWER_S):
                    if self._connection is None:
                        self._connection = await self._address.connect(idle_session_timeout=f"{LEASE_S:.0f}s")
                    return bool(await self._connection.fetchval(_LEAD))
            except (*FAILURES, TimeoutError):
                self._drop()
                return False
            except BaseException:
                self._drop()  # a session in the midst of a question is not asked another
                raise

    async def close(self) -> None:
        """Give it up."""
        async with self._asking:
            if self._connection is not None:
                await let_go(self._connection)
                self._connection = None

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None
