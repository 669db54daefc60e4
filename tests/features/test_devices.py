"""Devices, and the codes by which they get in, over real connections."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from noughts.journal.steady_clock import system_time
from noughts.journal.tokens import JOIN_MS
from noughts.players.tokens import code_hash, new_join_code, token_hash
from noughts.timing import Timing
from support.client import Client, Json, connected, farewell, turned_away
from support.eventually import soon
from support.faulty import Faulty
from support.files import bytes_in
from support.journals import MemoryJournal
from support.postgres import Postgres, database
from support.server import Node, running_gateway, running_server


class Clock:
    """The time of the day, which a test may set forward."""

    ahead = 0

    def __call__(self) -> int:
        return system_time() + self.ahead


@asynccontextmanager
async def clocked(**overrides: int) -> AsyncIterator[tuple[Node, MemoryJournal, Clock]]:
    clock = Clock()
    journal = MemoryJournal(clock)
    options: dict[str, Any] = {**overrides}
    async with running_gateway(journal, timing=Timing(journal_retries_s=(0.01, 0.01)), **options) as node:
        yield node, journal, clock


async def devices(client: Client) -> dict[str, Json]:
    """A player's devices by their labels."""
    answer = await client.request(type="devices")
    assert answer["type"] == "devices", answer
    return {device["label"]: device for device in answer["devices"]}


async def join(ann: Client, other: Client, label: str) -> str:
    """Another client becomes a device of Ann's. Returns its token."""
    code = (await ann.ok(type="add_device"))["code"]
    answer = await other.ok(type="redeem", code=code, client=label)
    assert answer["player"]["id"] == ann.id
    return str(answer["token"])


async def dismissed(client: Client) -> None:
    (*_, error), close_code, _ = await farewell(client)
    assert ("id" in error, error["code"], close_code) == (False, "bad_token", 1008)


async def test_another_device_joins_with_a_code() -> None:
    async with (
        running_server() as url,
        connected(url, "ann", client="laptop") as ann,
        connected(url, "guest", client="a browser") as guest,
    ):
        await ann.ok(type="register")
        answer = await ann.ok(type="add_device")
        preview = await guest.ok(type="redeem", code=answer["code"], preview=True)
        assert preview["player"] == {"id": ann.id, "name": "ann", "kind": "human", "registered": True}
        assert "token" not in preview
        token = (await guest.ok(type="redeem", code=answer["code"], client="phone"))["token"]
        assert (await guest.request(type="ping"))["type"] == "pong", "it stays who it was"
        async with connected(url, None, token=token) as phone:
            assert phone.welcome["player"] == preview["player"]
            seen = await devices(phone)
            assert {label: device["this"] for label, device in seen.items()} == {"laptop": False, "phone": True}
            assert all(device["added_at"] and device["used_at"] for device in seen.values())
            assert token not in str(seen)
            room = await ann.create()
            assert (await phone.ok(type="watch", room=room))["seat"] == "first"


async def test_a_code_works_once_and_however_it_is_typed() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        code = (await ann.ok(type="add_device"))["code"]
        typed = f" {code[:8].upper()}-{code[8:]} "
        assert await ben.refused(type="redeem", code=code[:-1]) == "bad_code"
        await ben.ok(type="redeem", code=typed)
        assert await ben.refused(type="redeem", code=code) == "bad_code"
        assert await ben.refused(type="redeem", code=code, preview=True) == "bad_code"
        assert len((await ann.request(type="devices"))["devices"]) == 2


async def test_a_code_expires_after_five_minutes() -> None:
    async with clocked() as (node, _, clock), connected(node.url) as ann, connected(node.url) as ben:
        code = (await ann.ok(type="add_device"))["code"]
        clock.ahead += JOIN_MS - 5000
        await ben.ok(type="redeem", code=code, preview=True)
        clock.ahead += 5000
        assert await ben.refused(type="redeem", code=code) == "bad_code"


async def test_of_clients_that_redeem_a_code_at_once_one_gets_a_token() -> None:
    async with running_server() as url, connected(url) as ann, connected(url) as ben, connected(url) as cat:
        code = (await ann.ok(type="add_device"))["code"]
        answers = await asyncio.gather(*(one.request(type="redeem", code=code) for one in (ben, cat)))
        assert sorted(answer["type"] for answer in answers) == ["error", "ok"]


async def test_an_eleventh_device_is_refused() -> None:
    async with running_server() as url, connected(url) as ann, connected(url) as ben:
        tokens = [await join(ann, ben, f"device {number}") for number in range(8)]
        code = (await ann.ok(type="add_device"))["code"]
        tokens.append(await join(ann, ben, "device 8"))  # the new code replaces the other
        assert await ben.refused(type="redeem", code=code) == "bad_code"
        assert await ann.refused(type="add_device") == "not_allowed"
        seen = await devices(ann)
        assert len(seen) == 10
        await ann.ok(type="sign_out", device=seen["device 3"]["device"])
        assert await turned_away(url, token=tokens[3]) == "bad_token"
        assert await join(ann, ben, "another")


async def test_a_device_too_many_cannot_redeem_a_code_that_was_made_before() -> None:
    async with (
        clocked(devices_per_player=2) as (node, journal, _),
        connected(node.url) as ann,
        connected(node.url) as ben,
    ):
        code = (await ann.ok(type="add_device"))["code"]
        player, mine, late = ann.id, token_hash(ann.token), code_hash("recovery")
        await journal.tokens.put_code(player, mine, "recovery", late)
        await journal.tokens.redeem(late, token_hash("another"), "another", 2)
        assert await ben.refused(type="redeem", code=code) == "not_allowed"
        assert node.gateway.monitor.limited["devices_per_player"] == 1


async def test_signing_out_a_device_closes_its_connections_alone() -> None:
    async with (
        running_server() as url,
        connected(url, client="laptop") as ann,
        connected(url, token=ann.token) as tab,
        connected(url) as ben,
    ):
        phone_token, tablet_token = await join(ann, ben, "phone"), await join(ann, ben, "tablet")
        async with connected(url, token=phone_token) as phone, connected(url, token=tablet_token) as tablet:
            await ann.ok(type="sign_out", device=(await devices(ann))["phone"]["device"])
            await dismissed(phone)
            assert await turned_away(url, token=phone_token) == "bad_token"
            await tablet.ok(type="sign_out", device="this")
            await dismissed(tablet)
            assert await turned_away(url, token=tablet_token) == "bad_token"
        await ann.quiet()
        await tab.quiet()
        assert await ann.refused(type="sign_out", device="unknown") == "not_allowed"
        assert await ann.refused(type="sign_out", device=(await devices(ben))[""]["device"]) == "not_allowed"


async def test_signing_out_everywhere_else_keeps_this_device() -> None:
    async with running_server() as url, connected(url, client="laptop") as ann, connected(url) as ben:
        async with (
            connected(url, token=await join(ann, ben, "phone")) as phone,
            connected(url, token=await join(ann, ben, "tablet")) as tablet,
        ):
            code = (await tablet.ok(type="add_device"))["code"]
            await ann.ok(type="sign_out", device="others")
            await dismissed(phone)
            await dismissed(tablet)
            assert await ben.refused(type="redeem", code=code) == "bad_code"
        assert set(await devices(ann)) == {"laptop"}


async def test_a_renewed_token_is_this_devices_alone() -> None:
    async with running_server() as url, connected(url, client="laptop") as ann, connected(url) as ben:
        phone_token = await join(ann, ben, "phone")
        async with connected(url, token=phone_token) as phone:
            token = (await ann.ok(type="renew_token"))["token"]
            await phone.quiet()
            assert await turned_away(url, token=ann.token) == "bad_token"
            seen = await devices(ann)
            assert {label: device["this"] for label, device in seen.items()} == {"laptop": True, "phone": False}
            async with connected(url, token=token) as again:
                assert again.id == ann.id


async def test_a_recovery_code_brings_a_player_back() -> None:
    async with running_server() as url, connected(url, "ben") as ben:
        async with connected(url, "ann", client="laptop") as ann:
            await ann.ok(type="register")
            assert (await ann.request(type="devices"))["recovery_at"] is None
            old = (await ann.ok(type="recovery_code"))["code"]
            code = (await ann.ok(type="recovery_code"))["code"]
            assert len(code) == 29
            assert (await ann.request(type="devices"))["recovery_at"] is not None
            await ann.ok(type="sign_out", device="all")
            await dismissed(ann)
        assert await turned_away(url, name="ann") == "name_taken"
        assert await ben.refused(type="redeem", code=old) == "bad_code"
        for label in ("new laptop", "phone"):  # the answer to the first might have been lost
            token = (await ben.ok(type="redeem", code=code.replace("-", " ").upper(), client=label))["token"]
        async with connected(url, token=token) as again:
            assert (again.id, set(await devices(again))) == (ann.id, {"new laptop", "phone"})


async def test_recovery_with_ten_devices_signs_out_the_longest_unused_at_once() -> None:
    async with (
        clocked(devices_per_player=2) as (node, _, clock),
        connected(node.url, client="old") as ann,
        connected(node.url) as ben,
    ):
        code = (await ann.ok(type="recovery_code"))["code"]
        clock.ahead += 1000
        for label in ("new", "newer"):
            clock.ahead += 1000
            token = (await ben.ok(type="redeem", code=code, client=label))["token"]
        await dismissed(ann)
        async with connected(node.url, token=token) as newer:
            assert set(await devices(newer)) == {"new", "newer"}


async def test_wrong_codes_are_limited_by_address_and_right_ones_are_not(caplog: pytest.LogCaptureFixture) -> None:
    async with clocked(codes_per_minute=5) as (node, _, _), connected(node.url) as ann, connected(node.url) as eve:
        code = (await ann.ok(type="add_device"))["code"]
        for _ in range(10):
            await ann.ok(type="redeem", code=code, preview=True)
        async with AsyncExitStack() as stack:
            others = [await stack.enter_async_context(connected(node.url)) for _ in range(5)]
            for client in (eve, *others):  # many guesses at once, on many connections
                for number in range(20):
                    await client.send(type="redeem", id=number, code=new_join_code(), preview=bool(number % 2))
            answers = [await client.receive() for client in (eve, *others) for _ in range(20)]
        assert Counter(answer["code"] for answer in answers) == {"bad_code": 5, "rate_limited": 115}
        assert all(0 < answer["retry_after_s"] <= 12 for answer in answers if answer["code"] == "rate_limited")
        async with connected(node.url) as fresh:
            assert await fresh.refused(type="redeem", code=code) == "rate_limited", "all clients of an address share it"
        assert node.gateway.monitor.limited["codes_per_minute"] == 116
        assert f"limit codes_per_minute stopped {eve.id}" in caplog.text


async def test_a_banned_players_code_is_refused() -> None:
    async with clocked() as (node, journal, _), connected(node.url) as ann, connected(node.url) as ben:
        code = (await ann.ok(type="recovery_code"))["code"]
        assert await journal.people.ban(ann.id, 2**53)
        assert await ben.refused(type="redeem", code=code) == "banned"
        assert await ben.refused(type="redeem", code=code, preview=True) == "banned"


async def test_whoever_was_signed_out_elsewhere_makes_no_code_and_signs_nobody_out() -> None:
    async with clocked() as (node, journal, _), connected(node.url) as ann, connected(node.url) as ben:
        async with connected(node.url, token=await join(ann, ben, "thief")) as thief:
            # As another node would, of which this one has not heard yet.
            await journal.tokens.end(ann.id, token_hash(ann.token), token_hash(str(thief.token)))
            assert await thief.refused(type="recovery_code") == "bad_token"
            assert await thief.refused(type="add_device") == "bad_token"
            assert await thief.refused(type="renew_token") == "bad_token"
            await thief.send(type="sign_out", device="others")
            await dismissed(thief)
        assert len(await journal.tokens.of(ann.id)) == 1


@pytest.mark.parametrize("faults", [["answer lost"], ["lost", "answer lost"]])
async def test_a_lost_answer_of_the_journal_does_not_cost_the_code(faults: list[str]) -> None:
    async with clocked() as (node, journal, _), connected(node.url) as ann, connected(node.url) as ben:
        redeem = Faulty(journal.tokens, "redeem")
        redeem.faults = faults
        token = await join(ann, ben, "phone")
        assert redeem.faults == []
        async with connected(node.url, token=token) as phone:
            assert phone.id == ann.id


async def test_a_guest_that_the_journal_has_forgotten_can_add_and_sign_out_devices() -> None:
    async with clocked() as (node, journal, _), connected(node.url) as ann, connected(node.url) as ben:
        await journal.forget(journal.now() + 60_000)
        async with connected(node.url, token=await join(ann, ben, "phone")) as phone:
            assert phone.id == ann.id
        await journal.forget(journal.now() + 60_000)
        await ann.ok(type="sign_out", device="others")
        await ann.quiet()
        token = (await ann.ok(type="renew_token"))["token"]
        async with connected(node.url, token=token) as again:
            assert again.id == ann.id


async def test_the_use_of_a_token_is_noted() -> None:
    clock = Clock()
    journal = MemoryJournal(clock)
    async with running_gateway(journal) as node, connected(node.url) as ann:
        sessions = node.server.sessions
        (before,) = await journal.tokens.of(ann.id)
        clock.ahead += 4_000_000
        async with connected(node.url, token=ann.token):
            await sessions._look()
        ((hashed, used),) = [(token.hash, token.used) for token in await journal.tokens.of(ann.id)]
        assert hashed == before.hash
        assert used >= before.used + 4_000_000
        await soon(lambda: len(sessions._used) == 1)
        await sessions._look()
        assert sessions._used == set()


async def test_only_hashes_of_codes_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    async with running_server(journal=str(path)) as url, connected(url, client="laptop") as ann:
        codes = [(await ann.ok(type=kind))["code"] for kind in ("add_device", "recovery_code")]
        stored = bytes_in(tmp_path)
        for code in codes:
            assert code.encode() not in stored
            assert code.replace("-", "").encode() not in stored
            assert code_hash(code) in stored


async def test_a_link_has_a_qr_code() -> None:
    async with running_server() as url, connected(url) as ann:
        answer = await ann.request(type="qr", link="http://192.168.1.20:8765/#join=abcdefghijklmnop")
        rows = answer["rows"]
        assert len(rows) == len(rows[0]) == 29
        assert set("".join(rows)) == {"#", "."}
        for link in ("javascript:alert(1)", "http://", f"http://{'x' * 200}", "http://a b", "http://ä"):
            assert await ann.refused(type="qr", link=link) == "bad_message"
        answers = [await ann.request(type="qr", link="http://x/") for _ in range(12)]
        assert answers[-1]["code"] == "rate_limited"


@pytest.mark.services
async def test_signing_out_closes_connections_on_every_node(postgres: Postgres) -> None:
    async with (
        database(postgres) as journal,
        running_server(journal=journal) as one,
        running_server(journal=journal) as two,
        connected(one, client="laptop") as ann,
        connected(two) as ben,
    ):
        code = (await ann.ok(type="add_device"))["code"]
        token = (await ben.ok(type="redeem", code=code, client="phone"))["token"]
        async with connected(two, token=token) as phone:
            await ann.ok(type="sign_out", device="others")
            await dismissed(phone)
        assert set(await devices(ann)) == {"laptop"}
