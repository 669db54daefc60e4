"""A recorded move list of each game: changes show as differences.

Record them again with ``PYTHONPATH=tests python tests/protocol/test_movelist.py``, and check the differences.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.games import GAMES, Side
from noughts.games.catalogue import Setup
from noughts.protocol.gamefile import recorded
from noughts.protocol.movelist import move_list
from noughts.protocol.records import to_record
from noughts.rooms import (
    Abort,
    AcceptDraw,
    AcceptTakeback,
    Claim,
    ClaimDraw,
    Command,
    DeclineDraw,
    Disconnect,
    Event,
    Expire,
    Fischer,
    NoChange,
    OfferDraw,
    OfferTakeback,
    Open,
    Options,
    Pause,
    PerMove,
    Play,
    Player,
    Resign,
    TimeControl,
    evolve,
)
from support.games import BEGINNING, random_records
from support.rooms import decided

RECORDED = Path(__file__).parent / "lists"
SEEDS = {"tictactoe": 8, "connect4": 1, "reversi": 1, "gomoku": 8, "ultimate": 1}
SEEDS |= {"chess": 1, "draughts": 1, "breakthrough": 3, "morris": 6, "kalah": 1, "dots": 11, "go": 6, "hex": 8}

ONE, BOT = Player("p-1", "player-1", "human"), Player("p-2", "bot-1", "bot")


def recorded_list(key: str) -> str:
    """The move list of a game with every kind of event."""
    return "".join(f"{line}\n" for line in move_list(recorded(random_records(Random(SEEDS[key]), game=key))))


def listed(
    *steps: tuple[int, Command],
    clock: TimeControl | None = None,
    second: Player | None = BOT,
    game: str = "tictactoe",
    setup: Setup = (),
) -> list[str]:
    """The move list of a game: commands, each with the ms since the previous one."""
    events: list[Event] = []
    room, at = None, BEGINNING
    for wait, command in ((0, Open("room", game, "p-1", ONE, second, Options(clock=clock), setup=setup)), *steps):
        at += wait
        event = decided(room, command, at)
        assert not isinstance(event, NoChange)
        room = evolve(room, event)
        events.append(event)
    return list(move_list(recorded([*map(to_record, events)])))


def moves(names: Iterable[str], wait: int = 1000) -> list[tuple[int, Command]]:
    return [(wait, Play(("p-1", "p-2")[turn % 2], turn, name)) for turn, name in enumerate(names)]


@pytest.mark.parametrize("key", GAMES)
def test_move_lists_match_the_recorded_ones(key: str) -> None:
    assert recorded_list(key) == (RECORDED / f"{key}.txt").read_text(encoding="utf-8")


def test_a_whole_game() -> None:
    assert listed(*moves("15273"), clock=Fischer(60_000, 2000)) == [
        "Tic-tac-toe",
        "",
        "X       player-1",
        "O       bot-1, a bot",
        "Room    room",
        "Clock   1:00 for the game, and 2 s more a move",
        "Opened  2026-11-17 12:00:00 UTC",
        "Over    2026-11-17 12:00:05 UTC",
        "",
        "     X              O",
        "  1. 1       1:00   5       1:00",
        "  2. 2       1:01   7       1:01",
        "  3. 3       1:02",
        "",
        "X X X    1 2 3",
        ". o .    4 5 6",
        "o . .    7 8 9",
        "",
        "X (player-1) won with three in a row: 1 2 3.",
    ]


def test_moves_after_a_takeback_have_their_numbers_again() -> None:
    steps = [*moves("152"), (0, OfferTakeback("p-1")), (0, AcceptTakeback("p-2")), (0, Play("p-1", 4, "3"))]
    assert listed(*steps, (0, Play("p-2", 5, "2")), (0, Resign("p-1")))[8:15] == [
        "     X     O",
        "  1. 1     5",
        "  2. 2",
        "     (O allows a takeback of the last move)",
        "  2. 3     2",
        "",
        "x o x    1 2 3",
    ]
    steps = [*moves("1523"), (0, OfferTakeback("p-1")), (0, AcceptTakeback("p-2")), (0, OfferTakeback("p-2"))]
    assert listed(*steps, (0, AcceptTakeback("p-1")), (0, Play("p-2", 7, "9")), (0, Resign("p-1")))[9:15] == [
        "  1. 1     5",
        "  2. 2     3",
        "     (O allows a takeback of the last 2 moves)",
        "     (X allows a takeback of the last move)",
        "  1. ...   9",
        "",
    ]


def test_notes_are_below_the_moves() -> None:
    long = "even\n\n\tthen " + "much " * 40
    noted: list[tuple[int, Command]] = [
        (0, Play("p-1", 0, "5")),
        (0, Play("p-2", 1, "1", note=long)),
        (0, Resign("p-1")),
    ]
    lines = listed(*noted)
    assert lines[8:12] == ["     X     O", "  1. 5     1", "     O: even", ""]
    assert lines[12].startswith("               then much much")
    assert lines[13].startswith("       much")
    assert max(map(len, lines)) <= 100


def test_events_between_the_moves() -> None:
    happening: list[tuple[int, Command]] = [
        *moves("15"),
        (1000, OfferDraw("p-1")),
        (0, DeclineDraw("p-1")),
        (0, OfferDraw("p-2")),
        (0, DeclineDraw("p-1")),
        (9000, Pause(((BEGINNING + 4000, BEGINNING + 11_000),))),
        (1000, Play("p-1", 2, "2")),
        (61_500, Expire()),
    ]
    assert listed(*happening, clock=Fischer(60_000, 0))[-14:] == [
        "     X              O",
        "  1. 1       1:00   5       1:00",
        "     (X offers a draw)",
        "     (X withdraws the offer)",
        "     (O offers a draw)",
        "     (X declines the draw)",
        "     (the server was down for 9 s; neither clock ran)",
        "  2. 2       0:58",
        "",
        "x x .    1 2 3",
        ". o .    4 5 6",
        ". . .    7 8 9",
        "",
        "X (player-1) won on time.",
    ]


@pytest.mark.parametrize(
    ("clock", "words", "row"),
    [
        (None, None, "  2. 2     3"),
        (Fischer(5_400_000, 0), "1:30:00 for the game", "  2. 2    1:29:56   3    1:29:56"),
        (Fischer(13_000, 0), "0:13 for the game", "  2. 2     0:09.0   3     0:09.0"),
        (Fischer(60_000, 500), "1:00 for the game, and 0.5 s more a move", "  2. 2       0:56   3       0:56"),
        (PerMove(30_000), "30 s a move", "  2. 2      4.0 s   3      4.0 s"),
        (PerMove(259_200_000), "3 days a move", "  2. 2      0.0 d   3      0.0 d"),
    ],
)
def test_clocks(clock: TimeControl | None, words: str | None, row: str) -> None:
    lines = listed(*moves("1523", 4000), (0, Resign("p-1")), clock=clock)
    assert row in lines
    assert [line.removeprefix("Clock   ") for line in lines if line.startswith("Clock")] == ([words] if words else [])


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (moves("123546879"), "Draw."),
        ([*moves("12"), (0, OfferDraw("p-1")), (0, AcceptDraw("p-2"))], "Draw by agreement."),
        ([(0, Resign("p-2"))], "X (player-1) won by resignation."),
        ([(0, Abort("p-2"))], "The game was closed before it began."),
        ([(31 * 86_400_000, Expire())], "Both players left, and the game was closed."),
        (
            [*moves("12"), (0, Disconnect("p-1")), (60_000, Claim("p-2", "win"))],
            "O (bot-1) won by abandonment.",
        ),
        ([*moves("12"), (0, Disconnect("p-1")), (60_000, Claim("p-2", "draw"))], "Draw."),
    ],
)
def test_result_sentences(steps: list[tuple[int, Command]], words: str) -> None:
    assert listed(*steps)[-1] == words


def test_a_claimed_draw_names_the_side() -> None:
    lines = listed(*moves("12"), (0, Disconnect("p-1")), (60_000, Claim("p-2", "draw")))
    assert "     (O claims a draw because the opponent has left)" in lines
    assert not any("claims" in line for line in listed(*moves("123546879")))


def test_moves_have_the_names_that_people_write_and_pieces_stay_as_they_are() -> None:
    mate = listed(*moves(["f3", "e7e5", "g2g4", "Qh4"]), game="chess")
    assert mate[8:11] == ["     White   Black", "  1. f3      e5", "  2. g4      Qh4#"]
    assert mate[-4:] == ["2 P P P P P . . P", "1 R N B Q K B N R", "", "Black (bot-1) won by checkmate: e1."]
    assert "8 r n b . k b n r" in mate


def test_the_second_side_may_begin_and_a_side_may_move_again() -> None:
    setup = (("start", "4k3/8/8/8/8/8/8/R3K3 b - - 0 40"),)
    steps: list[tuple[int, Command]] = [(0, Play("p-2", 0, "e8e7")), (0, Play("p-1", 1, "Ra7")), (0, Resign("p-2"))]
    lines = listed(*steps, game="chess", setup=setup)
    assert lines[9:11] == ["  1. ...     Ke7", "  2. Ra7+"]
    again: list[tuple[int, Command]] = [(0, Play("p-1", 0, "c1")), (0, Play("p-1", 1, "a1")), (0, Play("p-2", 2, "f2"))]
    lines = listed(*again, (0, Resign("p-1")), game="kalah")
    assert lines[9:11] == ["  1. c1", "  1. a1      f2"]


def test_a_draw_that_was_claimed_by_the_rules_names_the_side() -> None:
    setup = (("start", "8/8/4k3/8/8/4K3/8/R7 w - - 100 80"),)
    lines = listed((0, ClaimDraw("p-1")), game="chess", setup=setup)
    assert "     (White claims a draw)" in lines
    assert lines[-1] == "Draw by the fifty-move rule."


def test_counts_are_part_of_the_result() -> None:
    setup = (("pits", 2), ("seeds", 1))
    steps = [(0, Play(f"p-{side}", turn, move)) for turn, (side, move) in enumerate([(1, "a1"), (2, "a2"), (2, "b2")])]
    assert listed(*steps, (0, Play("p-1", 3, "b1")), game="kalah", setup=setup)[-1] == "North (bot-1) won 3 to 1."


def test_a_room_without_an_opponent() -> None:
    lines = listed((3_600_000, Expire()), second=None)
    assert "O       nobody" in lines
    assert lines[-1] == "The game was closed before it began."


@settings(max_examples=50)
@given(st.builds(Random, st.integers(0, 2**32)))
def test_every_move_is_in_the_list(random: Random) -> None:
    game = recorded(random_records(random))
    lines = list(move_list(game))
    numbered = [line for line in lines if line[3:5] == ". "]
    names = {ply.name for room in game.rooms for ply in room.plies}
    written = [word for line in numbered for word in line[5:].split() if word in names]
    if not any(isinstance(game.room.options.clock, kind) for kind in (Fischer, PerMove)):
        assert written == [
            room.plies[-1].name for event, room in zip(game.events, game.rooms, strict=True) if event.kind == "played"
        ]
    assert all(game.room.game.style(side).name in "\n".join(lines) for side in Side)
    assert all(line == line.rstrip() for line in lines)


if __name__ == "__main__":
    for each in GAMES:
        (RECORDED / f"{each}.txt").write_text(recorded_list(each), encoding="utf-8")
