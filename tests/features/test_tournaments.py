"""Tournaments over the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from noughts.features.organiser import result_of
from noughts.games import Outcome, Reason, Side
from noughts.games.tictactoe import TICTACTOE
from noughts.journal import SqliteJournal, TournamentRow
from noughts.protocol.tournament_records import from_record, to_record
from noughts.rooms import Options, Player, Room
from noughts.rooms.room import Ply
from noughts.tournaments.events import (
    DRAWN,
    FIRST_BY_FORFEIT,
    FIRST_WINS,
    NOBODY,
    SECOND_BY_FORFEIT,
    SECOND_WINS,
    Paired,
    Pairing,
    Result,
    Started,
)
from noughts.value import changed
from support.client import Client, Json, connected
from support.server import QUICK, running_gateway, running_server

FAST = replace(QUICK, tournaments_s=0.05, round_break_s=0, standings_s=0.05)
BLITZ: Json = {"initial_s": 60, "increment_s": 0}


@asynccontextmanager
async def players(url: str, *names: str, **hello: Any) -> AsyncIterator[list[Client]]:
    """Clients with these registered names."""
    async with AsyncExitStack() as stack:
        clients = []
        for name in names:
            client = await stack.enter_async_context(connected(url, name, **hello))
            await client.ok(type="register")
            clients.append(client)
        yield clients


async def opened(by: Client, **terms: Any) -> str:
    """A tournament of tic-tac-toe; its id."""
    wanted = {"name": "Club", "format": "round_robin", "game": "tictactoe", "clock": BLITZ, "rounds": 1, **terms}
    if wanted["format"] in ("arena", "ladder"):
        del wanted["rounds"]
    return str((await by.ok(type="open_tournament", **wanted))["tournament"])


async def shown(client: Client, tournament: str, **more: Any) -> Json:
    answer = await client.request(type="tournament", tournament=tournament, **more)
    assert answer["type"] == "tournament", answer
    return answer


async def until_status(client: Client, tournament: str, status: str) -> Json:
    """The tournament once it has this status."""
    return await until(client, tournament, lambda found: found["tournament"]["status"] == status)


async def until(client: Client, tournament: str, is_so: Callable[[Json], bool], **more: Any) -> Json:
    """The tournament once something is so."""
    found = await shown(client, tournament, **more)
    async with asyncio.timeout(30):
        while not is_so(found):
            await asyncio.sleep(0.05)
            found = await shown(client, tournament, **more)
    return found


async def resigns(client: Client, call: Json) -> None:
    """Resign the game to which a player is called, once each side has moved."""
    room = call["room"]
    await client.ok(type="watch", room=room)
    if call["seat"] == "first":
        await client.ok(type="play", room=room, turn=0, move="1")
        await wait_for_turn(client, room, 2)
    else:
        await wait_for_turn(client, room, 1)
        await client.ok(type="play", room=room, turn=1, move="2")
    if call["seat"] == "first":
        await client.ok(type="resign", room=room)


async def wait_for_turn(client: Client, room: str, turn: int) -> None:
    while True:
        message = await client.push()
        if message.get("room") == room and message.get("state", {}).get("turn", -1) >= turn:
            return


async def plays_on(client: Client, rounds: int) -> list[Json]:
    """Play so many games; whoever sits first resigns. The calls."""
    calls = []
    for _ in range(rounds):
        calls.append(await client.push("tournament_game"))
        await resigns(client, calls[-1])
    return calls


async def test_a_round_robin_is_played_to_its_end() -> None:
    async with running_server(timing=FAST) as url, players(url, "ann", "ben", "cid", "dee") as everybody:
        ann, *others = everybody
        tournament = await opened(ann)
        for client in everybody:
            assert await client.ok(type="enter_tournament", tournament=tournament) == {
                "type": "ok",
                "id": client._next_id,
                "tournament": tournament,
            }
        before = await shown(ann, tournament, watch=True)
        assert [row["place"] for row in before["standings"]] == [1, 1, 1, 1]
        await ann.ok(type="start_tournament", tournament=tournament)
        calls = await asyncio.gather(*(plays_on(client, 3) for client in everybody))
        opponents = [{call["opponent"]["name"] for call in of_one} for of_one in calls]
        assert [len(each) for each in opponents] == [3, 3, 3, 3]
        assert {call["name"] for of_one in calls for call in of_one} == {"Club"}
        end = await until_status(others[0], tournament, "finished")
        assert end["tournament"]["round"] == end["tournament"]["rounds"] == 3
        assert sum(row["points"] for row in end["standings"]) == 6
        assert end["version"] == 1 + 4 + 1 + 3 + 6 + 1, "opened, entered, started, paired, scored and finished"
        while (pushed := await ann.push("tournament"))["tournament"]["status"] != "finished":
            assert pushed["version"] > before["version"]
        assert pushed["standings"] == end["standings"]
        listed = (await others[1].request(type="tournaments"))["tournaments"]
        assert [(each["tournament"], each["status"], each["players"]) for each in listed] == [
            (tournament, "finished", 4)
        ]


async def test_a_cross_table_has_what_each_did_in_each_round() -> None:
    async with running_server(timing=FAST) as url, players(url, "ann", "ben") as (ann, ben):
        tournament = await opened(ann)
        for client in (ann, ben):
            await client.ok(type="enter_tournament", tournament=tournament)
        await ann.ok(type="start_tournament", tournament=tournament)
        (call,), _ = await asyncio.gather(plays_on(ann, 1), plays_on(ben, 1))
        end = await until_status(ann, tournament, "finished")
        assert "results" not in end["standings"][0]
        winner, loser = (await shown(ann, tournament, results=True))["standings"]
        assert loser["results"] == [
            {
                "round": 1,
                "opponent": winner["number"],
                "side": "first",
                "points": 0,
                "played": True,
                "room": call["room"],
            }
        ]
        assert winner["results"][0]["points"] == 1
        (game,) = end["games"]
        assert (game["points"], game["room"]) == ([0, 1], call["room"])


@pytest.mark.slow
@pytest.mark.smoke
async def test_swiss_is_paired_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    engines = pytest.importorskip("py4swiss.engines")
    monkeypatch.delattr(engines.DutchEngine, "generate_pairings")  # in this process, which has the event loop
    async with running_server(timing=FAST) as url, players(url, "ann", "ben", "cid") as everybody:
        tournament = await opened(everybody[0], format="swiss", rounds=1)
        for client in everybody:
            await client.ok(type="enter_tournament", tournament=tournament)
        await everybody[0].ok(type="start_tournament", tournament=tournament)
        found = await until(everybody[0], tournament, lambda found: bool(found["games"]), results=True)
        assert sorted(row["points"] for row in found["standings"]) == [0, 0, 1], "one has no opponent"
        assert [{"opponent": None, "points": 1}] in [row["results"] for row in found["standings"]]


async def test_an_arena_pairs_those_who_are_connected_again_and_again() -> None:
    async with running_server(timing=FAST) as url, players(url, "ann", "ben", bot=True) as (ann, ben):
        async with players(url, "cid") as (cid,):
            tournament = await opened(ann, format="arena", minutes=1)
            for client in (ann, ben, cid):
                await client.ok(type="enter_tournament", tournament=tournament)
        await ann.ok(type="start_tournament", tournament=tournament)
        calls, _ = await asyncio.gather(plays_on(ann, 3), plays_on(ben, 3))
        assert [call["opponent"]["name"] for call in calls] == ["ben"] * 3
        found = await shown(ann, tournament)
        assert found["tournament"]["rounds"] is None
        assert sum(row["won"] for row in found["standings"]) >= 3
        await ann.ok(type="end_tournament", tournament=tournament)
        assert (await shown(ann, tournament))["tournament"]["status"] == "finished"


async def test_a_ladder_pairs_registered_bots_from_the_beginning() -> None:
    async with running_server(timing=FAST) as url, players(url, "ann") as (ann,):
        tournament = await opened(ann, format="ladder", budget=2)
        assert await ann.refused(type="enter_tournament", tournament=tournament) == "not_allowed"
        async with connected(url, "guest", bot=True) as guest, players(url, "deep", "blue", bot=True) as bots:
            assert await guest.refused(type="enter_tournament", tournament=tournament) == "not_allowed"
            for bot in bots:
                await bot.ok(type="enter_tournament", tournament=tournament)
            await asyncio.gather(*(plays_on(bot, 2) for bot in bots))
            found = await until(ann, tournament, lambda found: len(found["games"]) == 2 and found["games"][1]["points"])
        assert found["tournament"]["status"] == "running"
        assert (found["tournament"]["budget"], found["tournament"]["rounds"]) == (2, None)
        for row in found["standings"]:
            assert (row["left_today"], row["rests"], row["provisional"]) == (0, "budget", True)
            assert row["deviation"] < 350
        assert sum(row["won"] for row in found["standings"]) == 2


@pytest.mark.slow
@pytest.mark.smoke
async def test_a_condensed_ladder_goes_on_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("noughts.tournaments.decide", "noughts.features.organiser"):
        monkeypatch.setattr(f"{module}.CONDENSED_AFTER", 5)
    journal = str(tmp_path / "journal.db")
    tokens: list[str] = []
    async with running_server(timing=FAST, journal=journal) as url, players(url, "deep", "blue", bot=True) as bots:
        tournament = await opened(bots[0], format="ladder", budget=4)
        for bot in bots:
            await bot.ok(type="enter_tournament", tournament=tournament)
            tokens.append(bot.token)
        await asyncio.gather(*(plays_on(bot, 4) for bot in bots))
        before = await until(bots[0], tournament, lambda found: found["version"] >= 13)
    stored = await SqliteJournal.open(Path(journal))
    kinds = [from_record(record).kind for record in await stored.tournaments.read(tournament)]
    await stored.close()
    assert kinds[0] == "condensed"
    assert len(kinds) <= 6
    async with running_server(timing=FAST, journal=journal) as url, connected(url, token=tokens[0]) as client:
        after = await shown(client, tournament)
        assert after["standings"] == before["standings"]
        assert after["version"] == before["version"]
        await client.ok(type="end_tournament", tournament=tournament)


async def test_two_of_one_name_are_told_apart() -> None:
    async with running_server(timing=FAST) as url, players(url, "ann") as (ann,):
        tournament = await opened(ann)
        async with connected(url, "bot", bot=True) as one, connected(url, "bot", bot=True) as two:
            for client in (one, two):
                await client.ok(type="enter_tournament", tournament=tournament)
            await ann.ok(type="start_tournament", tournament=tournament)
            assert (await one.push("tournament_game"))["opponent"]["name"] == "bot (2)"
            found = await shown(ann, tournament)
            assert {row["player"]["name"]: row["player"]["id"] for row in found["standings"]} == {
                "bot": one.id,
                "bot (2)": two.id,
            }


@pytest.mark.slow
@pytest.mark.smoke
async def test_who_does_not_come_forfeits_the_game() -> None:
    async with running_server(timing=FAST) as url, players(url, "ann", "ben") as (ann, ben):
        tournament = await opened(ann, first_move_s=1)
        for client in (ann, ben):
            await client.ok(type="enter_tournament", tournament=tournament)
        await ann.ok(type="start_tournament", tournament=tournament)
        call = await ann.push("tournament_game")
        for client in (ann, ben):
            await client.ok(type="watch", room=call["room"])
        end = await until_status(ann, tournament, "finished")
        (game,) = end["games"]
        assert (game["points"], game["played"]) == ([0, 1], False)


async def test_the_organiser_decides_pauses_removes_and_ends() -> None:
    async with running_server(timing=FAST) as url, players(url, "ann", "ben", "cid", "dee") as everybody:
        ann, ben, cid, dee = everybody
        tournament = await opened(ann)
        for client in everybody:
            await client.ok(type="enter_tournament", tournament=tournament)
        await ann.ok(type="start_tournament", tournament=tournament)
        call = await ben.push("tournament_game")
        await ben.ok(type="watch", room=call["room"])
        await ann.ok(type="pause_tournament", tournament=tournament)
        assert (await ben.ok(type="enter_tournament", tournament=tournament))["room"] == call["room"]
        await ann.ok(type="adjudicate", tournament=tournament, room=call["room"], result="draw")
        while (update := await ben.push())["type"] != "update" or update["state"]["outcome"] is None:
            pass
        assert update["state"]["outcome"]["reason"] == "adjudication"
        assert await ben.refused(type="adjudicate", tournament=tournament, room=call["room"], result="first") == (
            "not_allowed"
        )
        removed, left = (dee, cid) if call["opponent"]["id"] == cid.id else (cid, dee)
        await ann.ok(type="withdraw", tournament=tournament, player=removed.id)
        await left.ok(type="withdraw", tournament=tournament)
        found = await shown(ben, tournament)
        assert {row["player"]["name"]: row.get("withdrawn") for row in found["standings"]} == {
            "ann": None,
            "ben": None,
            removed.welcome["player"]["name"]: "removed",
            left.welcome["player"]["name"]: "left",
        }
        assert [game["points"] for game in found["games"] if game["room"] == call["room"]] == [[0.5, 0.5]]
        await ann.ok(type="resume_tournament", tournament=tournament)
        acts = [act["act"] for act in (await shown(ben, tournament))["acts"]]
        assert acts == ["paused", "adjudicated", "removed", "adjudicated", "resumed"]
        await ann.ok(type="end_tournament", tournament=tournament)


async def test_whoever_is_removed_loses_the_game_under_way_and_whoever_withdraws_does_not() -> None:
    async with running_server(timing=FAST) as url, players(url, "ann", "ben", "cid") as (ann, ben, cid):
        tournament = await opened(ann)
        for client in (ben, cid):
            await client.ok(type="enter_tournament", tournament=tournament)
        await ann.ok(type="start_tournament", tournament=tournament)
        call = await ben.push("tournament_game")
        await ben.ok(type="watch", room=call["room"])
        await ben.ok(type="withdraw", tournament=tournament)
        assert [game["points"] for game in (await shown(ann, tournament))["games"]] == [None]
        await ann.ok(type="withdraw", tournament=tournament, player=cid.id)
        while (update := await ben.push())["type"] != "update" or update["state"]["outcome"] is None:
            pass
        outcome = update["state"]["outcome"]
        assert (outcome["winner"], outcome["reason"]) == (call["seat"], "adjudication")
        found = await until_status(ann, tournament, "finished")
        assert [game["points"] for game in found["games"]] == [[1, 0] if call["seat"] == "first" else [0, 1]]
        assert [act["act"] for act in found["acts"]] == ["removed", "adjudicated"]


async def test_a_game_of_a_tournament_says_so_and_has_no_rematch() -> None:
    waits = replace(FAST, round_break_s=60)
    async with running_server(timing=waits) as url, players(url, "ann", "ben") as (ann, ben):
        tournament = await opened(ann, rounds=2)
        for client in (ann, ben):
            await client.ok(type="enter_tournament", tournament=tournament)
        await ann.ok(type="start_tournament", tournament=tournament)
        call = await ann.push("tournament_game")
        assert call["game"] == "tictactoe"
        await ann.ok(type="watch", room=call["room"])
        assert (await ann.push("room"))["options"]["tournament"] == tournament
        assert "pairs_at" not in await shown(ann, tournament)
        await ann.ok(type="adjudicate", tournament=tournament, room=call["room"], result="draw")
        found = await until(ann, tournament, lambda found: "pairs_at" in found)
        assert found["tournament"]["round"] == 1
        while (update := await ann.push())["type"] != "update" or update["state"]["outcome"] is None:
            pass
        assert await ann.refused(type="offer_rematch", room=call["room"]) == "not_allowed"


async def test_the_organiser_alone_learns_who_is_here() -> None:
    async with running_server(timing=FAST) as url, players(url, "ann", "ben") as (ann, ben):
        tournament = await opened(ann)
        await ben.ok(type="enter_tournament", tournament=tournament)
        async with players(url, "cid") as (cid,):
            await cid.ok(type="enter_tournament", tournament=tournament)
            assert (await shown(ann, tournament, presence=True))["here"] == [1, 2]
            assert "here" not in await shown(ann, tournament)
            assert "here" not in await shown(ben, tournament, presence=True)
        await until(ann, tournament, lambda found: found["here"] == [1], presence=True)


async def test_a_list_can_be_short() -> None:
    async with running_server(timing=FAST) as url, players(url, "ann") as (ann,):
        for name in ("one", "two", "three"):
            await opened(ann, name=name)
        listed = await ann.request(type="tournaments", limit=2)
        assert len(listed["tournaments"]) == 2
        assert await ann.refused(type="tournaments", limit=0) == "bad_message"


REFUSALS: Sequence[tuple[Json, str]] = [
    ({"format": "swiss", "rounds": 0}, "not_allowed"),
    ({"game": "ludo"}, "unknown_game"),
    ({"format": "gauntlet", "opponents": ["nobody"]}, "unknown_player"),
    ({"format": "gauntlet", "opponents": ["computer:grandmaster"]}, "not_allowed"),
    ({"rated": True, "private": True}, "not_allowed"),
    ({"clock": None}, "bad_message"),
    ({"rounds": 51}, "bad_message"),
    ({"name": "\u202e"}, "bad_message"),
]


async def test_bad_terms_are_refused() -> None:
    async with running_server() as url, players(url, "ann") as (ann,), connected(url, "guest") as guest:
        wanted = {"name": "Club", "format": "round_robin", "game": "tictactoe", "clock": BLITZ, "rounds": 1}
        assert await guest.refused(type="open_tournament", **wanted) == "not_allowed"
        for change, code in REFUSALS:
            assert await ann.refused(type="open_tournament", **{**wanted, **change}) == code, change
        for request in ("enter_tournament", "start_tournament", "withdraw", "tournament"):
            assert await ann.refused(type=request, tournament="nowhere") == "unknown_tournament"


async def test_only_named_organisers_open_tournaments_where_the_operator_named_some() -> None:
    async with running_server(organisers=["teacher"]) as url, players(url, "ann", "teacher") as (ann, teacher):
        await opened(teacher)
        wanted = {"name": "Club", "format": "round_robin", "game": "tictactoe", "clock": BLITZ, "rounds": 1}
        assert await ann.refused(type="open_tournament", **wanted) == "not_allowed"


async def test_the_same_key_opens_the_same_tournament_and_a_private_one_is_not_listed() -> None:
    async with running_server() as url, players(url, "ann") as (ann,):
        first = await opened(ann, key="k", private=True)
        assert await opened(ann, key="k", private=True) == first
        assert await opened(ann) != first
        listed = (await ann.request(type="tournaments"))["tournaments"]
        assert first not in [each["tournament"] for each in listed]
        assert len(listed) == 1


async def test_levels_of_the_computer_play_a_gauntlet() -> None:
    async with running_server(timing=FAST) as url, players(url, "ann") as (ann,):
        tournament = await opened(ann, format="gauntlet", opponents=["computer:best"])
        await ann.ok(type="enter_tournament", tournament=tournament)
        await ann.ok(type="start_tournament", tournament=tournament)
        call = await ann.push("tournament_game")
        assert call["opponent"]["kind"] == "computer"
        await ann.ok(type="watch", room=call["room"])


@pytest.mark.slow
@pytest.mark.smoke
async def test_it_starts_by_itself() -> None:
    async with running_server(timing=FAST) as url, players(url, "ann", "ben") as (ann, ben):
        tournament = await opened(ann, starts_in_s=1)
        for client in (ann, ben):
            await client.ok(type="enter_tournament", tournament=tournament)
        await ben.push("tournament_game")


@pytest.mark.slow
@pytest.mark.smoke
async def test_a_server_that_died_after_pairing_leaves_rooms_and_results_to_the_next(tmp_path: Path) -> None:
    """Only the round is stored: no room was opened. Then a room ends while nobody counts it."""
    journal = tmp_path / "journal.db"
    async with running_server(timing=FAST, journal=str(journal)) as url, players(url, "ann", "ben") as (ann, ben):
        tournament = await opened(ann)
        for client in (ann, ben):
            await client.ok(type="enter_tournament", tournament=tournament)
        tokens = ann.token, ben.token
    stored = await SqliteJournal.open(journal)
    records = [from_record(record) for record in await stored.tournaments.read(tournament)]
    row = TournamentRow(tournament, ann.id, "running", True, b"{}")
    started = Started(records[-1].at, (ann.id, ben.id))
    paired = Paired(records[-1].at, 1, (Pairing("the-room", ann.id, ben.id),))
    assert await stored.tournaments.append(row, 4, to_record(started))
    assert await stored.tournaments.append(row, 5, to_record(paired))
    await stored.close()
    async with (
        running_server(timing=FAST, journal=str(journal)) as url,
        connected(url, token=tokens[0]) as ann,
        connected(url, token=tokens[1]) as ben,
    ):
        call = await ann.push("tournament_game")
        assert call["room"] == "the-room"
        await asyncio.gather(resigns(ann, call), resigns(ben, {**call, "seat": "second"}))
        end = await until_status(ann, tournament, "finished")
        assert end["games"][0]["points"] == [0, 1]
        assert end["version"] == 7


def over(outcome: Outcome, *, moves: int = 0, away: Sequence[Side] = ()) -> Room:
    """A game of tic-tac-toe that is over."""
    seats = Player("p-1", "ann", "human"), Player("p-2", "ben", "human")
    position, plies = TICTACTOE.start, []
    for number, move in enumerate(TICTACTOE.start.legal_moves[:moves], 1):
        assert position.to_move is not None
        plies.append(Ply(position.to_move, move, number, position, None, move))
        position = position.play(move)
    room = Room("r", 3, TICTACTOE, position, *seats, Options(), "p-1", 0, 0)
    return changed(room, plies=tuple(plies), outcome=outcome, away=frozenset(away))


ABORTED = Outcome(None, Reason.ABORTED)


@pytest.mark.parametrize(
    ("room", "ended_by", "result"),
    [
        (over(Outcome(Side.FIRST, Reason.LINE), moves=2), None, FIRST_WINS),
        (over(Outcome(Side.SECOND, Reason.TIME), moves=2), None, SECOND_WINS),
        (over(Outcome(None, Reason.DRAW), moves=2), None, DRAWN),
        (over(Outcome(Side.SECOND, Reason.RESIGNATION)), None, SECOND_BY_FORFEIT),
        (over(ABORTED), None, SECOND_BY_FORFEIT),
        (over(ABORTED, moves=1), None, FIRST_BY_FORFEIT),
        (over(ABORTED), Side.SECOND, FIRST_BY_FORFEIT),
        (over(ABORTED, away=[Side.FIRST, Side.SECOND]), None, NOBODY),
        (over(Outcome(None, Reason.ABANDONMENT), moves=2, away=[Side.FIRST, Side.SECOND]), None, NOBODY),
        (over(Outcome(None, Reason.FAULT), moves=1), None, NOBODY),
    ],
)
def test_the_end_of_a_game_counts_as_it_should(room: Room, ended_by: Side | None, result: Result) -> None:
    assert result_of(room, ended_by) == result


async def test_a_slow_reader_gets_the_standings_when_it_has_caught_up() -> None:
    async with running_gateway(timing=FAST) as node, players(node.url, "ann", "ben") as (ann, ben):
        tournament = await opened(ann)
        await shown(ben, tournament, watch=True)
        (session,) = node.server.sessions._sessions[ben.id]
        session.paused = True  # type: ignore[attr-defined]
        await ann.ok(type="enter_tournament", tournament=tournament)
        await asyncio.sleep(0.1)
        await ben.quiet()
        session.paused = False  # type: ignore[attr-defined]
        assert (await ben.push("tournament"))["tournament"]["players"] == 1
        await shown(ben, tournament, watch=False)
        await ann.ok(type="withdraw", tournament=tournament)
        await asyncio.sleep(0.1)
        await ben.quiet()
