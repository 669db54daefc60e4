import copy
import json
import random
import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import pytest

from noughts.games import GAMES, Outcome, Position, Side
from noughts.games.catalogue import game_named
from noughts_client.state import BotState, NoPosition, NoSuchField


def public(position: Position, *moves: str) -> dict[str, Any]:
    """As much of the public state as a position depends on."""
    return {"moves": list(moves), "rows": list(position.rows), "legal_moves": list(position.legal_moves)}


def state_of(game: str, position: Position, *moves: str, before: BotState | None = None) -> BotState:
    return BotState(public(position, *moves), game=game, side="first", symbol="x", before=before)


@pytest.mark.parametrize("game", GAMES)
def test_the_position_is_the_same_as_by_the_rules_in_a_game_with_takebacks(game: str) -> None:
    rng = random.Random(7)
    for _ in range(5):
        positions, moves = [GAMES[game].start], list[str]()
        state: BotState | None = None
        for _ in range(40):
            back = rng.choice((0, 0, 0, 1, 2, 5))
            if back and back < len(moves):
                del moves[-back:], positions[-back:]
            for _ in range(rng.randint(0, 3)):
                if legal := positions[-1].legal_moves:
                    moves.append(rng.choice(legal))
                    positions.append(positions[-1].play(moves[-1]))
            state = state_of(game, positions[-1], *moves, before=state)
            if rng.random() < 0.8:
                assert state.position == positions[-1]
        assert state is not None
        assert state.position is state.position


def test_a_bot_may_change_its_state_and_nobody_else_sees_it() -> None:
    told = public(GAMES["tictactoe"].start.play("5"), "5")
    state = BotState(told, game="tictactoe", side="second", symbol="o")
    state["moves"].pop()
    state["rows"][0] = "xxx"
    state["legal_moves"].clear()
    assert told == state.told == public(GAMES["tictactoe"].start.play("5"), "5")
    assert state.position == GAMES["tictactoe"].start.play("5")


def test_an_earlier_state_keeps_its_position() -> None:
    start = GAMES["tictactoe"].start
    early = state_of("tictactoe", start.play("5"), "5")
    late = state_of("tictactoe", start.play("5").play("1"), "5", "1", before=early)
    assert late.position == start.play("5").play("1")
    assert early.position == start.play("5")


@dataclass(frozen=True)
class Counted:
    """A game whose moves are all ``go``, and which counts how often one is played."""

    ply: int = 0
    played: ClassVar[list[int]] = []
    legal_moves: ClassVar[tuple[str, ...]] = ("go",)
    outcome: ClassVar[Outcome | None] = None
    rows: ClassVar[tuple[str, ...]] = (".",)
    to_move: ClassVar[Side | None] = Side.FIRST

    @property
    def text(self) -> str:
        return str(self.ply)

    def play(self, _: str, /) -> Position:
        self.played.append(self.ply)
        return cast(Position, Counted(self.ply + 1))


def test_a_long_game_is_not_played_again_from_its_start_each_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counted, "played", [])
    monkeypatch.setitem(GAMES, "counted", replace(GAMES["tictactoe"], key="counted", start=cast(Position, Counted())))
    state: BotState | None = None
    for ply in range(0, 200, 2):
        state = state_of("counted", cast(Position, Counted(ply)), *["go"] * ply, before=state)
        assert state.position.ply == ply
    assert Counted.played == list(range(198))


def test_without_the_game_the_position_names_the_missing_package_and_all_else_works() -> None:
    state = BotState(
        public(GAMES["tictactoe"].start), game="shogi", side="first", symbol="r", room="k3", package="noughts-shogi"
    )
    assert state["legal_moves"][0] == "1"
    with pytest.raises(
        NoPosition, match=r"'shogi' is not installed on this machine\. Install the package noughts-shogi "
    ):
        _ = state.position
    with pytest.raises(NoPosition, match=r"Install the package that it comes from"):
        _ = state_of("shogi", GAMES["tictactoe"].start).position


@pytest.mark.parametrize(("moves", "rows"), [(["5", "5"], "....x...."), (["z"], "........."), (["5"], "x........")])
def test_other_rules_than_the_servers_are_noticed(moves: list[str], rows: str) -> None:
    public = {"moves": moves, "rows": [rows[0:3], rows[3:6], rows[6:9]]}
    state = BotState(public, game="tictactoe", side="first", symbol="x", package="noughts-old")
    with pytest.raises(
        NoPosition, match=r"has other rules on this machine than on the server\. .* of noughts-old with"
    ):
        _ = state.position


def test_a_json_line_gives_the_same_state() -> None:
    start = GAMES["connect4"].start
    fields = {"game": "connect4", "room": "k3", "side": "second", "symbol": "y", "time_ms": 2500, "turn": 1}
    state = BotState.from_line({**fields, **public(start.play("4"), "4")}, received_at=100)
    assert (state.game, state.room, state.side) == ("connect4", "k3", "second")
    assert (state.symbol, state.deadline) == ("y", 102.5)
    assert set(state) == {"turn", "moves", "rows", "legal_moves"}
    assert state.position == start.play("4")
    later = BotState.from_line({**fields, **public(start.play("4").play("1"), "4", "1")}, before=state)
    assert later.position == start.play("4").play("1")
    assert later.deadline is not None
    assert 0 < later.deadline - time.monotonic() <= 2.5
    assert BotState.from_line({**fields, "time_ms": None, **public(start)}).deadline is None


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("legal_moves", 'state["legal_moves"]'),
        ("moves", 'state["moves"]'),
        ("legal", 'state["legal_moves"]'),
        ("board", 'state["rows"]'),
        ("player", "state.side"),
        ("legalmoves", 'state["legal_moves"]'),
        ("positon", "state.position"),
    ],
)
def test_a_name_that_a_state_does_not_have_is_answered_with_what_to_write(name: str, instead: str) -> None:
    state = state_of("tictactoe", GAMES["tictactoe"].start)
    with pytest.raises(AttributeError) as wrong:
        getattr(state, name)
    assert str(wrong.value) == f"There is no state.{name}. Write {instead}."


def test_a_key_that_is_an_attribute_is_answered_with_what_to_write() -> None:
    state = state_of("tictactoe", GAMES["tictactoe"].start)
    with pytest.raises(NoSuchField) as wrong:
        state["position"]
    assert str(wrong.value) == "There is no state['position']. Write state.position."


def test_a_name_like_no_other_is_answered_with_all_there_is() -> None:
    state = state_of("tictactoe", GAMES["tictactoe"].start)
    with pytest.raises(KeyError) as wrong:
        state["xyzzy"]
    assert str(wrong.value) == (
        "There is no state['xyzzy']. The keys of a state are moves, rows, legal_moves; it also has"
        " .game, .setup, .room, .side, .symbol, .deadline, .control, .position."
    )
    assert state.get("xyzzy") is None
    assert not hasattr(state, "xyzzy")
    assert copy.deepcopy(state).position == state.position


def test_an_attribute_error_of_a_game_is_not_taken_for_a_missing_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "broken", replace(GAMES["tictactoe"], start=cast(Position, None)))
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute"):
        state_of("broken", GAMES["tictactoe"].start, "5").position  # noqa: B018 - it raises


def test_the_position_is_that_of_the_game_as_it_was_set_up() -> None:
    small = game_named("breakthrough?size=6")
    told = public(small.start.play("a2a3"), "a2a3") | {"score": [1, 2]}
    common = {"turn": 1, "ply": 1, "to_move": "second", "seats": {}, "clock": None}
    state = BotState(told | common, game="breakthrough", side="second", symbol="b", setup={"size": 6})
    read = BotState.from_line(json.loads(state.to_line()))
    assert (read.setup, read["score"]) == ({"size": 6}, [1, 2])
    assert read.position == small.start.play("a2a3")
    with pytest.raises(NoPosition, match="other rules"):
        _ = BotState(told, game="breakthrough", side="second", symbol="b", setup={"size": 5.5}).position


def test_a_game_that_no_server_knows_has_the_counts_of_its_own() -> None:
    state = BotState.after(GAMES["kalah"], ["c1", "a1"])
    assert (state["score"], state["counts"][1][1:]) == ([1, 0], [0, 5, 1, 6, 6, 5, 1])
    assert BotState.after(GAMES["chess"], ["g1f3"])["names"] == ["Nf3"]
