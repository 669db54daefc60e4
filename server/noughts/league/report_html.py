"""A league's report as one HTML page, in which every game can be replayed without a network. Pure; does no I/O."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import PurePath
from typing import Any

from noughts.games import Game, IllegalMove, MalformedMove, Position, Side
from noughts.games.board import faces
from noughts.games.catalogue import BadSetup, UnknownGame, game_named
from noughts.games.picture import DARK, Drawing, drawing
from noughts.league.records import LeagueRecord, Record
from noughts.league.summary import (
    COLUMNS,
    Summary,
    cells_of,
    disqualified_in_words,
    over_in_words,
    points_in_words,
    reason_in_words,
    reasons_in_words,
    replay_command,
    review_command,
    sprt_in_words,
    summarize,
    title_of,
    why,
)
from noughts.tournaments.ranking import Score

SHOWN = 2000
"""The number of characters of a traceback, of stderr and of an answer the page shows; the records have them all."""


def render(league: LeagueRecord, records: Sequence[Record], folder: PurePath) -> str:
    """The page. It needs no other file and asks nobody for anything; its policy forbids it.

    ``#game-17`` in its address opens that game, ``#player-3`` shows the games of the third player of the league.
    ``folder`` is the league's, for the commands that ask a bot again. Names and everything else that comes from bots
    are escaped or set as text. Everybody who reads the page sees the tracebacks and the stderr of all bots.
    """
    summary = summarize(league, records)
    style, script = _file("report.css") + DARK, _file("report.js")
    data = _data(league, records, folder)
    game = _game_of(league)
    parts = {
        "policy": f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src {_hash(style)}; "
        f"script-src {_hash(script)}",
        "title": escape(summary.title),
        "terms": escape(summary.terms[:1].upper() + summary.terms[1:]),
        "over": over_in_words(summary),
        "sprt": "" if summary.sprt is None else f"<p>{escape(sprt_in_words(league, summary.sprt))}</p>",
        "standings": _standings(summary),
        "disqualified": "".join(
            f"<p>{escape(disqualified_in_words(*each))}</p>" for each in summary.disqualified.items()
        ),
        "crosstable": _crosstable(summary),
        "reasons": escape(reasons_in_words(summary.reasons) or "-"),
        "style": style,
        "script": script,
        "board": "" if game is None else _picture(game, data["games"]),
        "data": _as_script(data),
    }
    # In one pass, because a name may look like a placeholder.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _file("report.html"))


@cache
def _file(name: str) -> str:
    return files("noughts.league").joinpath(name).read_text(encoding="utf-8")


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def _as_script(data: Any) -> str:
    """JSON that cannot end the element it is in."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _standings(summary: Summary) -> str:
    lines = [_row("th", COLUMNS, text=(1, 8))]
    lines += [_row("td", cells_of(row, row.lost_by), text=(1, 8)) for row in summary.rows]
    return f"<table id=standings>{''.join(lines)}</table>"


def _crosstable(summary: Summary) -> str:
    names = [row.player for row in summary.rows]
    lines = [_row("th", ("", "player", *(str(number) for number in range(1, len(names) + 1))), text=(1,))]
    for number, player in enumerate(names, 1):
        cells = [_against(summary.table[player].get(opponent)) for opponent in names]
        lines.append(f"<tr>{_cell('td', str(number))}{_cell('td', player, text=True)}{''.join(cells)}</tr>")
    return f"<table id=crosstable>{''.join(lines)}</table>"


def _against(score: Score | None) -> str:
    if score is None:
        return '<td class="self"></td>'
    words = f"won {score.won}, drawn {score.drawn}, lost {score.lost}"
    return f'<td title="{words}">{points_in_words(score.points)}/{score.games}</td>'


def _row(tag: str, cells: Sequence[str], text: tuple[int, ...]) -> str:
    return f"<tr>{''.join(_cell(tag, each, text=index in text) for index, each in enumerate(cells))}</tr>"


def _cell(tag: str, words: str, *, text: bool = False) -> str:
    if not text:
        return f"<{tag}>{escape(words)}</{tag}>"
    return f'<{tag} class="text"><bdi title="{escape(words)}">{escape(words)}</bdi></{tag}>'


def _game_of(league: LeagueRecord) -> Game | None:
    """The game of a league, None if it is not installed."""
    try:
        return game_named(league["game"])
    except (UnknownGame, BadSetup):
        return None


def _data(league: LeagueRecord, records: Sequence[Record], folder: PurePath) -> dict[str, Any]:
    """The data that the page's script shows: the cells of the board row by row, and for each move those that it
    changes."""
    players = [player["name"] for player in league["players"]]
    game = _game_of(league)
    shown: dict[str, Any] = {
        "columns": 1,
        "start": [],
        "names": [],
        "places": [],
        "named": True,
        "styles": ["", ""],
    }
    if game is not None:
        shown = {
            "columns": len(game.start.rows[0]),
            "start": _cells(game, game.start),
            "names": [name for row in game.layout for name in row],
            "places": _places(game),
            "named": not _board(game).names,
            "styles": [game.first.name, game.second.name],
        }
    numbers = {player: number for number, player in enumerate(players)}
    return {
        "title": title_of(league["game"]),
        "players": players,
        **shown,
        "games": [
            _game(record, numbers, game)
            | {"failure": _failure(league, record, folder), "review": review_command(folder, record)}
            for record in records
        ],
    }


def _board(game: Game) -> Drawing:
    counted = game.counts is not None
    sides = game.first, game.second
    return drawing(
        game.start.rows, game.layout, sides, block=game.block, pieces=game.pieces, counted=counted, ground=game.board
    )


def _picture(game: Game, shown: Sequence[dict[str, Any]]) -> str:
    """The board of the replay: its ground, the pieces of all games to be placed on it, and what lies above them."""
    board = _board(game)
    faces_shown = {*_cells(game, game.start), *(face for each in shown for step in each["steps"] for _, face in step)}
    pieces = [
        f'<g id="{piece_id(kind, face)}">{drawn}</g>'
        for kind in sorted({board.kind(place) for place in board.middles})
        for face in sorted(faces_shown - {" "})
        if (drawn := board.piece(face, face, kind))
    ]
    size = f'viewBox="0 0 {board.width:g} {board.height:g}"'
    return (
        f'<svg id="board" class="{"pale" if board.pale else ""}" role="img" {size} text-anchor="middle">'
        f"<defs>{''.join(pieces)}</defs>"
        f'{"".join(board.below)}<g id="pieces"></g>{"".join(board.above)}<g id="marks"></g></svg>'
    )


def piece_id(kind: str, face: str) -> str:
    """The id of a piece in the page: by the kind of its cell, and the character or number that stands for it."""
    return f"{kind}-{'-'.join(str(ord(character)) for character in face)}"


def _places(game: Game) -> list[tuple[float, float, str] | None]:
    """The middle of each cell, and its kind, row by row; None where there is none."""
    board = _board(game)
    places = ((r, c) for r, row in enumerate(game.start.rows) for c in range(len(row)))
    return [(*board.middles[each], board.kind(each)) if each in board.middles else None for each in places]


def _cells(game: Game, position: Position) -> list[str]:
    return [face for row in faces(game, position) for face in row]


def _failure(league: LeagueRecord, record: Record, folder: PurePath) -> dict[str, str] | None:
    """The failure of a bot, without the folder of its file."""
    failure = record["failure"]
    if failure is None:
        return None
    player = record[failure["side"]]
    spec = next((each["spec"] for each in league["players"] if each["name"] == player), "")

    def own(text: str) -> str:
        return text.replace(spec, PurePath(spec).name) if spec.casefold().endswith(".py") else text

    return {
        "words": why(record),
        "traceback": own(failure["traceback"][-SHOWN:]),
        "stderr": own(failure["stderr"][-SHOWN:]),
        "answer": failure["answer"][:SHOWN],
        "again": replay_command(folder, record["game"], player),
    }


def _game(record: Record, numbers: dict[str, int], game: Game | None) -> dict[str, Any]:
    steps, sides, line = ([], "", []) if game is None else _steps(game, record["moves"])
    return {
        "game": record["game"],
        "round": record["round"],
        "first": numbers[record["first"]],
        "second": numbers[record["second"]],
        "result": record["result"],
        "reason": reason_in_words(record["reason"]),
        "opening": len(record["opening"]),
        "moves": record["moves"][: len(steps)] if game is not None else record["moves"],
        "steps": steps,
        "sides": sides,
        "line": line,
        "notes": record["notes"],
    }


def _steps(game: Game, moves: Sequence[str]) -> tuple[list[list[tuple[int, str]]], str, list[int]]:
    """For each move the cells that it changes, by their place in the board, with what is in them afterwards; for each
    move ``0`` or ``1``, the side that plays it; and the places of the winning line.
    """
    steps: list[list[tuple[int, str]]] = []
    sides = ""
    position, before = game.start, _cells(game, game.start)
    for move in moves:
        side = "1" if position.to_move is Side.SECOND else "0"
        try:
            position = position.play(move)
        except (MalformedMove, IllegalMove):  # the record is of another version of the game
            break
        after = _cells(game, position)
        steps.append([(at, new) for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new])
        before, sides = after, sides + side
    names = [name for row in game.cells or game.layout for name in row]
    won = set() if position.outcome is None else set(position.outcome.cells)
    return steps, sides, [at for at, name in enumerate(names) if name in won]
