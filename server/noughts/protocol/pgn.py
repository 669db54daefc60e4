"""Games in the Portable Game Notation, and draughts in its sister, the Portable Draughts Notation. Pure; does no I/O.

Written by "Standard: Portable Game Notation Specification and Implementation Guide" of 1994, in its export format, with
the tags and clocks that came later. Read as liberally as its import format: variations, NAGs and clocks are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from noughts.games import Game, IllegalMove, MalformedMove, Position, Reason, Side
from noughts.games.notation import number_of
from noughts.protocol.gamefile import BadGame, RecordedGame
from noughts.protocol.render import timestamp
from noughts.protocol.scoresheet import (
    SHOWN,
    Move,
    Reader,
    Scoresheet,
    add_move,
    add_note,
    day_of,
    game_kept_as,
    moves_on_the_board,
    name_of_player,
    text_of,
    unescaped,
)
from noughts.protocol.words import has_result
from noughts.rooms import Fischer, PerMove, Played, Player, Room, TimeControl

WIDTH = 80
"""The most columns of a line of moves."""

TERMINATIONS: dict[str, str] = {
    Reason.TIME: "time forfeit",
    Reason.ABANDONMENT: "abandoned",
    Reason.ADJUDICATION: "adjudication",
    Reason.FORFEIT: "rules infraction",
    Reason.ABORTED: "unterminated",
    Reason.FAULT: "unterminated",
    Reason.UNFINISHED: "unterminated",
}
"""The standard's words for how a game ended; for all other reasons, "normal"."""

REASONS = {words: Reason(reason) for reason, words in TERMINATIONS.items() if words != "unterminated"}

RESULTS: dict[str, Side | Literal["draw"]] = {"1-0": Side.FIRST, "0-1": Side.SECOND, "1/2-1/2": "draw"}
SCORES = {result: score for score, result in RESULTS.items()}

STANDARD = ("", "standard", "chess", "normal", "from position")
"""The values of the tag ``Variant`` for a game of chess by the usual rules, in lower case."""

TOKEN = re.compile(
    r"""(?P<skip> \s+ | \$\d+ | [!?]+ | e\.p\. | \d+\s*\.+ | \d+(?=\s) )
    | \{(?P<comment>[^}]*)\} | ;(?P<remark>[^\n]*)
    | \[ \s* (?P<tag>\w+) \s*
      "(?: (?P<value>(?:[^"\\]|\\.)*)" \s* \] | (?P<raw>[^\n]*)" [ \t]* \] [ \t]* (?=\n|\Z) )
    | (?P<result> (?:1-0|0-1|1/2-1/2|\*) (?![\w/-]) )
    | (?P<bracket> [()] )
    | (?P<move> [^\s{}()\[\];$!?"]+ )""",
    re.VERBOSE | re.DOTALL,
)


UNKNOWN_DAY = "????.??.??"

COMMAND = re.compile(r"\[%[^\]]*\]")
"""The marks for programs in a comment, such as a clock."""


Variations = Mapping[int, Sequence[str]]
"""The words of the variations that follow a move of a game, by the number of moves to there."""


def written(game: RecordedGame, variations: Variations = MappingProxyType({})) -> Iterator[str]:
    """The lines of a finished game with ``variations``, without line ends, the last one empty."""
    for name, value in _tags(game):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        yield f'[{name} "{escaped}"]'
    yield ""
    yield from _wrapped(_words(game, variations))
    yield ""


def _tags(game: RecordedGame) -> Iterator[tuple[str, str]]:
    """The seven tags that every game has, then others in the order of their names."""
    room, outcome = game.room, game.room.outcome
    assert outcome is not None
    assert room.game.record is not None
    time = timestamp(game.events[0].at).partition("T")[2]
    date = day_of(game).replace("-", ".") or UNKNOWN_DAY
    players = {room.game.style(side).name: room.seat(side) for side in Side}
    names = {name: name_of_player(player) or "?" for name, player in players.items()}
    yield "Event", f"{'Rated' if room.rated else 'Casual'} game"
    yield "Site", "?"
    yield "Date", date
    yield "Round", "-"
    yield "White", names["White"]
    yield "Black", names["Black"]
    yield "Result", _result(room)
    others = {"Room": room.id, "Termination": TERMINATIONS.get(outcome.reason, "normal")}
    others["TimeControl"] = _control(room.options.clock)
    if date != UNKNOWN_DAY:
        others |= {"UTCDate": date, "UTCTime": time[:8]}
    if room.game.setup:
        others |= {"SetUp": "1", "FEN": room.game.start.text}
    if room.game.record.kind:
        others["GameType"] = room.game.record.kind
    for name, player in players.items():
        if player is not None:
            others |= _about(name, player)
    yield from sorted(others.items())


def _about(name: str, player: Player) -> dict[str, str]:
    about = {f"{name}Type": "human" if player.kind == "human" else "program"}
    return about if player.rating is None else {**about, f"{name}Elo": str(player.rating)}


def _result(room: Room) -> str:
    assert room.outcome is not None
    winner = room.outcome.winner
    return SCORES[winner or "draw"] if has_result(winner, room.outcome.reason) else "*"


def _control(control: TimeControl | None) -> str:
    match control:
        case None:
            return "-"
        case Fischer(increment_ms=0):
            return f"{control.initial_ms / 1000:g}"
        case Fischer():
            return f"{control.initial_ms / 1000:g}+{control.increment_ms / 1000:g}"
        case PerMove():
            return f"1/{control.per_move_ms / 1000:g}"


def variations_of(game: Game, moves: Sequence[str]) -> Variations:
    """The variations among legal ``moves``, which stand in brackets after the move that they replace.

    Raises :class:`~noughts.protocol.gamefile.BadGame` for brackets without a move or a partner, and for other moves.
    """
    found = dict[int, list[str]]()
    outer = list[tuple[Position, Position | None]]()
    before: Position | None = None
    position, main, anew, opens = game.start, 0, False, ""
    words: list[str] = []
    for text in moves:
        if text == "(":
            if before is None:
                raise BadGame(1, "a variation replaces no move")
            words = found.setdefault(main, [])
            outer.append((position, before))
            position, before = before, None
            anew, opens = True, "("
        elif text == ")":
            if not outer or before is None:
                raise BadGame(1, "a variation has no move, or ends that did not begin")
            words[-1] += ")"
            (position, before), anew = outer.pop(), True
        else:
            try:
                move = game.meant(position, text)
                after = position.play(move)
            except (MalformedMove, IllegalMove) as error:
                raise BadGame(1, f"{text!r:.{SHOWN}} cannot be played: {error}") from None
            if outer:
                second = position.to_move is Side.SECOND
                if anew or not second:
                    number = number_of(game, position)
                    words.append(f"{opens}{number}{'...' if second else '.'}")
                words.append(game.name(position, move))
                opens = ""
            else:
                main += 1
            before, position, anew = position, after, False
    if outer:
        raise BadGame(1, "a variation does not end")
    return found


def _words(game: RecordedGame, variations: Variations) -> Iterator[str]:
    """The moves with their numbers, comments and variations, and the result: what a line break may separate."""
    room = game.room
    start = room.game.start
    first = number_of(room.game, start)
    assert first is not None
    after_comment = True
    for index, (event, after) in enumerate(moves_on_the_board(game), start.to_move is Side.SECOND):
        number = first + index // 2
        if index % 2 == 0:
            yield f"{number}."
        elif after_comment:
            yield f"{number}..."
        yield after.plies[-1].name
        comment = _comment(event, after)
        after_comment = bool(comment)
        if comment:
            comment[0] = f"{{{comment[0]}"
            comment[-1] += "}"
            yield from comment
        if further := variations.get(len(after.plies)):
            after_comment = True
            yield from further
    yield _result(room)


def _comment(event: Played, after: Room) -> list[str]:
    """The words of the comment on a move: what its side has left, or with a time per move has taken, and a note."""
    words = []
    match after.options.clock:
        case Fischer():
            assert after.clocks is not None
            words.append(f"[%clk {_clock(after.clocks.left(event.side))}]")
        case PerMove():
            words.append(f"[%emt {_clock(event.thought_ms)}]")
    # Neither a bracket nor the mark of a command may end the comment or pass for a clock.
    note = (event.note or "").replace("{", "(").replace("}", ")").replace("[%", "[ %")
    for word in note.split():
        words += [word[start : start + WIDTH - 3] for start in range(0, len(word), WIDTH - 3)]
    return words


def _clock(ms: int) -> str:
    minutes, seconds = divmod(max(0, ms) // 1000, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def _wrapped(words: Iterator[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > WIDTH:
            yield line
            line = ""
        # A line that begins with % is no part of the game.
        line = f"{line} {word}" if line or word.startswith("%") else word
    yield line


def scoresheets(data: bytes, suffix: str) -> Iterator[Scoresheet]:
    """The games in a file. Raises :class:`~noughts.protocol.gamefile.BadGame`."""
    text = re.sub("(?m)^%.*", "", text_of(data))
    reader = Reader(text)
    sheet = _Sheet(suffix)
    for token in reader.tokens(TOKEN, 0, "a move, a tag or a comment"):
        begin = token.start()
        if token["bracket"]:
            sheet.variations += token["bracket"] == "(" and not reader.depth
            reader.branch(token["bracket"], begin)
        elif not reader.depth and (comment := token["comment"] or token["remark"]):
            add_note(COMMAND.sub(" ", comment), sheet.moves)
        elif token["tag"]:
            if reader.depth:
                raise BadGame(reader.line(begin), "the variation before it does not end")
            if sheet.moves:
                yield sheet.finished()
                sheet = _Sheet(suffix)
            sheet.begin(reader.line(begin))
            # Some programs write quotes and backslashes as they are.
            sheet.tags.setdefault(token["tag"], token["raw"] or unescaped(token["value"] or ""))
        elif token["result"] and not reader.depth:
            if sheet.line:
                sheet.result = token["result"]
                yield sheet.finished()
            sheet = _Sheet(suffix)
        elif token["move"] and not reader.depth:
            line = reader.line(begin)
            sheet.begin(line)
            add_move(line, token["move"], sheet.moves)
    reader.end()
    if sheet.line:
        yield sheet.finished()


class _Sheet:
    """A game while it is being read. ``line`` is where it begins, 0 before that. ``variations`` were skipped."""

    def __init__(self, suffix: str) -> None:
        self.suffix = suffix
        self.line = 0
        self.tags: dict[str, str] = {}
        self.moves: list[Move] = []
        self.result: str | None = None
        self.variations = 0

    def begin(self, line: int) -> None:
        """It has begun, on ``line`` or before."""
        self.line = self.line or line

    def finished(self) -> Scoresheet:
        """The whole game. Raises :class:`~noughts.protocol.gamefile.BadGame`."""
        tags = self.tags
        game = game_kept_as(self.suffix, tags.get("GameType"), self.line)
        variant = tags.get("Variant", "")
        if variant.casefold() not in STANDARD:
            raise BadGame(self.line, f"{game.title} is not played by the rules of {variant!r:.{SHOWN}} here")
        first, second = (tags.get(game.style(side).name, "") for side in Side)
        fen = tags.get("FEN")
        return Scoresheet(
            self.line,
            game.key,
            () if fen is None else (("start", fen),),
            (first, second),
            tags.get("Date", "").replace(".", "-"),
            tuple(self.moves),
            RESULTS.get(self.result or tags.get("Result", "*")),
            REASONS.get(tags.get("Termination", "").casefold()),
            self.variations,
        )
