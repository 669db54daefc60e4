"""The dialog with a UCI engine, with the test in the engine's place."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from noughts.games import GAMES
from noughts.games.catalogue import game_named
from noughts_client.bots.dialogs import DEFINITIONS, UNSERVED, TimeLeft, Uci
from page.hexapawn import HEXAPAWN
from support.bots import state_after
from support.engines import failing, talked

OPTIONS = ["id name Fairy 1", "option name Hash type spin default 16 min 1 max 64"]
LOADS = "option name VariantPath type string default <empty>"
READY = ["info string variant", "readyok"]


def listed(*variants: str) -> str:
    return "option name UCI_Variant type combo default chess" + "".join(f" var {name}" for name in ("chess", *variants))


def answered(game: str, moves: Sequence[str], answer: str, left: TimeLeft | None = None) -> tuple[list[str], str]:
    sent, (move, _) = talked(Uci(GAMES[game]).turn(state_after(*moves, game=game), left), [f"bestmove {answer}"])
    return sent, move


def test_an_engine_that_has_the_variant_is_set_to_it() -> None:
    sent, _ = talked(Uci(GAMES["reversi"]).greet(), [*OPTIONS, listed("flipello"), "uciok", *READY])
    assert sent == ["uci", "setoption name UCI_Variant value flipello", "ucinewgame", "isready"]


def test_an_engine_without_the_variant_loads_our_definition() -> None:
    told = [*OPTIONS, LOADS, listed(), "uciok", listed("noughts-connect4"), "uciok", *READY]
    sent, _ = talked(Uci(GAMES["connect4"]).greet(), told)
    assert sent == [
        "uci",
        f"setoption name VariantPath value {DEFINITIONS}",
        "uci",
        "setoption name UCI_Variant value noughts-connect4",
        "ucinewgame",
        "isready",
    ]
    assert "[noughts-connect4]" in DEFINITIONS.read_text("utf-8")


@pytest.mark.parametrize(
    "told", [[*OPTIONS, listed(), "uciok"], [*OPTIONS, LOADS, listed(), "uciok", listed(), "uciok"]]
)
def test_an_engine_that_has_no_such_variant_is_refused(told: list[str]) -> None:
    error = failing(Uci(GAMES["reversi"]).greet(), told)
    assert (error.kind, str(error)) == ("start", "Fairy 1 has no variant flipello, so it cannot play Reversi.")


def test_an_engine_without_variants_is_taken_to_play_the_game_of_a_package() -> None:
    sent, _ = talked(Uci(HEXAPAWN).greet(), [*OPTIONS, "uciok", "readyok"])
    assert sent == ["uci", "ucinewgame", "isready"]


def test_an_engine_without_variants_is_refused_for_ours() -> None:
    assert failing(Uci(GAMES["connect4"]).greet(), [*OPTIONS, "uciok"]).kind == "start"


def test_an_engine_without_variants_plays_chess() -> None:
    sent, _ = talked(Uci(GAMES["chess"]).greet(), [*OPTIONS, "uciok", "readyok"])
    assert sent == ["uci", "ucinewgame", "isready"]


def test_chess_is_sent_the_position_that_it_begins_from() -> None:
    mate = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"
    dialog = Uci(game_named(f"chess?start={mate}"))
    sent, (move, _) = talked(dialog.turn(state_after(game="chess"), None), ["bestmove g6g7"])
    assert (sent[0], move) == (f"position fen {mate}", "g6g7")


def test_a_board_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="UCI has no words for what was chosen for Breakthrough"):
        Uci(game_named("breakthrough?size=6"))


@pytest.mark.parametrize("game", UNSERVED)
def test_games_that_no_engine_plays_are_refused(game: str) -> None:
    with pytest.raises(ValueError, match=f"No UCI engine plays {GAMES[game].title}"):
        Uci(GAMES[game])


def test_connect_four_is_a_board_of_drops() -> None:
    sent, move = answered("connect4", ["4", "4", "1"], "P@d3 ponder P@d4")
    assert sent == [f"position fen 7/7/7/7/3p3/P2P3[{'P' * 39}{'p' * 39}] b - - 0 1", "go movetime 1000"]
    assert move == "4"


def test_reversi_counts_ranks_from_the_bottom() -> None:
    sent, move = answered("reversi", ["f5"], "P@f3")
    assert sent[0].startswith("position fen 8/8/8/3pP3/3PPP2/8/8/8[")
    assert sent[0].endswith("] b - - 0 1")
    assert move == "f6"


def test_tic_tac_toe_names_its_cells_by_digits() -> None:
    assert answered("tictactoe", ["5"], "P@a3")[1] == GAMES["tictactoe"].layout[0][0]


def test_a_move_that_stays_is_a_pass() -> None:
    state = state_after(game="reversi")
    state["legal_moves"] = ["pass"]
    assert talked(Uci(GAMES["reversi"]).turn(state, None), ["bestmove e2e2"])[1] == ("pass", "")


@pytest.mark.parametrize("answer", ["(none)", "P@h1", "P@a7", "P@a0", "e2e2", "d3", "", "P@a" + "1" * 5000])
def test_what_is_no_cell_of_the_board_is_garbage(answer: str) -> None:
    error = failing(Uci(GAMES["connect4"]).turn(state_after(game="connect4"), None), [f"bestmove {answer}"])
    assert error.kind == "garbage"
    assert str(error) == f"The engine answered {answer!r:.80}, which is not a cell of the board."


def test_moves_from_cell_to_cell_are_sent_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "hexapawn", HEXAPAWN)
    sent, move = answered("hexapawn", ["a1a2"], "b3a2")
    assert (sent, move) == (["position startpos moves a1a2", "go movetime 1000"], "b3a2")
    assert answered("hexapawn", [], "a1a2")[0][0] == "position startpos"


@pytest.mark.parametrize(
    ("moves", "left", "go"),
    [
        ([], TimeLeft(5000, 9000), "go wtime 5000 btime 9000 winc 0 binc 0"),
        (["4"], TimeLeft(5000, 9000, 2000), "go wtime 9000 btime 5000 winc 2000 binc 2000"),
        (["4"], TimeLeft(5000, 9000, per_move=True), "go movetime 5000"),
    ],
)
def test_the_engine_is_told_both_sides_time(moves: list[str], left: TimeLeft, go: str) -> None:
    assert answered("connect4", moves, "P@a1", left)[0][1] == go


@pytest.mark.parametrize(
    ("infos", "note"),
    [
        (
            ["info depth 1 seldepth 1 score cp 22 nodes 7 pv P@d1", "info depth 9 score cp -134 pv P@d1"],
            "-1.34, depth 9",
        ),
        (["info depth 9 score cp 20 pv P@d1", "info depth 10 score cp 90 lowerbound nodes 3"], "+0.20, depth 9"),
        (["info depth 4 multipv 1 score mate -3 nodes 3 pv P@d1"], "mate -3, depth 4"),
        (["info string hello", "info currmove P@d1"], ""),
        (["info depth 1 score cp " + "1" * 5000], ""),
        ([f"info string {'x' * 400} depth 9 score cp 20"], ""),
    ],
)
def test_the_last_opinion_is_the_note(infos: list[str], note: str) -> None:
    talk = Uci(GAMES["connect4"]).turn(state_after(game="connect4"), None)
    assert talked(talk, [*infos, "bestmove P@d1"])[1] == ("4", note)
