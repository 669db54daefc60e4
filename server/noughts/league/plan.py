"""The plan of a league, from what was asked for: players, pairings, openings. Reads the bots' files."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from noughts.engine import Interrupt, Limits, levels_of, plain_engine_of
from noughts.games import Game
from noughts.games.catalogue import BadSetup, UnknownGame, game_named, name_of
from noughts.games.sentences import level_of, no_such_level
from noughts.league import openings
from noughts.league.disqualified import Disqualified
from noughts.league.pairing import Pairing, games_in_all, games_of
from noughts.league.records import Format, LeagueRecord, PlayerRecord, Record, SprtRecord
from noughts.league.sprt import Sprt
from noughts.league.state import LeagueError
from noughts.tournaments.swiss import installed
from noughts_client.bots.program import BotSpec, NoSuchProgram, Program, command_program, parse_spec, python_program
from noughts_client.time_control import format_time_control, parse_time_control

CLOCK = "10s+0.1"
"""The clock of a league unless somebody says otherwise."""

MEMORY_MIB = 512
"""The memory of a bot unless somebody says otherwise."""

KEPT = ("game", "rounds", "format", "opponents", "seed", "clock", "openings", "sprt", "memory_mib", "server")
"""The settings with which a league is continued."""

PLAYER = "player:"
"""The prefix of a player who is connected to a live server by itself."""

NODES = 20_000
"""The number of positions the search for an even opening visits. It does not depend on time, nor on numba, so that the
same seed gives the same openings everywhere."""

MOST_OPENINGS = 50
"""The number of different openings looked for; each may take half a second. Later rounds begin with the first again."""


def plan(
    bots: Sequence[str],
    *,
    game: str,
    rounds: int,
    seed: int,
    clock: str = CLOCK,
    format_: Format = "round_robin",
    opponents: Sequence[str] = (),
    plies: int | None = None,
    sprt: SprtRecord | None = None,
    memory_mib: int = MEMORY_MIB,
    server: str | None = None,
    uncontained: bool = False,
    begin: Callable[[LeagueRecord], None] = lambda _: None,
    chosen: openings.Tell = lambda _count, _wanted: None,
) -> LeagueRecord:
    """A new league of ``bots``, which are written as on the command line.

    ``opponents`` are the names of those whom all others meet in a gauntlet. ``plies`` is the length of the openings,
    None for the game's default; choosing them takes up to half a second for each round. ``begin`` is called before
    that, with the league that has no openings yet: what it raises ends the plan. ``chosen`` is called for each opening.
    Raises :class:`~noughts.league.state.LeagueError`, whose text is for whoever asked for the league.
    """
    known = game_of(game)
    players = players_of(bots, known)
    if sprt is not None and len(players) != 2:
        raise LeagueError("--sprt compares two players")
    try:
        control = parse_time_control(clock)
        if sprt is not None:
            Sprt(**sprt)
    except ValueError as error:
        raise LeagueError(str(error)) from None
    if control is None:
        raise LeagueError(
            f"a league needs a clock, such as {CLOCK}: otherwise a bot that hangs would hold it up for ever"
        )
    if format_ == "swiss" and not installed():
        raise LeagueError("a Swiss league needs the extra 'swiss': pip install 'noughts[swiss]'")
    if format_ == "swiss" and sprt is not None:
        raise LeagueError("--format swiss: a test is not Swiss")
    if bool(opponents) is not (format_ == "gauntlet"):
        raise LeagueError("--format gauntlet needs --opponents whom all others meet, and no other format has any")
    connected = [player["name"] for player in players if spec_of(player).kind == "player"]
    if connected and server is None:
        raise LeagueError(f"--server must name the server where {connected[0]} is connected")
    if connected and plies:
        raise LeagueError(f"--openings: {connected[0]} plays by itself, so the league cannot play openings for it")
    if plies is None:
        plies = 0 if connected else openings.PLIES.get(known.key, openings.OTHER_PLIES)
    league = LeagueRecord(
        version=2,
        game=name_of(known),
        players=players,
        rounds=rounds,
        format=format_,
        opponents=list(opponents),
        seed=seed,
        clock=format_time_control(control),
        openings=plies,
        lines=[[]],
        sprt=sprt,
        memory_mib=memory_mib,
        server=server,
        uncontained=uncontained,
    )
    pairings_of(league)  # raises for a gauntlet of nobody, before the openings take their time
    begin(league)
    return {**league, "lines": lines_of(known, plies, rounds, seed, chosen)}


@dataclass(frozen=True)
class Connected:
    """A player who is connected to a live server by itself: its registered name or id, and its name in the league."""

    target: str
    name: str
    kind: Literal["player"] = "player"


Spec = BotSpec | Connected


def parse(text: str) -> Spec:
    """A player, as written on the command line of a league. Raises ValueError, which says what is wrong."""
    name, equals, rest = text.rpartition("=")
    if not rest.startswith(PLAYER):
        return parse_spec(text)
    target = rest.removeprefix(PLAYER)
    if not target or (equals and not name):
        raise ValueError(f"{text!r} names no player: write {PLAYER}NAME")
    return Connected(target, name or target)


def game_of(name: str) -> Game:
    """The game with this name. Raises :class:`LeagueError`."""
    try:
        return game_named(name)
    except (UnknownGame, BadSetup) as error:
        raise LeagueError(str(error)) from None


def players_of(bots: Sequence[str], game: Game) -> list[PlayerRecord]:
    """The players that a command line names. Raises :class:`LeagueError`."""
    players: list[PlayerRecord] = []
    for text in bots:
        try:
            spec = parse(text)
            program_of(spec)  # raises if it is not there
        except ValueError as error:
            raise LeagueError(str(error)) from None
        level = level_of(spec.target, levels_of(game))
        if spec.kind == "computer" and level is None:
            raise LeagueError(no_such_level(game.title, spec.target, levels_of(game)))
        if any(player["name"] == spec.name for player in players):
            raise LeagueError(f"two players are called {spec.name}: name one of them, as in other={text}")
        target = str(Path(spec.target).absolute()) if spec.kind == "python" else spec.target
        if spec.kind == "computer" and level is not None:
            target = level
        named = target if spec.kind == "python" else f"{spec.kind}:{target}"
        players.append(PlayerRecord(name=spec.name, spec=named, sha256=hash_of(spec)))
    return players


def spec_of(player: PlayerRecord) -> Spec:
    """The spec of a player."""
    return replace(parse(player["spec"]), name=player["name"])


def program_of(spec: Spec) -> Program | None:
    """The program of a bot; None if it is none that the league starts. Raises NoSuchProgram, which is a ValueError."""
    if spec.kind in ("computer", "player"):
        return None
    return python_program(spec.target) if spec.kind == "python" else command_program(spec.target)


def programs_of(league: LeagueRecord) -> list[str]:
    """The names of the players that are programs, in their order: no levels, and nobody who is connected by itself."""
    return [each["name"] for each in league["players"] if spec_of(each).kind not in ("computer", "player")]


def files_of(spec: Spec) -> list[Path]:
    """The bot's own files, as far as its spec names them: none for a level, or for what is missing."""
    try:
        program = program_of(spec)
    except NoSuchProgram:
        return []
    return [] if program is None else list(program.files)


def hash_of(spec: Spec) -> str:
    """The SHA-256 of a bot's files, in hex; empty if it has none. Raises :class:`LeagueError`."""
    files = files_of(spec)
    digest = hashlib.sha256()
    try:
        for file in files:
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    except OSError as error:
        raise LeagueError(f"cannot read {error.filename}: {error.strerror}") from None
    return digest.hexdigest() if files else ""


def lines_of(game: Game, plies: int, rounds: int, seed: int, chosen: openings.Tell) -> list[list[str]]:
    """The openings of a league, one for each round until they repeat: at least one, which may be empty.

    It may take half a second for each.
    """
    if not plies:
        return [[]]
    engine = plain_engine_of(game)

    def judge(position: Any) -> Any:
        return engine.analyse(position, Limits(nodes=NODES, every_move=False), Interrupt())

    found = openings.choose(game, plies, min(rounds, MOST_OPENINGS), seed, judge, tell=chosen)
    return [list(line) for line in found] or [[]]


def pairings_of(league: LeagueRecord, records: Sequence[Record] = ()) -> list[Pairing]:
    """All games of a league, numbered in their order; of a Swiss one those that are known after ``records``.

    Raises :class:`LeagueError`.
    """
    try:
        return games_of(league, records)
    except ValueError as error:
        raise LeagueError(str(error)) from None


def games_left(league: LeagueRecord, records: Sequence[Record]) -> list[Pairing]:
    """The games that can be played now, but for those of players who are disqualified."""
    played, out = {record["game"] for record in records}, Disqualified(league, records)
    return [
        pairing
        for pairing in pairings_of(league, records)
        if pairing.game not in played and not out.has(pairing.first, pairing.second)
    ]


def count_left(league: LeagueRecord, records: Sequence[Record]) -> int:
    """The number of games that are not played yet; in a Swiss league at most."""
    left = len(games_left(league, records))
    return left if league["format"] != "swiss" or not left else games_in_all(league) - len(records)


def differences(before: LeagueRecord, now: LeagueRecord) -> list[str]:
    """The differences from before, a sentence each: a league goes on only with the same bots and settings."""
    found = [
        f"{key.replace('_', '-')} was {_in_words(before_value)}, and is now {_in_words(now_value)}."
        for key in (
            "game",
            "rounds",
            "format",
            "opponents",
            "seed",
            "clock",
            "openings",
            "sprt",
            "memory_mib",
            "server",
        )
        if (before_value := before.get(key)) != (now_value := now.get(key))
    ]
    old, new = ({player["name"]: player for player in league["players"]} for league in (before, now))
    found += [f"{name} did not play before." for name in new if name not in old]
    found += [f"{name} does not play now." for name in old if name not in new]
    for name in (name for name in old if name in new):
        if old[name]["spec"] != new[name]["spec"]:
            found.append(f"{name} was {old[name]['spec']}, and is now {new[name]['spec']}.")
        elif old[name]["sha256"] != new[name]["sha256"]:
            found.append(f"The program of {name} {'has changed' if new[name]['sha256'] else 'is not there'}.")
    return found


def command_of(league: LeagueRecord) -> str:
    """The command that starts a new league with the bots and settings of ``league``."""
    words = ["noughts", "league"]
    for player in league["players"]:
        spec = player["spec"]
        words.append(spec if parse(spec).name == player["name"] else f"{player['name']}={spec}")
    given = {name: league[name] for name in ("game", "rounds", "clock", "openings", "seed", "server")}
    given["memory"] = league["memory_mib"] if league["memory_mib"] != MEMORY_MIB else None
    for name, setting in given.items():
        words += [] if setting is None else [f"--{name}", str(setting)]
    words += [] if league["format"] == "round_robin" else ["--format", league["format"]]
    words += ["--opponents", *league["opponents"]] if league["opponents"] else []
    words += ["--uncontained"] if league["uncontained"] else []
    words += [] if league["sprt"] is None else ["--sprt", *_in_words(league["sprt"]).split()]
    return shlex.join(words)


def _in_words(setting: Any) -> str:
    if isinstance(setting, dict):
        return " ".join(f"{key}={value:g}" for key, value in setting.items())
    if isinstance(setting, list):
        return ", ".join(setting) or "nobody"
    return "not given" if setting is None else str(setting)
