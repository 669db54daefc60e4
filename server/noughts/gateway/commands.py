"""Requests as rooms take them: options, players, and where they come from."""

from __future__ import annotations

from collections.abc import Iterator

from noughts.config import Settings
from noughts.games import Game, IllegalMove, InvalidPosition, MalformedMove, Position
from noughts.games.catalogue import BadSetup, UnknownGame, set_up
from noughts.games.sentences import no_such_game, sentence
from noughts.gateway.address import is_public, site_of
from noughts.gateway.client import Client
from noughts.gateway.replies import BAD_POSITION, BAD_SETUP, UNKNOWN_GAME, Problem
from noughts.journal import StoredPlayer
from noughts.players.ids import opener_of, origin_hash
from noughts.protocol import class_requests, requests, study_requests, tournament_requests
from noughts.protocol.fields import FischerClock, PerMoveClock
from noughts.rooms import Fischer, Options, PerMove, Player, Refused, TimeControl, most_lag_ms


def as_player(player: StoredPlayer) -> Player:
    """``player`` as one who takes a seat."""
    return Player(player.id, player.name, "bot" if player.kind == "bot" else "human", player.registered)


def origin_of(client: Client, secret: bytes) -> bytes:
    """Stands for the public address of ``client``, and is empty if that is not public or not known.

    ``secret`` is the journal's. An IPv6 address counts as its site's.
    """
    return origin_hash(secret, site_of(client.address)) if is_public(client.address) else b""


def opener_for(client: Client, secret: bytes) -> bytes:
    """The keyed hash of the address from which ``client`` opens a room; for IPv6 that of its site."""
    return opener_of(secret, site_of(client.address))


def game_of(
    request: requests.Seek
    | study_requests.Trace
    | study_requests.AskPlayouts
    | study_requests.Replay
    | study_requests.Analyse
    | study_requests.Write
    | tournament_requests.OpenTournament
    | class_requests.OpenSimul,
) -> Game:
    """The game that ``request`` names, as it sets it up. Raises :class:`~noughts.gateway.replies.Problem`."""
    try:
        return set_up(request.game or "", request.setup.items())
    except UnknownGame as error:
        raise Problem(UNKNOWN_GAME, problem=error) from None
    except BadSetup as error:
        raise Problem(BAD_SETUP, problem=error) from None


def played(
    game: Game, request: study_requests.Replay | study_requests.Analyse | study_requests.Write
) -> Iterator[tuple[str | None, Position]]:
    """Each position that the moves of ``request`` lead through, and the move before it, None at the start. A move may
    also be as people write it.

    Raises :class:`~noughts.gateway.replies.Problem` for what is not a position, and :class:`~noughts.rooms.Refused` for
    what is not a legal move.
    """
    try:
        position = game.parse(request.start) if request.start else game.start
    except InvalidPosition as error:
        raise Problem(BAD_POSITION, problem=sentence(str(error))) from None
    yield None, position
    for number, text in enumerate(request.moves, 1):
        try:
            move = game.meant(position, text)
            position = position.play(move)
        except MalformedMove as error:
            raise Refused("malformed_move", f"move {number}: {error}") from None
        except IllegalMove as error:
            raise Refused("illegal_move", f"move {number}: {error}") from None
        yield move, position


def options_of(request: requests.Create | requests.Seek, settings: Settings) -> Options:
    """The options of the room that ``request`` asks for: the client's wishes and the server's settings.

    Raises :class:`~noughts.gateway.replies.Problem` if no rooms of that game are opened here.
    """
    if settings.offered_games and request.game not in settings.offered_games:
        raise Problem(UNKNOWN_GAME, problem=no_such_game(request.game, settings.offered_games))
    private = isinstance(request, requests.Create) and request.private
    return options_for(time_control_of(request.clock), settings, private=private, rated=request.rated)


def options_for(clock: TimeControl | None, settings: Settings, *, private: bool, rated: bool) -> Options:
    """The options of a room with this clock, with the server's settings."""
    return Options(
        private=private,
        waiting_ms=_ms(settings.waiting_s),
        sleeping_ms=_ms(settings.sleeping_days * 86_400),
        rated=rated,
        clock=clock,
        first_move_ms=_ms(settings.first_move_s),
        abandoned_ms=_ms(settings.abandoned_s),
        claim_ms=_ms(settings.claim_s) * (2 if clock is not None and clock.slow else 1),
        lag_ms=most_lag_ms(clock),
    )


def time_control_of(wish: FischerClock | PerMoveClock | None) -> TimeControl | None:
    match wish:
        case None:
            return None
        case FischerClock():
            return Fischer(_ms(wish.initial_s), _ms(wish.increment_s))
        case PerMoveClock():
            return PerMove(_ms(wish.per_move_s))


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
