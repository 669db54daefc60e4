"""Rooms and games as messages."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, cast

from pydantic_core import to_json

from noughts.engine import Analysis, MoveValue, levels_of, verdict_of
from noughts.games import GAMES, OWN, Board, Game, Option, Outcome, Piece, Position, Side, Style
from noughts.games.catalogue import Setup
from noughts.games.installed import packages
from noughts.games.notation import number_of
from noughts.games.paths import cells_of
from noughts.protocol.messages import GameInfo
from noughts.protocol.player_messages import MyGame
from noughts.protocol.records import SIDES, event_fields, fields_json, outcome_json, quoted
from noughts.protocol.room_messages import (
    BoardInfo,
    ClockInfo,
    FischerInfo,
    Listing,
    OfferInfo,
    OptionInfo,
    OutcomeInfo,
    PerMoveInfo,
    PieceInfo,
    RoomOptions,
    SeatInfo,
    SideName,
    Sides,
    Snapshot,
    State,
    StyleInfo,
    Update,
    YourMove,
)
from noughts.protocol.study_messages import MoveWorth
from noughts.protocol.words import WORDS, Ending, Words
from noughts.rooms import Clocks, Event, Fischer, Opened, Options, Player, Room, TimeControl, Unrated
from noughts.rooms.clock import days_ms


@lru_cache(maxsize=64)  # an event's time is often in its update more than once
def timestamp(ms: int) -> str:
    """A time in ms since the epoch as ISO 8601 in UTC: ``2026-11-20T12:00:05.104Z``."""
    seconds, thousandths = divmod(ms, 1000)
    return f"{_second(seconds)}.{thousandths:03}Z"


@lru_cache(maxsize=4)  # many moves fall into the same second
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:19]


def games() -> list[GameInfo]:
    """All games that this server knows."""
    return [game_info(game) for game in GAMES.values()]


def game_info(game: Game) -> GameInfo:
    """The fields that a client needs to draw ``game``."""
    info: GameInfo = {
        "key": game.key,
        "title": game.title,
        "sides": {"first": _style(game.first), "second": _style(game.second)},
        "layout": [list(row) for row in game.layout],
        "levels": list(levels_of(game)),
    }
    if game.cells is not None:
        info["cells"] = [list(row) for row in game.cells]
    if game.block:
        info["block"] = game.block
    if (board := _board(game)) is not None:
        info["board"] = board
    if game.pieces:
        info["pieces"] = {piece.symbol: _piece(piece) for piece in game.pieces}
    if game.options:
        info["options"] = [_option(option) for option in game.options]
    if game.claim is not None:
        info["claims"] = True
    if not game.draws:
        info["draws"] = False
    if game.heuristic is not None:
        info["unit"] = game.heuristic.unit
        if (measure := game.heuristic.measure) is not None:
            info["measure"] = {"one": measure.one, "worth": measure.worth}
            if measure.many is not None:
                info["measure"]["many"] = measure.many
            if game.margin is not None and not game.sooner:
                info["measure"]["margins"] = True
    if game.record is not None:
        info["record"] = game.record.suffix
    if game.rules:
        info["rules"] = list(game.rules)
    if game not in OWN and game.key in packages():
        info["package"] = packages()[game.key]
    return info


def examples() -> dict[str, dict[str, Any]]:
    """A position that shows what a game looks like, by the game's key: ``rows`` and ``counts`` as in a state, and the
    cells of the ``last`` move. A game without an example shows its start.
    """
    return {game.key: _example(game) for game in GAMES.values()}


def _example(game: Game) -> dict[str, Any]:
    before = after = game.start
    moves = game.example.split()
    for move in moves:
        before, after = after, after.play(move)
    names = [list(row) for row in game.cells or game.layout]
    known = {name for row in names for name in row if name}
    last, _ = cells_of(moves[-1], known) if moves else ((), "")
    if not last:  # the move has the name of no cell: it is where something was placed
        last = tuple(
            name
            for cells, was, now in zip(names, before.rows, after.rows, strict=True)
            for name, one, other in zip(cells, was, now, strict=True)
            if one != other
        )
    counts = {} if game.counts is None else {"counts": [list(row) for row in game.counts(after)]}
    return {"rows": list(after.rows), "last": list(last), **counts}


def _board(game: Game) -> BoardInfo | None:
    if game.board == Board():
        return None
    info: BoardInfo = {"shape": game.board.shape}
    if game.board.look:
        info["look"] = game.board.look
    if game.board.bottom is not None:
        info["bottom"] = game.board.bottom.value
    if game.board.lines:
        info["lines"] = [list(line) for line in game.board.lines]
    if game.board.borders is not None:
        info["borders"] = [side.value for side in game.board.borders]
    return info


def _piece(piece: Piece) -> PieceInfo:
    return {"side": None if piece.side is None else piece.side.value, "name": piece.name, "glyph": piece.glyph}


def _option(option: Option) -> OptionInfo:
    info: OptionInfo = {"key": option.key, "title": option.title, "default": option.default}
    if option.choices:
        info["choices"] = list(option.choices)
    return info


def words() -> Words:
    """The protocol's words, with what the games add to them."""
    own: dict[str, Ending] = {key: {"how": how, "board": True} for game in GAMES.values() for key, how in game.endings}
    return {**WORDS, "endings": own | WORDS["endings"]}


def set_up_board(game: Game) -> dict[str, object]:
    """The ``layout`` and the ``board`` of a game that is set up otherwise than usual; nothing of others."""
    if not game.setup:
        return {}
    board = _board(game)
    return {"layout": game.layout} if board is None else {"layout": game.layout, "board": board}


def state(room: Room) -> State:
    """The public state of ``room``. It follows from the journal alone."""
    position, to_move = room.position, room.to_move
    told: State = {
        "status": room.status,
        "turn": room.turn,
        "ply": position.ply,
        "to_move": None if to_move is None else to_move.value,
        "rows": list(position.rows),
        "legal_moves": list(position.legal_moves) if to_move is not None else [],
        "moves": [ply.move for ply in room.plies],
        "seats": _seats(room.first, room.second, room.away, *_claims(room)),
        "clock": None if room.clocks is None else _clock(room, room.clocks),
        "offers": _offers(room),
        "outcome": None if room.outcome is None else outcome_info(room.outcome),
        "next": room.next,
    }
    return {**told, **_further(room)}  # type: ignore[typeddict-item]


def _further(room: Room) -> dict[str, object]:
    """The fields of a state that only some rooms have."""
    game, older = room.game, room.older_rules
    further = game.counted(room.position)
    if older is not None and older.at_ply is not None:
        further["rules_changed"] = {"from": older.version, "at_ply": older.at_ply}
    if game.notation is not None:
        further["names"] = [ply.name for ply in room.plies]
    if (reason := room.claimable_draw) is not None:
        further["claim_draw"] = reason
    return further


def update(event: Event, room: Room) -> Update:
    """``event`` and the state of ``room``, the room after it. Bots' notes stay secret."""
    fields = event_fields(event)
    at = fields.pop("at")
    fields.pop("note", None)
    if isinstance(event, Opened):
        fields.pop("setup", None)
        fields |= set_up_board(room.game)
        fields["options"] = _options(room.options, room.rated, room.unrated_because, room.game.setup)
    return {
        "type": "update",
        "room": room.id,
        "version": room.version,
        "at": timestamp(at),
        "event": fields,
        "state": state(room),
    }


class Pieces:
    """The parts of a room's JSON that are remembered from one update to the next: its moves up to the ply ``last``, and
    its seats.

    So the hundredth move takes as long as the second. ``seats`` are those of ``first`` and ``second``, both present.
    """

    __slots__ = ("first", "last", "moves", "seats", "second")

    def __init__(self) -> None:
        self.last: object = None
        self.moves = self.seats = ""
        self.first: Player | None = None
        self.second: Player | None = None


def update_json(
    event: Event, room: Room, fields: str | None = None, pieces: Pieces | None = None, *, legal_moves: bool = True
) -> bytes:
    """:func:`update` as JSON, byte for byte. ``fields`` are the event's ``fields_json``, if the caller has them.
    Without ``legal_moves`` the state does not have them.

    Every move in every room needs one, so it is put together from pieces that are remembered as JSON; ``pieces`` are
    the room's own, used for it alone.
    """
    if isinstance(event, Opened):  # few see one, and its options are shown in another form
        told = update(event, room)
        if not legal_moves:
            del told["state"]["legal_moves"]
        return to_json(told)
    shown = _state_json(room, pieces or Pieces(), legal_moves=legal_moves)
    return (
        f'{{"type":"update","room":{quoted(room.id)},"version":{room.version},"at":"{timestamp(event.at)}","event":'
        f'{{"kind":"{event.kind}",{fields or fields_json(event)}}},"state":{shown}}}'
    ).encode()


def _state_json(room: Room, pieces: Pieces, *, legal_moves: bool) -> str:
    position, to_move, plies = room.position, room.to_move, room.plies
    rows, choices = position.rows, ""
    if legal_moves:
        names = () if to_move is None else position.legal_moves
        choices = f'"legal_moves":{_known_json(names) if len(names) < 16 else to_json(names).decode()},'
    if not plies:
        moves = ""
    elif plies[-1] is pieces.last:
        moves = pieces.moves
    else:
        if len(plies) > 1 and plies[-2] is pieces.last:
            moves = f"{pieces.moves},{quoted(plies[-1].move)}"
        else:
            moves = ",".join([quoted(ply.move) for ply in plies])
        pieces.last, pieces.moves = plies[-1], moves
    if room.away:
        seats = _seats_json(room.first, room.second, room.away, *_claims(room))
    else:
        if not pieces.seats or room.first is not pieces.first or room.second is not pieces.second:
            pieces.first, pieces.second = room.first, room.second
            pieces.seats = _seats_json(room.first, room.second, room.away, None, None)
        seats = pieces.seats
    offers = ""
    if room.offers:
        offers = ",".join([f'{{"side":{SIDES[side]},"offer":"{offer}"}}' for side, offer in room.offers])
    further = ""
    if room.game.tells_more or (room.older_rules is not None and room.stopped):
        told = to_json(_further(room)).decode()[1:-1]
        further = f",{told}" if told else ""
    return (
        f'{{"status":"{room.status}","turn":{len(room.answers)},"ply":{position.ply},"to_move":{SIDES[to_move]},'
        f'"rows":{_known_json(rows) if len(rows) < 16 else to_json(rows).decode()},'
        f'{choices}"moves":[{moves}],"seats":{seats},'
        f'"clock":{"null" if room.clocks is None else _clock_json(room, room.clocks)},"offers":[{offers}],'
        f'"outcome":{"null" if room.outcome is None else outcome_json(room.outcome)},'
        f'"next":{"null" if room.next is None else quoted(room.next)}{further}}}'
    )


@lru_cache(maxsize=4096)  # on small boards the same rows and choices come again and again
def _known_json(texts: tuple[str, ...]) -> str:
    return to_json(texts).decode()


def snapshot(room: Room, now: int, spectators: int) -> Snapshot:
    """The whole room at ``now``, ms since the epoch."""
    shown = {
        "type": "room",
        "room": room.id,
        "version": room.version,
        "now": timestamp(now),
        "game": room.game.key,
        "layout": [list(row) for row in room.game.layout],
        **({"board": _board(room.game)} if _tells_board(room.game) else {}),
        "options": _options(room.options, room.rated, room.unrated_because, room.game.setup),
        "previous": room.previous,
        "state": state(room),
        "presence": {"spectators": spectators},
    }
    return cast(Snapshot, shown)


def _tells_board(game: Game) -> bool:
    """True if a room's message has the board: only where the game is not set up as usual, and has one."""
    return bool(game.setup) and game.board != Board()


def snapshot_json(room: Room, now: int, spectators: int, *, legal_moves: bool = True) -> bytes:
    """:func:`snapshot` as JSON, byte for byte; without ``legal_moves`` the state does not have them."""
    layout = _layout_json(room.game.layout)
    shown = _options_json(room.options, room.rated, room.unrated_because, room.game.setup)
    board = f'"board":{to_json(_board(room.game)).decode()},' if _tells_board(room.game) else ""
    return (
        f'{{"type":"room","room":{quoted(room.id)},"version":{room.version},"now":"{timestamp(now)}",'
        f'"game":{quoted(room.game.key)},"layout":{layout},{board}"options":{shown},'
        f'"previous":{"null" if room.previous is None else quoted(room.previous)},'
        f'"state":{_state_json(room, Pieces(), legal_moves=legal_moves)},"presence":{{"spectators":{spectators}}}}}'
    ).encode()


@lru_cache(maxsize=64)
def _layout_json(layout: tuple[tuple[str, ...], ...]) -> str:
    return to_json(layout).decode()


def listing(room: Room) -> Listing:
    """The entry of ``room`` in the lobby."""
    shown: Listing = {
        "room": room.id,
        "game": room.game.key,
        "status": room.status,
        "seats": _seats(room.first, room.second, room.away),
        "options": _options(room.options, room.rated, room.unrated_because, room.game.setup),
    }
    if room.outcome is not None:
        shown["outcome"] = outcome_info(room.outcome)
    if room.previous is not None:
        shown["previous"] = room.previous
    if room.next is not None:
        shown["next"] = room.next
    return shown


def listing_json(room: Room) -> bytes:
    """:func:`listing` as JSON, byte for byte, put together from pieces as :func:`update_json`."""
    shown = (
        f'{{"room":{quoted(room.id)},"game":{quoted(room.game.key)},"status":"{room.status}",'
        f'"seats":{_seats_json(room.first, room.second, room.away, None, None)},'
        f'"options":{_options_json(room.options, room.rated, room.unrated_because, room.game.setup)}'
    )
    if room.outcome is not None:
        shown += f',"outcome":{outcome_json(room.outcome)}'
    if room.previous is not None:
        shown += f',"previous":{quoted(room.previous)}'
    if room.next is not None:
        shown += f',"next":{quoted(room.next)}'
    return f"{shown}}}".encode()


def my_game(listed: Listing, player: str) -> MyGame:
    """A game as its ``player`` sees it among others."""
    first = listed["seats"]["first"]
    side: SideName = "first" if first is not None and first["id"] == player else "second"
    return cast(MyGame, {**listed, "side": side})


def my_running_game(room: Room, player: str) -> MyGame:
    """As :func:`my_game`, with whose turn it is."""
    shown = my_game(listing(room), player)
    shown["seats"] = _seats(room.first, room.second, room.away, *_claims(room))
    shown["turn"] = room.turn
    shown["ply"] = room.position.ply
    shown["to_move"] = None if room.to_move is None else room.to_move.value
    shown["clock"] = None if room.clocks is None else _clock(room, room.clocks)
    return shown


def analysed(game: Game, position: Position, analysis: Analysis) -> dict[str, object]:
    """The engine's part of an :class:`~noughts.protocol.study_messages.Analysed`, for ``position``."""
    verdict, best = verdict_of(analysis)
    number = number_of(game, position)
    return {
        **({} if number is None else {"number": number}),
        "value": analysis.value,
        "exact": analysis.exact,
        "best": list(best),
        "verdict": verdict.value,
        "moves": {name: worth_of(move) for name, move in analysis.moves.items()},
        "nodes": analysis.nodes,
        "depth": analysis.depth,
        "seconds": round(analysis.seconds or 0.0, 6),
    }


def your_move(room: Room) -> YourMove:
    """The notice to the player who has come to move in a game of days."""
    side = room.to_move
    assert side is not None
    opponent = room.seat(side.other)
    return {
        "type": "your_move",
        "room": room.id,
        "version": room.version,
        "game": room.game.key,
        "title": room.game.title,
        "opponent": "" if opponent is None else opponent.name,
        "side": side.value,
        "turn": room.turn,
        "deadline": timestamp(room.moved_at + days_ms(room.options.clock)),
    }


def worth_of(move: MoveValue, most: int | None = None) -> MoveWorth:
    """A move's value, with at most ``most`` moves of its line."""
    worth: MoveWorth = {
        "value": move.value,
        "exact": move.exact,
        "distance": move.distance,
        "line": list(move.line[:most]),
    }
    if move.bound is not None:
        worth["bound"] = move.bound.value
    if move.names:
        worth["names"] = list(move.names[:most])
    return worth


def _style(style: Style) -> StyleInfo:
    return {"name": style.name, "symbol": style.symbol}


def _options(options: Options, rated: bool, unrated_because: Unrated | None, setup: Setup) -> RoomOptions:
    shown: RoomOptions = {"private": options.private, "rated": rated, "clock": time_control(options.clock)}
    if unrated_because is not None:
        shown["unrated_because"] = unrated_because
    if setup:
        shown["setup"] = dict(setup)
    if options.tournament is not None:
        shown["tournament"] = options.tournament
    return shown


@lru_cache(maxsize=256)  # most rooms have the same
def _options_json(options: Options, rated: bool, unrated_because: Unrated | None, setup: Setup) -> str:
    return to_json(_options(options, rated, unrated_because, setup)).decode()


def time_control(control: TimeControl | None) -> FischerInfo | PerMoveInfo | None:
    """A time control, None for no clock."""
    if control is None:
        return None
    if isinstance(control, Fischer):
        return {"initial_s": _seconds(control.initial_ms), "increment_s": _seconds(control.increment_ms)}
    return {"per_move_s": _seconds(control.per_move_ms)}


def _seconds(ms: int) -> float:
    return ms / 1000 if ms % 1000 else ms // 1000


def _clock(room: Room, clocks: Clocks) -> ClockInfo:
    running = room.running
    shown: ClockInfo = {
        "first_ms": clocks.first_ms,
        "second_ms": clocks.second_ms,
        "running": None if running is None else running.value,
        "since": None if running is None else timestamp(room.moved_at),
    }
    if running is None and (by := room.first_move_by) is not None:
        shown["first_move_by"] = timestamp(by)
    return shown


def _clock_json(room: Room, clocks: Clocks) -> str:
    running = room.running
    since = "null" if running is None else f'"{timestamp(room.moved_at)}"'
    times = f'"first_ms":{clocks.first_ms},"second_ms":{clocks.second_ms}'
    by = room.first_move_by if running is None else None
    first_move = "" if by is None else f',"first_move_by":"{timestamp(by)}"'
    return f'{{{times},"running":{SIDES[running]},"since":{since}{first_move}}}'


def _offers(room: Room) -> list[OfferInfo]:
    return [{"side": side.value, "offer": offer} for side, offer in room.offers]


def _claims(room: Room) -> tuple[int | None, int | None]:
    """The time from which the game of each side's player may be claimed, None while it is connected."""
    return room.claimable_at(Side.FIRST), room.claimable_at(Side.SECOND)


def _seats(
    first: Player | None,
    second: Player | None,
    away: frozenset[Side],
    first_claimable_at: int | None = None,
    second_claimable_at: int | None = None,
) -> Sides:
    """Both seats, with when the game of a disconnected player may be claimed, if that is to be shown."""
    return {
        "first": _seat(first, Side.FIRST not in away, first_claimable_at),
        "second": _seat(second, Side.SECOND not in away, second_claimable_at),
    }


@lru_cache(maxsize=4096)  # the seats of as many rooms; they seldom change
def _seats_json(
    first: Player | None,
    second: Player | None,
    away: frozenset[Side],
    first_claimable_at: int | None,
    second_claimable_at: int | None,
) -> str:
    return to_json(_seats(first, second, away, first_claimable_at, second_claimable_at)).decode()


def _seat(player: Player | None, online: bool, claimable_at: int | None) -> SeatInfo | None:
    if player is None:
        return None
    info: SeatInfo = {"id": player.id, "name": player.name, "kind": player.kind, "online": online}
    if player.registered:
        info["registered"] = True
    if player.rating is not None:
        info["rating"] = player.rating
    if player.provisional:
        info["provisional"] = True
    if claimable_at is not None:
        info["claimable_at"] = timestamp(claimable_at)
    return info


def outcome_info(outcome: Outcome) -> OutcomeInfo:
    """The outcome of a game."""
    winner = outcome.winner
    return {
        "winner": None if winner is None else winner.value,
        "reason": outcome.reason,
        "cells": list(outcome.cells),
    }
