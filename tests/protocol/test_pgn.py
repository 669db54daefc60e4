"""Games in the Portable Game Notation, compared with python-chess, and those of draughts."""

from __future__ import annotations

import re
import time
from io import BytesIO, StringIO
from random import Random

import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.games import GAMES, Outcome, Side
from noughts.games.catalogue import Setup
from noughts.protocol.fields import NOTE_BYTES
from noughts.protocol.formats import MAX_BYTES, games, written
from noughts.protocol.gamefile import BadGame, RecordedGame, recorded
from noughts.protocol.pgn import WIDTH
from noughts.protocol.records import to_record
from noughts.protocol.scoresheet import MAX_MOVES
from noughts.rooms import (
    AcceptTakeback,
    Event,
    Fischer,
    OfferTakeback,
    Open,
    Options,
    PerMove,
    Play,
    Played,
    Player,
    Resign,
    Room,
    TimeControl,
    evolve,
)
from support.games import BEGINNING, random_records
from support.rooms import event_of

randoms = st.builds(Random, st.integers(0, 2**32))

ANN, BOT = Player("p-1", 'Ann "the \\ rook"', "human", rating=1512), Player("p-2", "bot-1", "bot")
NUMBERED = [key for key, game in GAMES.items() if game.record is not None and game.record.syntax == "pgn"]

OPERA = b"""\
\xef\xbb\xbf; the game at the opera, as somebody might have typed it\r
[Event "A night at the opera"]
[Site "Paris"]
[Date "1858.11.02"]
[White "Morphy, Paul"]
[Black "Duke Karl / Count Isouard"]
[Result "1-0"]
% this line is for another program ( {

1.e4 e5 2.Nf3 d6 3.d4 Bg4 {a weak
move} 4.dxe5 Bxf3 (4... dxe5 5.Qxd8+ (5. Nxe5{also}) Kxd8) 5.Qxf3 dxe5
6. Bc4 Nf6 7. Qb3 ; threatens two pawns)
7... Qe7 8.Nc3 c6 9.Bg5 $1 $14 b5 10.Nxb5! cxb5 11.Bxb5+ Nbd7
12.0-0-0 Rd8 13 Rxd7 Rxd7 14 Rd1 Qe6?! 15.Bxd7 Nxd7 16.Qb8+!! Nxb8 17.Rd8# 1-0
"""


def read(text: bytes | str, suffix: str = "pgn") -> list[RecordedGame]:
    return list(games(BytesIO(text if isinstance(text, bytes) else text.encode()), suffix))


def refusal(text: bytes | str, suffix: str = "pgn") -> str:
    with pytest.raises(BadGame) as refused:
        read(text, suffix)
    return str(refused.value)


def text_of(game: RecordedGame) -> str:
    return "".join(f"{line}\n" for line in written(game))


def played(
    *moves: str | tuple[str, str],
    game: str = "chess",
    clock: TimeControl | None = None,
    start: str = "",
    setup: Setup = (),
    end: bool = True,
) -> RecordedGame:
    """A game of these moves, some with a note, one in ten seconds; ``back`` takes back the last one."""
    opening = Open("room", game, ANN.id, ANN, BOT, Options(clock=clock), setup=(("start", start),) if start else setup)
    events: list[Event] = []
    room: Room | None = None

    def do(command: Open | Play | Resign | OfferTakeback | AcceptTakeback) -> Room:
        events.append(event_of(room, command, BEGINNING + 10_000 * len(events)))
        return evolve(room, events[-1])

    room = do(opening)
    for each in moves:
        move, note = (each, None) if isinstance(each, str) else each
        mover = room.seat(room.to_move or Side.FIRST)
        assert mover is not None
        if move == "back":
            other = ANN if mover is BOT else BOT
            room = do(OfferTakeback(other.id))
            room = do(AcceptTakeback(mover.id))
        else:
            room = do(Play(mover.id, room.turn, move, note=note))
    if end and room.outcome is None:
        room = do(Resign(ANN.id))
    return recorded([*map(to_record, events)])


@settings(max_examples=15)
@given(randoms, st.sampled_from(NUMBERED))
def test_games_survive_their_format(random: Random, key: str) -> None:
    game = recorded(random_records(random, game=key))
    suffix = GAMES[key].record.suffix  # type: ignore[union-attr]
    (again,) = read(text_of(game), suffix)
    assert again.room.moves == game.room.moves
    assert again.room.outcome is not None
    assert game.room.outcome is not None
    assert again.room.outcome.winner == game.room.outcome.winner


@settings(max_examples=15)
@given(randoms)
def test_python_chess_reads_the_same(random: Random) -> None:
    game = recorded(random_records(random, game="chess"))
    text = text_of(game)
    other = chess.pgn.read_game(StringIO(text))
    assert other is not None
    assert other.errors == []
    assert tuple(move.uci() for move in other.mainline_moves()) == game.room.moves
    assert list(other.headers)[:7] == ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
    for node, ply in zip(other.mainline(), game.room.plies, strict=True):
        assert node.san() == ply.name
        clocks = game.rooms[ply.version - 1].clocks
        if isinstance(game.room.options.clock, Fischer):
            assert clocks is not None
            assert node.clock() == clocks.left(ply.side) // 1000
    assert max(map(len, text.splitlines())) <= WIDTH


def browsed(random: Random) -> chess.pgn.Game:
    """A random game as python-chess has it, with what only people add: comments, variations, NAGs and clocks."""
    game = chess.pgn.Game({"White": "Ann", "Black": 'B "\\ en', "Event": "?"})
    if random.random() < 0.3:
        game.setup(random.choice(["r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 40", "8/P6k/8/8/8/8/p6K/8 w - - 0 1"]))
    node: chess.pgn.GameNode = game
    for _ in range(random.randint(0, 60)):
        moves = sorted(node.board().legal_moves, key=str)
        if node.board().is_game_over():
            break
        before, node = node, node.add_variation(random.choice(moves))
        node.comment = random.choice(["", "", "a ; (note) [x] 1. e4 $1 * 1-0", "over\ntwo lines"])
        if random.random() < 0.2:
            node.set_clock(random.random() * 9000)
        if random.random() < 0.2:
            node.nags.add(random.randint(1, 130))
        if random.random() < 0.2:
            before.add_variation(random.choice(moves), comment="not played", starting_comment="or else")
    return game


@settings(max_examples=25)
@given(randoms)
def test_what_python_chess_writes_is_read(random: Random) -> None:
    other = browsed(random)
    (game,) = read(f"{other}\n")
    assert game.room.moves == tuple(move.uci() for move in other.mainline_moves())
    assert game.room.game.start.text == other.board().fen(en_passant="legal")
    notes = [event.note or "" for event in game.events if isinstance(event, Played)]
    assert game.room.second is not None
    assert game.room.second.name == 'B "\\ en'
    words = [re.sub(r"\[%.*?\]", "", node.comment) for node in other.mainline()]
    assert [note.split() for note in notes] == [comment.split() for comment in words]


def test_comments_become_notes() -> None:
    long = "é" * 2000
    (game,) = read(f"{{x}} 1. e4 {{[%clk 0:10:00] one}} {{two\x07}} e5 ; three\n (1... c5 {{no}}) 2. d4 {{{long}}} *")
    notes = [event.note for event in game.events if isinstance(event, Played)]
    assert notes == ["one two?", "three", "é" * (NOTE_BYTES // 2)]


def test_a_whole_game() -> None:
    game = played(
        "e2e4",
        ("e7e5", "even"),
        "f1c4",
        ("f8c5", "}[%clk 9:00:00]\n% {"),
        "d1h5",
        "g8f6",
        "h5f7",
        clock=Fischer(300_000, 2500),
    )
    assert text_of(game).splitlines() == [
        '[Event "Casual game"]',
        '[Site "?"]',
        '[Date "2026.11.17"]',
        '[Round "-"]',
        '[White "Ann \\"the \\\\ rook\\""]',
        '[Black "bot-1"]',
        '[Result "1-0"]',
        '[BlackType "program"]',
        '[Room "room"]',
        '[Termination "normal"]',
        '[TimeControl "300+2.5"]',
        '[UTCDate "2026.11.17"]',
        '[UTCTime "12:00:00"]',
        '[WhiteElo "1512"]',
        '[WhiteType "human"]',
        "",
        "1. e4 {[%clk 0:05:00]} 1... e5 {[%clk 0:05:00] even} 2. Bc4 {[%clk 0:04:52]}",
        "2... Bc5 {[%clk 0:04:52] )[ %clk 9:00:00] % (} 3. Qh5 {[%clk 0:04:45]} 3... Nf6",
        "{[%clk 0:04:45]} 4. Qxf7# {[%clk 0:04:37]} 1-0",
        "",
    ]


def test_moves_that_were_taken_back_are_not_in_it() -> None:
    game = played("e2e4", "d7d5", "e4e5", "back", "e4d5", clock=PerMove(20_000))
    text = text_of(game)
    assert text.endswith("\n\n1. e4 {[%emt 0:00:10]} 1... d5 {[%emt 0:00:10]} 2. exd5 {[%emt 0:00:10]} 0-1\n\n")
    assert '[TimeControl "1/20"]' in text


def test_another_start_is_in_the_tags() -> None:
    fen = "r3k3/8/8/8/8/8/8/4K3 b q - 3 40"
    text = text_of(played("a8a1", "e1e2", start=fen))
    assert f'[FEN "{fen}"]\n' in text
    assert '[SetUp "1"]\n' in text
    assert text.endswith("\n\n40... Ra1+ 41. Ke2 0-1\n\n")
    other = chess.pgn.read_game(StringIO(text))
    assert other is not None
    assert (other.errors, other.board().fen()) == ([], fen)
    (again,) = read(text)
    assert again.room.game.start.text == fen
    assert again.room.moves == ("a8a1", "e1e2")
    start = "W:WK10,32:B1,2"
    text = text_of(played("10-6", game="draughts", start=start))
    assert f'[FEN "{start}"]\n[GameType "21,B,8,8,N1,0"]\n' in text
    assert "1... 10-6" in text
    assert read(text, "pdn")[0].room.game.start.text == start


def test_a_long_note_is_cut_into_lines_and_no_line_begins_with_a_percent_sign() -> None:
    for fill in range(60, 80):
        text = text_of(played("e2e4", ("e7e5", f"{'x' * fill} % {'y' * 200} % %eval"), "f1c4", end=True))
        assert max(map(len, text.splitlines())) <= WIDTH
        assert not any(line.startswith("%") for line in text.splitlines())
        assert read(text)[0].room.moves == ("e2e4", "e7e5", "f1c4")
        other = chess.pgn.read_game(StringIO(text))
        assert other is not None
        assert len(list(other.mainline_moves())) == 3


def test_a_game_as_people_write_it() -> None:
    (game,) = read(OPERA)
    assert len(game.room.moves) == 33
    assert game.room.outcome == Outcome(Side.FIRST, "checkmate", ("e8",))
    assert [seat.name for seat in (game.room.first, game.room.second) if seat] == [
        "Morphy, Paul",
        "Duke Karl / Count Isouard",
    ]
    other = chess.pgn.read_game(StringIO(OPERA.decode("utf-8-sig").replace("\r", "").replace("0-0-0", "O-O-O")))
    assert other is not None
    assert tuple(move.uci() for move in other.mainline_moves()) == game.room.moves


def test_it_may_be_written_carelessly() -> None:
    (game,) = read('[Event "x"][Site\n"y" ] 1 e4 (1. d4 *) e5 {} 2.exd5?!e.p. 2... Nf6'.replace("exd5", "d2-d4"))
    assert game.room.moves == ("e2e4", "e7e5", "d2d4", "g8f6")


def test_a_file_of_several_games() -> None:
    text = (
        '[White "A"]\n1. e4 e5 *\n\n[White "B"]\n1. d4\n[White "C"]\n[Result "1/2-1/2"]\n1. c4 1/2-1/2\n1. f4 0-1 *\n'
    )
    found = read(text)
    assert [game.room.moves for game in found] == [("e2e4", "e7e5"), ("d2d4",), ("c2c4",), ("f2f4",)]
    reasons = [(game.room.outcome.winner, game.room.outcome.reason) for game in found if game.room.outcome]
    assert reasons == [
        (None, "unfinished"),
        (None, "unfinished"),
        (None, "agreement"),
        (Side.SECOND, "resignation"),
    ]
    assert [game.room.first.name for game in found if game.room.first] == ["A", "B", "C", "White"]
    assert read("") == read("\n * {nothing}\n") == []


@pytest.mark.parametrize(
    ("termination", "reason"),
    [
        ("time forfeit", "time"),
        ("Abandoned", "abandonment"),
        ("rules infraction", "forfeit"),
        ("Normal", "resignation"),
    ],
)
def test_the_file_says_how_a_game_ended_where_the_board_does_not(termination: str, reason: str) -> None:
    (game,) = read(f'[Result "0-1"]\n[Termination "{termination}"]\n1. e4 e5')
    assert game.room.outcome == Outcome(Side.SECOND, reason)


def test_a_draw_that_could_be_claimed_is_one_by_the_rules() -> None:
    (game,) = read(f"{'Nf3 Nf6 Ng1 Ng8 ' * 2} 1/2-1/2")
    assert game.room.outcome == Outcome(None, "repetition")


def test_names_are_text_that_a_terminal_can_show() -> None:
    (game,) = read('[White "\x1b[2J\u202e  x' + "y" * 100 + '"]\n[Black "?"]\n1. e4 *')
    assert game.room.first is not None
    assert game.room.second is not None
    assert game.room.first.name == "?[2J? x" + "y" * 25
    assert game.room.second.name == "Black"
    (latin,) = read('[White "Müller"]\n1. e4 *'.encode("latin-1"))
    assert latin.room.first is not None
    assert latin.room.first.name == "Müller"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("1. e4 e5\n2. Ke3 *", "line 2: 'Ke3' cannot be played: no king of yours can go to e3 now"),
        ("1. e4 e5\n2. e4e6", "line 2: 'e4e6' cannot be played: the pawn on e4 cannot go to e6"),
        ("1. f3 e5 2. g4 Qh4#\n\n3. a3", "line 3: the game is over before 'a3'"),
        ("1. e4 {no end", "line 1: not a move, a tag or a comment: '{no end'"),
        ("\n\n1. e4 (1. d4 d5 *", "line 3: a variation does not end"),
        ('1. e4 (d4\n[White "A"]', "line 2: the variation before it does not end"),
        ("1. e4)", "line 1: a variation ends that did not begin"),
        ('[White "A]\n', "line 1: not a move, a tag or a comment"),
        ('1. e4 *\n[Variant "Chess960"]\n1. e4 *', "line 2: Chess is not played by the rules of 'Chess960' here"),
        ('[FEN "8/8/8 w - - 0 1"]\n*', "line 1: The board is 8 rows"),
        ("1. e4\n\0", "line 2: not a text"),
        ("\x01\x02", "line 1: '\\x01\\x02' is not a legal move"),
        ("1. <script> *", "line 1: '<script>' is not a legal move"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, error: str) -> None:
    assert refusal(text).startswith(error)


def test_the_kind_of_draughts_must_be_ours() -> None:
    text = '[GameType "{}"]\n1. 11-15 23-19 2. 8-11 *'
    assert read(text.format("21"), "pdn")[0].room.moves == ("11-15", "23-19", "8-11")
    assert refusal(text.format("20,W,10,10,N2,0"), "pdn").startswith("line 1: no game here is of the kind '20,W")
    captures = "1. 11-15 22-18 2. 15x22 25x18 3. 12-16 18-14 4. 9x18 23x14 5. 10x17 21x14 1-0"
    (game,) = read(captures, "pdn")
    assert game.room.outcome == Outcome(Side.FIRST, "resignation")


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 " + "(" * 1_000_000,
        "1. e4 " + "(1. d4)" * 200_000 + "\n)",
        "[" * 1_000_000,
        "{" * 1_000_000,
        '[White "' + "\\" * 1_000_000,
        "9" * 1_000_000,
        "9 " * 300_000 + "\x07",
        "e4 " * 1_000_000,
        "a" * 1_000_000,
        "\0" * 1_000_000,
        "a" * (MAX_BYTES + 1),
        "\n" * 1_000_000 + "x",
    ],
    ids=lambda text: repr(text[:12]),
)
@pytest.mark.parametrize("suffix", ["pgn", "sgf"])
def test_hostile_files_are_refused_quickly(text: str, suffix: str) -> None:
    begin = time.process_time()
    error = refusal(text, suffix)
    assert time.process_time() - begin < 2
    assert len(error) < 200


def test_a_game_has_an_end() -> None:
    assert (
        refusal("\n".join(["Nf3 Nf6 Ng1 Ng8"] * MAX_MOVES))
        == f"line {MAX_MOVES // 4 + 1}: a game of more than {MAX_MOVES} moves"
    )
