"""``noughts league``: a league of bots in one command, its bots asked again, and its games reviewed."""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shlex
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Literal, get_args

from noughts.cli.arguments import Subparsers, clock, server, whole
from noughts.cli.output import INTERRUPTED, columns, say
from noughts.cli.programs import add_farm, containment
from noughts.cli.review import SECONDS, print_review, show_progress, warn_slow
from noughts.cli.run import set_log
from noughts.columns import printable
from noughts.explain.explainer import GameExplainer
from noughts.farm import Farm, FarmError, connected
from noughts.farm_bots import cannot_contain
from noughts.games.catalogue import name_of
from noughts.league import report_csv, report_gradescope, report_html, report_json, report_text
from noughts.league.finished import head_lines, info_of, room_of
from noughts.league.plan import (
    CLOCK,
    KEPT,
    MEMORY_MIB,
    command_of,
    differences,
    game_of,
    hash_of,
    plan,
    players_of,
    programs_of,
    spec_of,
)
from noughts.league.progress import clock_lines, end_lines, game_lines, start_lines
from noughts.league.records import Format, LeagueRecord, SprtRecord
from noughts.league.report_text import name
from noughts.league.runner import Ending, Report, games_at_once, one_bot, play_league, rehearse
from noughts.league.state import Folder, LeagueError, create, load, refuse_old
from noughts.league.summary import replay_command
from noughts.league.turn import Answered, after_lines, ask, before_lines, is_late, record_of, side_of, turn_of
from noughts.protocol.render import words
from noughts_client.bots.sandbox import Containment
from noughts_client.failure import BotFailed

Output = Literal["table", "csv", "json", "jsonl", "html", "gradescope"]

USAGE = """noughts league BOT BOT ... [options]
       noughts league --resume DIR [options]
       noughts league replay GAME --bot NAME [--turn N] [--folder DIR]
       noughts league review GAME [--folder DIR] [--output json]"""

FORMATS: dict[str, Format] = {"round-robin": "round_robin", "swiss": "swiss", "gauntlet": "gauntlet"}

ROUNDS, TEST_ROUNDS = 1, 1000
"""The number of rounds a league has by default: without a test, and with one, which ends it sooner."""


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "league",
        usage=USAGE,
        description="Let bots play each other, and show who is best. A bot is a Python file with choose(state), "
        "exec:COMMAND, uci:COMMAND, gtp:COMMAND, gomocup:COMMAND, computer:LEVEL, or player:NAME for one that is "
        "connected to the --server. NAME=BOT gives it another name. "
        "Or, with replay: ask a bot again what it was asked in a game. With review: show where a game was lost.",
    )
    parser.set_defaults(command=_run)
    add = parser.add_argument
    add("bots", nargs="*", metavar="BOT", help="two or more bots")
    add_terms(parser, ROUNDS)
    add("--opponents", nargs="+", metavar="NAME", help="the players whom all others meet in a gauntlet")
    add("--sprt", nargs="+", metavar="KEY=VALUE", help="test two bots until decided: elo0=0 elo1=100 [alpha= beta=]")
    add("--server", type=server, metavar="ADDRESS", help="play on a live server (default: one of the league's own)")
    add(
        "--tokens", type=Path, metavar="FILE", help="lines NAME TOKEN: the players at the live server (default: guests)"
    )
    add("--folder", type=Path, metavar="DIR", help="where the league is kept (default: a new league-1, league-2, ...)")
    add("--resume", type=Path, metavar="DIR", help="continue the league in this folder, or print its results again")
    add("--output", choices=get_args(Output), default="table", help="how to print the results (default: table)")
    add("--bot", metavar="NAME", help="replay: the bot to ask")
    add("--turn", type=whole(0), metavar="N", help="replay: after N moves of the game (default: the bot's last turn)")


def add_terms(parser: argparse.ArgumentParser, rounds: int) -> None:
    """Add the options that say what is played, and how. ``rounds`` is a default."""
    add = parser.add_argument
    add("--game", help="such as breakthrough?size=6; noughts rules lists them (default: connect4)")
    add("--rounds", type=whole(), metavar="N", help=f"rounds; in each, all play a pair of games (default: {rounds})")
    add("--format", choices=FORMATS, help="the format of a tournament (default: round-robin)")
    add("--clock", type=clock, help=f"30s+0.3: 30 s and 0.3 s for each move; 3+2: minutes (default: {CLOCK})")
    add("--openings", type=whole(0), metavar="PLIES", help="random moves before the bots play (default: the game's)")
    add(
        "--seed",
        type=whole(None),
        metavar="N",
        help="the same seed gives the same pairings and openings (default: random)",
    )
    add("--memory", dest="memory_mib", type=whole(), metavar="MiB", help=f"of each bot (default: {MEMORY_MIB})")
    add("--concurrency", type=whole(), metavar="N", help="games at once (default: half the number of cores)")
    add("--uncontained", action="store_true", help="play even if bots cannot be contained on this machine")
    add_farm(parser)


def format_of(options: dict[str, Any]) -> Format:
    """The format that is wanted, as the league's record has it."""
    return FORMATS[options["format"] or "round-robin"]


def _run(options: dict[str, Any]) -> int:
    set_log("WARNING")
    try:
        tokens = _tokens(options["tokens"])
        if options["bots"][:1] == ["replay"]:
            return asyncio.run(replay(options))
        if options["bots"][:1] == ["review"]:
            return asyncio.run(review(options))
        folder = _new(options) if options["resume"] is None else _resumed(options)
    except LeagueError as error:
        return _refuse(error)
    return _play(folder, tokens, options)


def _refuse(error: LeagueError) -> int:
    say(f"noughts league: {error}", to_stderr=True)
    return 1


def _new(options: dict[str, Any]) -> Folder:
    """The folder of a new league. Raises LeagueError."""
    if len(options["bots"]) < 2:
        raise LeagueError("name two bots or more; noughts league --help shows how")
    path = options["folder"] or free_folder("league")
    refuse_old(path)
    sprt = _sprt(options["sprt"])
    seed = random.randrange(1_000_000) if options["seed"] is None else options["seed"]
    league = planned(
        options["bots"],
        game=options["game"] or "connect4",
        rounds=options["rounds"] or (ROUNDS if sprt is None else TEST_ROUNDS),
        seed=seed,
        clock=options["clock"] or CLOCK,
        format_=format_of(options),
        opponents=options["opponents"] or (),
        plies=options["openings"],
        sprt=sprt,
        memory_mib=options["memory_mib"] or MEMORY_MIB,
        server=options["server"],
        uncontained=options["uncontained"],
        folder=path,
        farm=options["farm"],
    )
    return create(path, league)


def _resumed(options: dict[str, Any]) -> Folder:
    """The folder of a league to be continued. Raises LeagueError if it is not the same as it was."""
    folder = load(options["resume"])
    before = folder.league
    given = {key: options[key] for key in KEPT if options[key] is not None}
    if "game" in given:
        given["game"] = name_of(game_of(given["game"]))
    if "format" in given:
        given["format"] = format_of(options)
    if "sprt" in given:
        given["sprt"] = _sprt(given["sprt"])
    if options["bots"]:
        players = players_of(options["bots"], game_of(before["game"]))
    else:
        players = [{**player, "sha256": hash_of(spec_of(player))} for player in before["players"]]
    now: LeagueRecord = {**before, **given, "players": players}  # type: ignore[typeddict-item]
    if changes := differences(before, now):
        why = f"this is not the league that began: {' '.join(changes)}"
        raise LeagueError(f"{why}\nStart a new one with:  {printable(command_of(now))}")
    return folder


def _play(folder: Folder, tokens: dict[str, str], options: dict[str, Any]) -> int:
    resume = continuing("league", folder.path, options["farm"])
    try:
        ending = asyncio.run(played(folder, tokens, options))
    except LeagueError as error:
        _refuse(error)
        say(resume, to_stderr=True)
        return 1
    except (asyncio.CancelledError, KeyboardInterrupt):
        say("Stopped.", resume, to_stderr=True)
        return INTERRUPTED
    say(*end_lines(folder, ending), to_stderr=True)
    _print(folder, options["output"])
    if ending == "stopped":
        say(resume, to_stderr=True)
        return INTERRUPTED
    return 0


def continuing(command: str, folder: Path, farm: str | None) -> str:
    """The line that says how to go on, where the games were played."""
    where = "" if farm is None else f" --farm {farm}"
    return f"Continue with:  noughts {command} --resume {shlex.quote(str(folder))}{where}"


async def played(folder: Folder, tokens: dict[str, str], options: dict[str, Any]) -> Ending:
    """Play until the end or the first Ctrl-C. The second one cancels this. Raises LeagueError."""
    containment, farm = None, options["farm"]
    contained = must_contain(folder.league, uncontained=options["uncontained"])
    if farm is None:
        containment = containment_of(folder.league, uncontained=options["uncontained"])
    stop, task, loop = asyncio.Event(), asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    interrupts = 0

    def interrupt() -> None:
        nonlocal interrupts
        interrupts += 1
        stop.set()
        if interrupts == 1:
            say("Finishing the games under way. Press Ctrl-C again to stop at once.", to_stderr=True)
        else:
            task.cancel()

    with suppress(NotImplementedError):  # Windows: Ctrl-C stops at once
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, interrupt)
    async with farm_of(farm, contained=contained) as workers:
        concurrency = options["concurrency"] or (games_at_once() if workers is None else workers.threads)

        def begun(url: str) -> None:
            say(*start_lines(folder, concurrency, url, contained=contained), to_stderr=True)
            if workers is not None:
                say(f"The games are played by {workers}.", to_stderr=True)

        report = Report(begun=begun, game=lambda record, test: say(*game_lines(folder, record, test), to_stderr=True))
        return await play_league(
            folder,
            containment=containment,
            report=report,
            stop=stop,
            tokens=tokens,
            concurrency=options["concurrency"] if workers is not None else concurrency,
            farm=workers,
        )


@asynccontextmanager
async def farm_of(address: str | None, *, contained: bool) -> AsyncIterator[Farm | None]:
    """The farm at this address, if there is one. Raises LeagueError."""
    if address is None:
        yield None
        return
    try:
        requirement = cannot_contain if contained else None
        async with connected(address, requirement, lambda text: say(text, to_stderr=True)) as farm:
            yield farm
    except FarmError as error:
        raise LeagueError(str(error)) from None


def _print(folder: Folder, output: Output) -> None:
    """Print the results, and write the page with all games into the folder."""
    league, records, page = folder.league, folder.records, folder.path / "league.html"
    with suppress(OSError):  # the results matter more
        page.write_text(report_html.render(league, records, folder.path), encoding="utf-8")
        say(f"All games, to be replayed in a browser: {page}", to_stderr=True)
    match output:
        case "table":
            text = report_text.render(league, records, columns(report_text.UNLIMITED))
        case "csv":
            text = report_csv.render(league, records)
        case "json":
            text = report_json.render(league, records)
        case "jsonl":
            text = "\n".join(json.dumps(record, separators=(",", ":")) for record in records)
        case "gradescope":
            text = report_gradescope.render(league, records)
        case "html":
            text = report_html.render(league, records, folder.path)
    say(text.rstrip("\r\n"))


def free_folder(name: str) -> Path:
    """The first of ``name-1``, ``name-2``, ... that does not exist."""
    return next(path for number in count(1) if not (path := Path(f"{name}-{number}")).exists())


def _sprt(words: Sequence[str] | None) -> SprtRecord | None:
    """The hypotheses in words such as ``elo0=0``. Raises LeagueError."""
    if words is None:
        return None
    found = {"alpha": 0.05, "beta": 0.05}
    try:
        for word in words:
            key, _, number = word.partition("=")
            if key not in ("elo0", "elo1", "alpha", "beta"):
                raise ValueError
            found[key] = float(number)
        return SprtRecord(elo0=found["elo0"], elo1=found["elo1"], alpha=found["alpha"], beta=found["beta"])
    except (KeyError, ValueError):
        raise LeagueError("write the test as --sprt elo0=0 elo1=100, and if you like alpha=0.05 beta=0.05") from None


def _tokens(file: Path | None) -> dict[str, str]:
    """The tokens in a file with lines ``NAME TOKEN``. Raises LeagueError."""
    if file is None:
        return {}
    try:
        lines = [line.rsplit(maxsplit=1) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        return dict(lines)
    except OSError as error:
        raise LeagueError(f"cannot read {file}: {error.strerror}") from None
    except ValueError:
        raise LeagueError(f"each line of {file} must be a name, a space and a token") from None


TOLD = 5
"""Say it each time so many more openings are chosen: they take half a second each, or longer."""


def planned(
    bots: Sequence[str],
    *,
    uncontained: bool,
    folder: Path,
    at_least: int = 2,
    farm: str | None = None,
    **terms: Any,
) -> LeagueRecord:
    """A league by :func:`~noughts.league.plan.plan` with ``terms``, with its progress on stderr.

    Its bots are started first, by a ``farm`` if there is one; the ``folder`` in which it is to be need not exist yet.
    Raises LeagueError, also where
    bots cannot be contained and where fewer than ``at_least`` of the players start.
    """

    def begin(league: LeagueRecord) -> None:
        if farm is not None and league["server"] is not None:
            raise LeagueError("--farm: a league on a live server cannot be played by a farm")
        contained = containment_of(league, uncontained=uncontained) if farm is None else None
        say(*clock_lines(league["clock"]), to_stderr=True)
        able = asyncio.run(_rehearse(Folder(folder, league, ()), contained, farm, uncontained=uncontained))
        if able < at_least:
            raise LeagueError("fewer than two bots can play")
        if league["openings"]:
            say("Choosing openings ...", to_stderr=True)

    def chosen(count: int, wanted: int) -> None:
        if count % TOLD == 0 and count < wanted:
            say(f"{count} of at most {wanted} openings are chosen.", to_stderr=True)

    return plan(bots, uncontained=uncontained, begin=begin, chosen=chosen, **terms)


async def _rehearse(folder: Folder, contained: Containment | None, farm: str | None, *, uncontained: bool) -> int:
    """Start each bot, and name those that fail; how many players start."""
    async with farm_of(farm, contained=must_contain(folder.league, uncontained=uncontained)) as workers:
        at_once = games_at_once() if workers is None else workers.threads
        failures = await rehearse(folder, contained, at_once=at_once, farm=workers)
    for player, failure in failures.items():
        how = "does not start" if failure.kind == "start" else "fails at its first move"
        say(f"{name(player)} {how}: {printable(failure.message)}", to_stderr=True)
    programs = len(programs_of(folder.league))
    if failures:
        say(f"{programs - len(failures)} of {programs} programs play a first move.", to_stderr=True)
    unable = [player for player, failure in failures.items() if failure.kind == "start"]
    return len(folder.league["players"]) - len(unable)


def must_contain(league: LeagueRecord, *, uncontained: bool) -> bool:
    """True if programs of a league may only run contained. ``uncontained``: they need not be, though the league was
    not begun so."""
    return not (uncontained or league["uncontained"] or not programs_of(league))


def containment_of(league: LeagueRecord, *, uncontained: bool) -> Containment | None:
    """The containment of the programs of a league on this machine, if it has any. Raises LeagueError where they must
    be contained and are not.
    """
    return containment(LeagueError, uncontained=not must_contain(league, uncontained=uncontained))


async def replay(options: dict[str, Any]) -> int:
    """Ask a bot again: 1 if it fails now, or is too late, else 0. Raises LeagueError."""
    bots, name = options["bots"], options["bot"]
    if len(bots) != 2 or not bots[1].isdecimal() or name is None:
        raise LeagueError("write it as noughts league replay GAME --bot NAME, with the number of a game")
    folder = load(options["folder"] or newest_folder())
    league, record = folder.league, record_of(folder.records, int(bots[1]))
    side = side_of(record, name)
    turn = turn_of(league, record, side, options["turn"])
    if any(player["name"] == name and spec_of(player).kind == "player" for player in league["players"]):
        raise LeagueError(f"{name} is connected to the server by itself, so the league cannot ask it again")
    containment = containment_of(league, uncontained=options["uncontained"])
    say(*before_lines(league, record, side, turn))
    try:
        async with one_bot(folder, containment, name, record["game"]) as bot:
            if not turn.line:
                say("", "Now it starts.")
                return 0
            answered = await ask(bot, league, turn.line)
    except BotFailed as error:
        answered = Answered("", "", 0, "", error.failure)
    say(*after_lines(record, turn, answered))
    return 1 if answered.failure or is_late(turn, answered) else 0


def newest_folder() -> Path:
    """The last of the folders that leagues got here by default. Raises LeagueError if there is none."""
    found = [path for path in Path().glob("league-*") if path.name.removeprefix("league-").isdecimal()]
    if not found:
        raise LeagueError("there is no league here: name its folder with --folder")
    return max(found, key=lambda path: int(path.name.removeprefix("league-")))


async def review(options: dict[str, Any]) -> int:
    """Review a game. Raises LeagueError."""
    bots, as_json = options["bots"], options["output"] in ("json", "jsonl")
    if len(bots) != 2 or not bots[1].isdecimal():
        raise LeagueError("write it as noughts league review GAME [--folder DIR], with the number of a game")
    folder = load(options["folder"] or newest_folder())
    league, record = folder.league, record_of(folder.records, int(bots[1]))
    if not as_json:
        say(*head_lines(league, record))
    explainer = GameExplainer(room_of(league, record), SECONDS, warn_slow, begins=len(record["opening"]))
    async for found in explainer.review():
        show_progress(found)
    print_review(found, info_of(league, record), words(), as_json=as_json, notes=record["notes"])
    failure = record["failure"]
    if failure is not None and not as_json:
        player = record[failure["side"]]
        say("", f"See why {name(player)} failed:  {replay_command(folder.path, record['game'], player)}")
    return 0
