"""Checks of a server at its tables: rooms, moves, what everybody sees of them, and the way back after a break."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from noughts.conformance.peer import Peer, greeted
from noughts.conformance.report import Fault

MOST_MOVES = 300
"""The number of moves a game may have before it is no longer played to its end."""


@dataclass
class Table:
    """A private room with two players, opened and joined. ``state`` is the newest that both have seen."""

    room: str
    game: str
    first: Peer
    second: Peer
    state: dict[str, Any]

    @property
    def mover(self) -> Peer:
        """The player to move."""
        return self.first if self.state["to_move"] == "first" else self.second

    @property
    def waiter(self) -> Peer:
        """The other player."""
        return self.second if self.mover is self.first else self.first

    async def play(self, move: str, *watchers: Peer) -> str:
        """Play ``move``. Everybody at the table and the ``watchers`` get the same update, which is returned as sent."""
        mover, turn = self.mover, self.state["turn"]
        answer = await mover.request(type="play", room=self.room, turn=turn, move=move)
        if answer["type"] != "ok":
            raise mover.fault(f"{move!r} is one of `legal_moves` and should be played")
        if not any(message["type"] == "update" for _, message in mover.pushed):
            raise mover.fault("the update of a move should come before the answer")
        shown = {}
        for peer in (mover, self.waiter, *watchers):
            text, update = await peer.push("update", self.room)
            shown[text] = update
        if len(shown) > 1:
            raise Fault("the players and spectators got different updates", [f"< {text}" for text in shown])
        ((text, update),) = shown.items()
        event, self.state = update["event"], update["state"]
        if update["version"] != answer.get("version"):
            raise Fault("the answer and the update have different versions", [f"< {json.dumps(answer)}", f"< {text}"])
        if (event["kind"], event.get("move"), event.get("turn")) != ("played", move, turn):
            raise Fault(f"the event should be `played` with turn {turn} and move {move!r}", [f"< {text}"])
        if self.state["turn"] != turn + 1 or self.state["moves"][-1:] != [move]:
            raise Fault(f"after the move, `turn` should be {turn + 1} and {move!r} the last of `moves`", [f"< {text}"])
        return text


@asynccontextmanager
async def table(url: str, **options: Any) -> AsyncIterator[Table]:
    """A table, whose game is aborted or resigned at the end."""
    async with greeted(url, name="check-1") as first, greeted(url, name="check-2", bot=True) as second:
        games = [game["key"] for game in first.welcome["games"]]
        game = "tictactoe" if "tictactoe" in games else games[0]
        opened = await first.ok(type="create", game=game, private=True, **options)
        room, seat = opened.get("room"), opened.get("seat")
        if not isinstance(room, str) or seat != "first":
            raise first.fault("the answer to `create` should have the `room` and the seat `first`")
        if first.pushed:
            raise first.fault("the answer to `create` should come before the room")
        _, before = await first.push("room", room)
        if (before["state"]["status"], before["version"]) != ("waiting", 1):
            raise first.fault("a new room with an open seat should be `waiting`, at version 1")
        joined = await second.ok(type="join", room=room)
        if (joined.get("room"), joined.get("seat")) != (room, "second"):
            raise second.fault("the answer to `join` should have the `room` and the seat `second`")
        _, after = await second.push("room", room)
        _, update = await first.push("update", room)
        if update["event"]["kind"] != "joined" or update["state"] != after["state"]:
            raise first.fault("the update should be `joined`, with the state that the other player got")
        if after["state"]["status"] != "playing":
            raise second.fault("with both seats taken the game should be `playing`")
        it = Table(room, game, first, second, after["state"])
        try:
            yield it
        finally:
            with suppress(Fault):  # which would hide the one that ends the block
                for end in ("abort", "resign"):
                    await first.request(type=end, room=room)


async def refuses_wrong_moves(url: str) -> None:
    """Each kind of wrong move has its code; none of them changes anything, and nobody else hears of it."""
    async with table(url) as it, greeted(url) as stranger:
        room, turn = it.room, it.state["turn"]
        move = it.state["legal_moves"][0]
        await it.mover.refused("malformed_move", type="play", room=room, turn=turn, move="no such move")
        answer = await it.mover.refused("malformed_move", type="play", room=room, turn=turn, move="")
        if answer.get("legal_moves") != it.state["legal_moves"]:
            raise it.mover.fault("the error should have the `legal_moves` of the state")
        await it.mover.refused("stale", type="play", room=room, turn=turn + 1, move=move)
        await it.waiter.refused("not_your_turn", type="play", room=room, turn=turn, move=move)
        await stranger.refused("not_seated", type="play", room=room, turn=turn, move=move)
        await stranger.refused("seat_taken", type="join", room=room)
        for peer in (it.first, it.second):
            await peer.quiet()
        await it.play(move)
        if move not in it.state["legal_moves"]:
            await it.mover.refused("illegal_move", type="play", room=room, turn=turn + 1, move=move)
        await it.mover.refused("stale", type="play", room=room, turn=turn, move=it.state["legal_moves"][0])
        for peer in (it.first, it.second):
            await peer.quiet()


async def plays_a_repeated_move_once(url: str) -> None:
    """A move that is sent again, on any connection, gets the version that it made."""
    async with table(url) as it:
        mover, other, move = it.mover, it.waiter, it.state["legal_moves"][0]
        again = {"type": "play", "room": it.room, "turn": it.state["turn"], "move": move}
        update = json.loads(await it.play(move))
        async with greeted(url, token=mover.welcome["token"]) as elsewhere:
            for peer in (mover, elsewhere):
                if (await peer.ok(**again)).get("version") != update["version"]:
                    raise peer.fault(f"the answer should have version {update['version']}, that of the first answer")
        await other.quiet()


async def plays_a_whole_game(url: str) -> None:
    """Two players and a spectator see the same, without gaps, from the first move to the end."""
    async with table(url) as it, greeted(url) as spectator:
        watched = await spectator.ok(type="watch", room=it.room)
        if watched.get("seat", "") is not None:
            raise spectator.fault("the answer to `watch` should have the seat null, for a spectator")
        await spectator.push("room", it.room)
        choose = random.Random(1)
        while it.state["status"] == "playing" and it.state["turn"] < MOST_MOVES:
            await it.play(choose.choice(it.state["legal_moves"]), spectator)
        if it.state["status"] == "playing":
            return
        for peer in (it.first, it.second):
            await peer.refused("game_over", type="play", room=it.room, turn=it.state["turn"], move="1")
        await spectator.refused("not_seated", type="resign", room=it.room)
        _, shown = await _watched(spectator, it.room)
        if shown["state"] != it.state:
            raise spectator.fault("the room should have the state of the last update")


async def resumes_from_a_version(url: str) -> None:
    """After a break a client gets what it missed, byte for byte, or the whole room."""
    async with table(url) as it:
        missed = [await it.play(it.state["legal_moves"][0])]
        since = it.second.versions[it.room]
        token = it.second.welcome["token"]
        missed += [await it.play(it.state["legal_moves"][0]) for _ in range(2)]
        async with greeted(url, token=token) as back:
            answer = await _watch_since(back, it.room, since - 1)
            if (answer.get("seat"), answer.get("version")) != ("second", since + 2):
                raise back.fault(f"the answer should have the seat `second` and the version {since + 2}")
            got = [(await back.push("update", it.room))[0] for _ in missed]
            if got != missed:
                raise Fault("what was missed should come as it was sent", [f"< {text}" for text in (*missed, *got)])
        async with greeted(url, token=token) as back:
            await _watch_since(back, it.room, since + 2)
            await back.quiet()
        async with greeted(url, token=token) as back:
            await back.ok(type="watch", room=it.room, since=since + 1000)
            _, shown = await back.push("room", it.room)
            if shown["version"] != since + 2:
                raise back.fault(f"the room should have the version {since + 2}")


async def ends_and_repeats_games(url: str) -> None:
    """Resigning, a rematch with the sides swapped, and aborting it, each seen by both."""
    async with table(url) as it:
        for _ in range(2):
            await it.play(it.state["legal_moves"][0])
        await it.second.ok(type="resign", room=it.room)
        for peer in (it.first, it.second):
            _, update = await peer.push("update", it.room)
            outcome = update["state"]["outcome"] or {}
            if (outcome.get("winner"), outcome.get("reason")) != ("first", "resignation"):
                raise peer.fault("the outcome should be that `first` won by `resignation`")
        await it.first.ok(type="offer_rematch", room=it.room)
        await it.second.ok(type="accept_rematch", room=it.room)
        for peer, side in ((it.first, "second"), (it.second, "first")):
            _, following = await peer.push("room")
            seat = following["state"]["seats"][side] or {}
            if following["previous"] != it.room or seat.get("id") != peer.welcome["player"]["id"]:
                raise peer.fault("the rematch should name the room before it, with the sides swapped")
        await it.second.ok(type="abort", room=following["room"])
        _, update = await it.first.push("update", following["room"])
        if (update["state"]["outcome"] or {}).get("reason") != "aborted":
            raise it.first.fault("the outcome should be `aborted`")


async def opens_one_room_for_a_key(url: str) -> None:
    """``create`` is safe to repeat with a key."""
    async with table(url, key="once") as it:
        for _ in range(2):
            answer = await it.first.ok(type="create", game=it.game, private=True, key="once")
            if answer.get("room") != it.room:
                raise it.first.fault(f"the same key should give the same room, {it.room}")
            await it.first.push("room", it.room)


async def lists_public_rooms(url: str) -> None:
    """The lobby and a player's own games have the rooms that belong there."""
    async with table(url) as hidden, greeted(url) as other:
        answer = await hidden.first.ok(type="create", game=hidden.game)
        room = answer["room"]
        try:
            await hidden.first.push("room", room)
            listed = await other.ok(type="lobby", game=hidden.game, watch=True)
            rooms = {each["room"] for each in listed.get("rooms", ())}
            if room not in rooms:  # the list may be a second old, and its changes follow
                with suppress(Fault):
                    while room not in rooms:
                        _, changes = await other.push("lobby")
                        rooms |= {each["room"] for each in changes["rooms"]}
            if room not in rooms:
                raise other.fault(f"the lobby should have the public room {room}")
            if hidden.room in rooms:
                raise other.fault(f"the lobby should not have the private room {hidden.room}")
            mine = await hidden.first.request(type="games")
            if mine["type"] != "games" or not {room, hidden.room} <= {each["room"] for each in mine["games"]}:
                raise hidden.first.fault(f"`games` should list the player's own rooms, {room} and {hidden.room}")
        finally:
            with suppress(Fault):
                await hidden.first.request(type="abort", room=room)


async def carries_chat(url: str) -> None:
    """Players talk to players, and spectators to spectators."""
    async with table(url) as it, greeted(url) as spectator:
        await _watched(spectator, it.room)
        await it.first.ok(type="chat", room=it.room, text="to the players")
        await spectator.ok(type="chat", room=it.room, text="to the spectators")
        for peer, to, sender in (
            (it.first, "players", it.first),
            (it.second, "players", it.first),
            (spectator, "spectators", spectator),
        ):
            _, line = await peer.push("chat", it.room)
            if (line["to"], line["text"]) != (to, f"to the {to}") or line["id"] != sender.welcome["player"]["id"]:
                raise peer.fault(f"the line should be that of {sender.welcome['player']['name']} to the {to}")


async def seats_the_computer(url: str) -> None:
    """The computer answers a move, if it plays here."""
    async with greeted(url) as peer:
        game = next((each for each in peer.welcome["games"] if "easy" in each["levels"]), None)
        if game is None:
            return
        opened = await peer.ok(
            type="create", game=game["key"], seats={"first": "me", "second": "computer:easy"}, private=True
        )
        _, shown = await peer.push("room", opened["room"])
        await peer.ok(type="play", room=opened["room"], turn=0, move=shown["state"]["legal_moves"][0])
        await peer.push("update", opened["room"])
        _, update = await peer.push("update", opened["room"])
        if (update["event"]["kind"], update["event"].get("side")) != ("played", "second"):
            raise peer.fault("the computer should have played")
        await peer.ok(type="resign", room=opened["room"])


async def _watched(peer: Peer, room: str) -> tuple[str, dict[str, Any]]:
    await peer.ok(type="watch", room=room)
    return await peer.push("room", room)


async def _watch_since(peer: Peer, room: str, since: int) -> dict[str, Any]:
    """The answer to ``watch``; what follows has to go on after ``since``."""
    answer = await peer.ok(type="watch", room=room, since=since)
    peer.versions[room] = since
    return answer
