"""Whole leagues on their own server, with real bots, without a sandbox."""

import asyncio
import json
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from noughts.computer import Searches
from noughts.computer.processes import Processes
from noughts.league import starting
from noughts.league.disqualified import Disqualified
from noughts.league.pairing import Pairing
from noughts.league.plan import games_left, pairings_of, plan
from noughts.league.records import SIDES, Record, Side
from noughts.league.runner import Ending, Report, play_league
from noughts.league.state import Folder, LeagueError, create, load
from noughts_client import Bot, BotState, Connection, run_async
from support.searches import START_S, Slow
from support.server import running_server

pytestmark = [pytest.mark.slow, pytest.mark.smoke]

FIRST = "def choose(state):\n    return state['legal_moves'][0]\n"
BOTS = {
    "thinks": "import time\ndef choose(state):\n    time.sleep(600)\n",
    "first": FIRST,
    "last": "def choose(state):\n    return state['legal_moves'][-1]\n",
    "crash": "import sys\ndef choose(state):\n    print('dying', file=sys.stderr)\n    raise KeyError('e4')\n",
    "cheat": "def choose(state):\n    return 'z9'\n",
    "hang": FIRST.replace("return", "import time; time.sleep(99 * (state['ply'] > 2)); return"),
    "absent": "import no_such_module\n",
}


TERMS: dict[str, Any] = {"game": "tictactoe", "rounds": 1, "seed": 5, "clock": "20s+1"}


def new(tmp_path: Path, *bots: str, **options: Any) -> Folder:
    for name in bots:
        if name in BOTS:
            (tmp_path / f"{name}.py").write_text(BOTS[name])
    texts = [str(tmp_path / f"{name}.py") if name in BOTS else name for name in bots]
    return create(tmp_path / "league", plan(texts, **(TERMS | options)))


async def played(folder: Folder, *, stop_after: int = 1000, concurrency: int = 2) -> tuple[Ending, list[Record]]:
    """Play, and stop after so many games; what was told."""
    stop, told = asyncio.Event(), list[Record]()

    def over(record: Record, _: object) -> None:
        assert record in load(folder.path).records  # stored before it is told
        told.append(record)
        if len(told) >= stop_after:
            stop.set()

    report = Report(begun=lambda _: None, game=over)
    return await play_league(folder, containment=None, report=report, stop=stop, concurrency=concurrency), told


def planned(record: Record) -> Pairing:
    return Pairing(
        record["game"], record["round"], record["pair"], tuple(record["opening"]), record["first"], record["second"]
    )


async def test_bots_that_fail_lose_and_the_record_says_why(tmp_path: Path) -> None:
    folder = new(tmp_path, "first", "crash", "cheat", "absent")
    ending, records = await played(folder)
    assert ending == "played"
    assert {each.game for each in map(planned, records)} < {each.game for each in pairings_of(folder.league)}
    assert games_left(folder.league, records) == []
    failures = Counter(record[record["failure"]["side"]] for record in records if record["failure"])
    assert failures.keys() == {"crash", "cheat", "absent"}
    assert all(3 <= times <= 4 for times in failures.values())  # another game may have been under way
    assert list(Disqualified(folder.league, load(folder.path).records).players) == list(
        Disqualified(folder.league, records).players
    )
    assert await played(load(folder.path)) == ("played", [])
    loser = {"crash": "crash", "cheat": "illegal", "absent": "start"}
    for record in records:
        failure = record["failure"]
        assert failure is not None
        name = record[failure["side"]]
        assert (failure["kind"], record["reason"]) == (loser[name],) * 2
        assert record["result"] == ("second" if failure["side"] == "first" else "first")
        assert record["moves_timed"][failure["side"]] == 0  # a failure is no move
        if name == "absent":
            assert (failure["error"], record["room"], record["moves"]) == ("ModuleNotFoundError", "", [])
        else:
            assert json.loads(failure["line"])["moves"] == record["moves"]
        if name == "crash":
            assert (failure["error"], failure["stderr"]) == ("KeyError", "dying\n")
            assert "raise KeyError('e4')" in failure["traceback"]
        if name == "cheat":
            assert "z9" in failure["answer"]


async def test_a_bot_that_hangs_loses_by_the_servers_clock(tmp_path: Path) -> None:
    _, records = await played(new(tmp_path, "first", "hang", clock="1s+0"))
    for record in records:
        side = "first" if record["first"] == "hang" else "second"
        failure = record["failure"]
        assert failure is not None
        assert (failure["side"], failure["kind"], record["reason"]) == (side, "time", "time")
        assert record["result"] != side
        assert re.fullmatch(r"The bot had \d\.\d{3} s, and had not answered by then\.", failure["message"])
        assert 'hang.py", line ' in failure["traceback"]
        assert record["longest_s"][side] >= 1  # type: ignore[literal-required]
        line = json.loads(failure["line"])
        assert (line["moves"], line["side"]) == (record["moves"], side)


async def test_the_computer_is_ready_before_its_clock_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def searches(workers: int) -> Searches:
        return Searches(workers, processes=Processes(workers, Slow))

    monkeypatch.setattr(starting, "_searches", searches)
    folder = new(tmp_path, "last", "computer:easy", clock="20s+1")
    _, records = await played(folder)
    for record in records:
        assert record["failure"] is None
        side: Side = "first" if record["first"] == "easy" else "second"
        assert record["longest_s"][side] < START_S


async def test_a_stopped_league_goes_on_with_the_same_pairings_and_openings(tmp_path: Path) -> None:
    folder = new(tmp_path, "first", "last", "computer:perfect")
    ending, told = await played(folder, stop_after=2)
    assert ending == "stopped"
    assert 2 <= len(told) <= 3  # one more may have been under way
    late = load(folder.path)  # somebody else reads the league, and then waits
    ending, rest = await played(load(folder.path))
    assert ending == "played"
    assert await played(late) == ("played", [])
    records = sorted(load(folder.path).records, key=lambda each: each["game"])
    assert list(map(planned, records)) == pairings_of(folder.league)
    assert len(told) + len(rest) == len(records) == 6
    for record in records:
        assert record["moves"][: len(record["opening"])] == record["opening"]
        assert (record["failure"], record["reason"] in ("line", "draw")) == (None, True)
        winner = record[record["result"]] if record["result"] in SIDES else None
        assert "perfect" not in (record["first"], record["second"]) or winner in (None, "perfect")
    assert await played(load(folder.path)) == ("played", [])


async def test_a_decided_test_ends_the_league(tmp_path: Path) -> None:
    sprt = {"elo0": -300, "elo1": 300, "alpha": 0.05, "beta": 0.05}
    folder = new(tmp_path, "computer:perfect", "last", rounds=1000, sprt=sprt)
    ending, told = await played(folder, concurrency=1)
    assert ending == "decided"
    assert len(told) < 10
    assert await played(load(folder.path)) == ("decided", [])


async def test_a_league_on_a_live_server(tmp_path: Path) -> None:
    async with running_server() as url:
        folder = new(tmp_path, "first", "computer:easy", server=url)
        ending, told = await played(folder)
        assert ending == "played"
        assert all(record["result"] and record["room"] for record in told)
        assert not folder.journal.exists()
        with pytest.raises(LeagueError, match="player:Zoe: No player has that id"):
            await played(create(tmp_path / "third", plan(["computer:easy", "player:Zoe"], **TERMS, server=url)))
    with pytest.raises(LeagueError, match="at ws://"):
        await played(load_new(tmp_path, url))


def load_new(tmp_path: Path, url: str) -> Folder:
    terms = load(tmp_path / "league").league
    return create(tmp_path / "other", {**terms, "server": url})


@pytest.mark.parametrize("live", [False, True])
async def test_a_league_is_played_once_at_a_time(tmp_path: Path, live: bool) -> None:
    async with running_server() as url:
        folder = new(tmp_path, "first", "last", server=url if live else None)
        seen = asyncio.Event()
        report = Report(begun=lambda _: seen.set(), game=lambda *_: None)
        first = asyncio.create_task(play_league(folder, containment=None, report=report, stop=asyncio.Event()))
        await seen.wait()
        with pytest.raises(LeagueError, match="is being played already"):
            await played(load(folder.path))
        assert await first == "played"


def one_second_late(state: BotState) -> str:
    time.sleep(3 * (state["ply"] > 2))
    return str(state["legal_moves"][0])


async def test_players_who_are_connected_already_are_invited(tmp_path: Path) -> None:
    bots: dict[str, Bot] = {"Ann": lambda state: state["legal_moves"][0], "Late": one_second_late}
    async with running_server() as url:
        players, tasks = ["first"], []
        for name, bot in bots.items():
            async with Connection(url, name=name, bot=True) as connection:
                token, player = connection.welcome["token"], connection.welcome["player"]["id"]
            players.append(f"{name}=player:{player}")
            playing = run_async(
                bot, url, token=token, resume=False, against="invitations", games=4, tell=lambda _: None
            )
            tasks.append(asyncio.create_task(playing))
        ending, told = await played(new(tmp_path, *players, server=url, clock="2s+0"))
        results = await asyncio.gather(*tasks)
    assert (ending, len(told)) == ("played", 6)
    for record in told:
        failure = record["failure"]
        assert record["moves"]
        if "Late" in (record["first"], record["second"]):
            assert failure is not None
            assert (record[failure["side"]], failure["kind"], record["reason"]) == ("Late", "time", "time")
            assert failure["message"] == "The player had not moved when its time was up."
        else:
            assert (failure, record["reason"]) == (None, "line")
    assert (len(results[0]), results[1]) == (4, ["lost"] * 4)


async def play_all(guest: Connection, games_at_once: list[int]) -> None:
    """Accept every invitation at once, and play; the number of games under way at each invitation."""
    under_way, answered = set[str](), set[tuple[str, int]]()
    async for message in guest:
        if message["type"] == "invitation":
            under_way.add(message["room"])
            games_at_once.append(len(under_way))
            await guest.request({"type": "join", "room": message["room"]})
        elif message["type"] == "room" or message["type"] == "update":
            state, turn = message["state"], (message["room"], message["state"]["turn"])
            seat = state["seats"][state["to_move"]] if state["to_move"] and state["status"] == "playing" else None
            if state["status"] == "over":
                under_way.discard(message["room"])
            elif seat and seat["id"] == guest.welcome["player"]["id"] and turn not in answered:
                answered.add(turn)
                move = {"room": message["room"], "turn": state["turn"], "move": state["legal_moves"][0]}
                await guest.request({"type": "play", **move})


async def test_a_connected_player_plays_one_game_at_a_time(tmp_path: Path) -> None:
    games_at_once = list[int]()
    async with running_server() as url, Connection(url, name="Ann", bot=True) as ann:
        playing = asyncio.create_task(play_all(ann, games_at_once))
        folder = new(tmp_path, "first", "last", f"Ann=player:{ann.welcome['player']['id']}", server=url)
        ending, told = await played(folder, concurrency=3)
        playing.cancel()
    assert (ending, len(told)) == ("played", 6)
    assert games_at_once == [1] * 4


async def give_up(guest: Connection, how: str) -> None:
    """Accept every invitation, play the first move where it is ours, and then end the game while the other thinks."""
    async for message in guest:
        if message["type"] == "invitation":
            await guest.request({"type": "join", "room": message["room"]})
        elif (message["type"] == "room" or message["type"] == "update") and message["state"]["status"] == "playing":
            room, state = message["room"], message["state"]
            assert state["to_move"] is not None
            seat = state["seats"][state["to_move"]]
            if state["turn"] == 0 and seat and seat["id"] == guest.welcome["player"]["id"]:
                await guest.request({"type": "play", "room": room, "turn": 0, "move": state["legal_moves"][0]})
            else:
                await guest.request({"type": how, "room": room})


@pytest.mark.parametrize(
    ("how", "reason", "failed"), [("resign", "resignation", None), ("abort", "exit", "The player aborted the game.")]
)
async def test_a_guest_who_ends_a_game_loses_it(tmp_path: Path, how: str, reason: str, failed: str | None) -> None:
    async with running_server() as url, Connection(url, name="Ann", bot=True) as ann:
        quitting = asyncio.create_task(give_up(ann, how))
        folder = new(tmp_path, "thinks", f"Ann=player:{ann.welcome['player']['id']}", server=url, clock="20s+0")
        ending, told = await played(folder)
        quitting.cancel()
    assert (ending, len(told)) == ("played", 2)
    for record in told:
        assert record["reason"] == reason
        assert record["result"] == ("first" if record["first"] == "thinks" else "second")
        failure = record["failure"]
        assert (None if failure is None else failure["message"]) == failed
