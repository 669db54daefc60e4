"""One player sends requests of any kind at any rate: another player's requests do not wait for long."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attacks.storm import connections, frame, tokens
from attacks.victim import victim
from support.client import Client, Json, connected

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(600)]

LONGEST_S = 2.0
"""The time another player's request may wait. It takes milliseconds, but the machine may be busy."""

GAMES = st.sampled_from(["tictactoe", "connect4", "gomoku"])
ROOMS = st.sampled_from(["ROOM", "unknown"])
kinds = st.one_of(
    st.fixed_dictionaries({"type": st.just("create"), "game": GAMES}),
    st.fixed_dictionaries({"type": st.just("watch"), "room": ROOMS, "since": st.none() | st.integers(0, 300)}),
    st.fixed_dictionaries({"type": st.just("play"), "room": ROOMS, "turn": st.integers(0, 9), "move": st.just("5")}),
    st.fixed_dictionaries({"type": st.sampled_from(["join", "leave", "resign", "abort", "offer_draw"]), "room": ROOMS}),
    st.fixed_dictionaries({"type": st.sampled_from(["offer_rematch", "accept_rematch"]), "room": ROOMS}),
    st.fixed_dictionaries({"type": st.just("lobby"), "watch": st.booleans()}),
    st.fixed_dictionaries({"type": st.just("seek"), "game": GAMES}),
    st.fixed_dictionaries({"type": st.sampled_from(["analyse", "review"]), "room": ROOMS}),
    st.fixed_dictionaries({"type": st.just("chat"), "room": ROOMS, "text": st.just("x" * 280)}),
    st.fixed_dictionaries({"type": st.just("leaderboard"), "game": GAMES}),
    st.fixed_dictionaries({"type": st.just("player"), "player": st.just("nobody")}),
    st.sampled_from([{"type": "ping"}, {"type": "unseek"}, {"type": "nonsense"}]),
)
storms = st.lists(st.tuples(kinds, st.integers(1, 150)), min_size=1, max_size=6)


async def longest_wait(other: Client, room: str, attack: asyncio.Task[None]) -> float:
    """The longest that a request of another player takes while ``attack`` goes on, in seconds."""
    longest, number = 0.0, 0
    requests: list[Json] = [{"type": "ping"}, {"type": "watch", "room": room}, {"type": "ping"}]
    while not attack.done() or number < 3:
        began = time.monotonic()
        answer = await other.request(**requests[number % 3])
        assert answer["type"] != "error", answer
        longest = max(longest, time.monotonic() - began)
        other.pushed.clear()
        number += 1
        await asyncio.sleep(0.1)  # fewer than a player may send
    await attack
    return longest


async def test_another_players_request_never_waits_long(tmp_path: Path) -> None:
    """Hypothesis chooses what ten connections of the player send, and how many of each at once."""
    loop, waits = asyncio.get_running_loop(), []

    async def strike(chosen: list[tuple[Json, int]]) -> None:
        async def attack() -> None:
            async with connections(server.url, 10 * [guest], reading=len(chosen) % 3 > 0) as attackers:
                for request, number in chosen:
                    about = {**request, "room": room} if request.get("room") == "ROOM" else request
                    for attacker in attackers:
                        if not attacker.lost:
                            attacker.transport.write(number * frame(about))
                    await asyncio.sleep(0.1)
                await asyncio.sleep(0.3)

        waits.append(await longest_wait(other, room, asyncio.create_task(attack())))
        assert waits[-1] < LONGEST_S

    @settings(max_examples=25, suppress_health_check=list(HealthCheck), print_blob=True)
    @given(storms)
    def check(chosen: list[tuple[Json, int]]) -> None:
        asyncio.run_coroutine_threadsafe(strike(chosen), loop).result(60)

    async with victim(tmp_path, warm_up=False) as server:
        (guest,) = await tokens(server.url, 1)
        async with connected(server.url) as one, connected(server.url) as other:
            room: str = (await one.ok(type="create", game="gomoku"))["room"]
            await asyncio.to_thread(check)
        assert "Traceback" not in server.output()
    print(f"the longest wait in each of {len(waits)} storms: at most {max(waits) * 1000:.0f} ms")
