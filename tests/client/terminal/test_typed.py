import asyncio

import pytest

from noughts_client.terminal.typed import Typed


async def test_lines_come_in_their_order_and_what_was_put_back_first() -> None:
    typed = Typed()
    typed.add("1")
    typed.add("2")
    assert await typed.next() == "1"
    typed.put_back("1")
    assert [await typed.next(), await typed.next()] == ["1", "2"]


async def test_who_reads_waits_and_the_end_is_told_each_time() -> None:
    typed = Typed()
    reading = asyncio.create_task(typed.next())
    await asyncio.sleep(0)
    assert not reading.done()
    typed.add("1")
    assert await reading == "1"
    typed.add("2")
    typed.end()
    assert await typed.next() == "2"
    for _ in range(2):
        with pytest.raises(EOFError):
            await typed.next()
