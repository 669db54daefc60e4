"""Checks of a server as seen from outside: the list of checks, and how they are made."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from websockets.exceptions import ConnectionClosed

from noughts.conformance import contests, tables, talk
from noughts.conformance.peer import greeted
from noughts.conformance.report import Check, Fault

CHECKS: dict[str, Callable[[str], Awaitable[None]]] = {
    "a new player says hello": talk.says_hello,
    "a token makes the same player": talk.knows_a_token,
    "nothing goes before hello": talk.hears_hello_first,
    "what is not JSON is refused": talk.refuses_what_is_no_json,
    "what is not a request is refused": talk.refuses_what_is_no_request,
    "rooms, games and players that do not exist are refused": talk.names_what_it_does_not_know,
    "answers have the ids of their requests": talk.repeats_ids,
    "binary and overlong messages end the connection": talk.closes_on_what_is_no_text,
    "the limits are those that welcome tells": talk.tells_its_limits,
    "wrong moves are refused and change nothing": tables.refuses_wrong_moves,
    "a move that is sent again is played once": tables.plays_a_repeated_move_once,
    "a whole game, with a spectator": tables.plays_a_whole_game,
    "a client resumes from the version that it has seen": tables.resumes_from_a_version,
    "resigning, a rematch, and aborting it": tables.ends_and_repeats_games,
    "a key opens one room": tables.opens_one_room_for_a_key,
    "the lobby lists public rooms": tables.lists_public_rooms,
    "players chat with players, spectators with spectators": tables.carries_chat,
    "the computer answers a move": tables.seats_the_computer,
    "tournaments are opened, entered, decided and ended": contests.runs_tournaments,
    "classes are joined, watched and played": contests.runs_classes,
    "the contract is published": talk.publishes_its_contract,
}


async def check_server(url: str) -> AsyncIterator[Check]:
    """The checks of the server at ``url``, each as soon as it is done. If nobody answers there, the first is the last.

    They open some rooms, all but one of them private, and end them. At a server of this machine they also register a
    name, and hold a private tournament and a class.
    """
    try:
        async with greeted(url):
            pass
    except Fault as fault:
        yield Check("a connection", fault)
        return
    for name, check in CHECKS.items():
        try:
            await check(url)
        except Fault as fault:
            yield Check(name, fault)
        except (TimeoutError, ConnectionClosed) as error:
            yield Check(name, Fault(f"the server stopped answering: {str(error) or 'no answer in time'}"))
        except KeyError as error:  # of a field that a message may lack, but not this one
            yield Check(name, Fault(f"an answer lacks the field {error}"))
        else:
            yield Check(name)
