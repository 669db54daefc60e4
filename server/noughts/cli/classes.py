"""``noughts class``: from a roster and a folder of submissions to a gradebook."""

from __future__ import annotations

import asyncio
import random
import shlex
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from noughts.classes.folder import (
    FEEDBACK,
    GRADEBOOK,
    PAGE,
    ClassError,
    SchoolClass,
    changed_programs,
    freeze_class,
    load_class,
    write_results,
)
from noughts.classes.mistakes import SECONDS, Found, review
from noughts.classes.roster import Student, UnusableRoster, read_roster
from noughts.cli.arguments import Subparsers, moment
from noughts.cli.league import add_terms, containment_of, free_folder, planned, played
from noughts.cli.output import INTERRUPTED, columns, say
from noughts.cli.programs import containment
from noughts.cli.run import set_log
from noughts.games.catalogue import name_of
from noughts.league import report_text
from noughts.league.plan import CLOCK, MEMORY_MIB, game_of, players_of
from noughts.league.progress import end_lines
from noughts.league.runner import games_at_once
from noughts.league.state import SETTINGS as LEAGUE_SETTINGS
from noughts.league.state import Folder, LeagueError, create, load

FROZEN_TERMS = ("deadline", "late")
"""The options of what is frozen: they do nothing with --resume."""

LEAGUE_TERMS = ("game", "rounds", "format", "clock", "openings", "seed", "memory_mib", "yardstick")
"""The options of a league: they do nothing once it has begun."""

USAGE = """noughts class ROSTER SUBMISSIONS [options]
       noughts class --resume DIR [options]"""

ROUNDS = 2
"""The number of rounds the league of a class has by default."""

EXPECTED = (ClassError, LeagueError)


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "class",
        usage=USAGE,
        description="Freeze what the students of a roster have handed in, let their bots play each other, and write a "
        "gradebook, a page with all games and a text for each student. The roster is a CSV file with the columns "
        "student and name; a submission is a Python file, or a folder with one, that has the student in its name.",
    )
    parser.set_defaults(command=_run)
    add = parser.add_argument
    add("words", nargs="*", metavar="ROSTER SUBMISSIONS", help="the roster and the folder of submissions")
    add_terms(parser, ROUNDS)
    add("--deadline", type=moment(), metavar="TIME", help="2026-11-22T18:00, in local time or with a zone")
    add("--late", choices=["refuse", "allow"], help="submissions after it (default: refuse)")
    add(
        "--yardstick",
        action="append",
        default=[],
        metavar="LEVEL",
        help="a level of the computer that plays, too: easy",
    )
    add("--folder", type=Path, metavar="DIR", help="where the class is kept (default: a new class-1, class-2, ...)")
    add("--resume", type=Path, metavar="DIR", help="continue with what was frozen in this folder")


def _run(options: dict[str, Any]) -> int:
    set_log("WARNING")
    school = None
    try:
        school = _frozen(options) if options["resume"] is None else _resumed(options)
        league = _league(school, options)
        if league is None:
            write_results(school, None, [])
            say(*_unplayed(school), "Too few can play. The gradebook is written all the same.", to_stderr=True)
            return 1
        return _play(school, league, options)
    except EXPECTED as error:
        say(f"noughts class: {error}", *([] if school is None else [_resume(school)]), to_stderr=True)
        return 1


def _frozen(options: dict[str, Any]) -> SchoolClass:
    """Read the roster, and freeze what was handed in."""
    if len(options["words"]) != 2:
        raise ClassError("name the roster and the folder of submissions; noughts class --help shows how")
    roster, handed_in = map(Path, options["words"])
    students = read_students(roster)
    deadline: datetime | None = options["deadline"]
    game = name_of(game_of(options["game"] or "connect4"))
    players_of([f"computer:{level}" for level in options["yardstick"]], game_of(game))
    containment(LeagueError, uncontained=options["uncontained"])  # refuses before anything is frozen
    path = options["folder"] or free_folder("class")
    school = freeze_class(path, students, handed_in, game=game, deadline=deadline, late=options["late"] == "allow")
    programs = len(school.bots())
    sent = sum(bool(each.source) for each in school.submissions.values())
    have = "has" if programs == 1 else "have"
    say(
        f"{sent} of {len(students)} students have handed in something; {programs} {have} a program, frozen in {path}.",
        to_stderr=True,
    )
    if deadline is not None and deadline > datetime.now().astimezone():
        say(f"The deadline, {deadline.isoformat(sep=' ', timespec='minutes')}, is not over yet.", to_stderr=True)
    for name in school.nobodys:
        say(f"Nobody on the roster has handed in {report_text.name(name, 60)}.", to_stderr=True)
    return school


def _resumed(options: dict[str, Any]) -> SchoolClass:
    """A class that was frozen, with a league or without. Raises ClassError for an option that would do nothing."""
    school = load_class(options["resume"])
    if options["words"] or options["folder"] is not None:
        raise ClassError("--resume takes no roster, no submissions and no --folder: they are frozen")
    if changed := changed_programs(school):
        raise ClassError(
            f"what was frozen is not there as it was: the programs of {', '.join(changed)}. Restore them, or freeze a "
            "new class"
        )
    begun = (school.league / LEAGUE_SETTINGS).exists()
    for key in (*FROZEN_TERMS, *(LEAGUE_TERMS if begun else ("game",))):
        if options[key] not in (None, []):
            option = key.removesuffix("_mib")
            raise ClassError(f"--{option} does nothing with --resume; a new class, without --resume, can have another")
    return school


def _league(school: SchoolClass, options: dict[str, Any]) -> Folder | None:
    """The league of a class, old or new; None if fewer than two can play."""
    if (school.league / LEAGUE_SETTINGS).exists():
        return load(school.league)
    bots = [*school.bots(), *(_yardstick(school, level) for level in options["yardstick"])]
    if len(bots) < 2:
        return None
    league = planned(
        bots,
        game=school.game,
        rounds=options["rounds"] or ROUNDS,
        seed=random.randrange(1_000_000) if options["seed"] is None else options["seed"],
        clock=options["clock"] or CLOCK,
        swiss=options["format"] == "swiss",
        plies=options["openings"],
        memory_mib=options["memory_mib"] or MEMORY_MIB,
        uncontained=options["uncontained"],
        folder=school.league,
        at_least=0,  # each student gets to know the own failure, even if all of them fail
    )
    return create(school.league, league)


def _yardstick(school: SchoolClass, level: str) -> str:
    """A level of the computer as a player, with another name if a student has its name."""
    taken = level.casefold() in (student.id.casefold() for student in school.students)
    return f"computer-{level}=computer:{level}" if taken else f"computer:{level}"


def _play(school: SchoolClass, league: Folder, options: dict[str, Any]) -> int:
    contained = containment_of(league.league, uncontained=options["uncontained"])
    try:
        ending = asyncio.run(played(league, contained, {}, options["concurrency"] or games_at_once()))
    except (asyncio.CancelledError, KeyboardInterrupt):
        say("Stopped.", _resume(school), to_stderr=True)
        return INTERRUPTED
    write_results(school, league.league, league.records, {} if ending == "stopped" else _reviewed(school, league))
    say(*end_lines(league, ending), to_stderr=True)
    say(
        report_text.render(league.league, league.records, columns(report_text.UNLIMITED)).rstrip("\n"),
        *_unplayed(school),
    )
    say(f"The gradebook is {school.path / GRADEBOOK}; the games are in {school.path / PAGE}.")
    say(f"What each student should know is in {school.path / FEEDBACK}.")
    if ending == "stopped":
        say(_resume(school), to_stderr=True)
        return INTERRUPTED
    return 0


def _reviewed(school: SchoolClass, league: Folder) -> Found:
    """The mistakes in lost games, as many as Ctrl-C leaves time for."""
    found: Found = {}
    with suppress(asyncio.CancelledError, KeyboardInterrupt):
        say(f"Looking for the mistakes in lost games, for at most {SECONDS:g} s ...", to_stderr=True)
        asyncio.run(review(league.league, league.records, [student.id for student in school.students], found))
    return found


def _resume(school: SchoolClass) -> str:
    return f"What was handed in is frozen. Continue with:  noughts class --resume {shlex.quote(str(school.path))}"


def _unplayed(school: SchoolClass) -> list[str]:
    """Lines on who does not play, and why."""
    return [
        f"{report_text.name(student.name)} ({student.id}) does not play: {school.submissions[student.id].problem}."
        for student in school.students
        if school.submissions[student.id].main is None
    ]


def read_students(roster: Path) -> list[Student]:
    """The students of a roster file. Raises ClassError."""
    try:
        return read_roster(roster.read_text(encoding="utf-8"))
    except UnusableRoster as error:
        raise ClassError(f"{roster}: {error}") from None
    except OSError as error:
        raise ClassError(f"cannot read {roster}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ClassError(f"{roster} is not in UTF-8: save it as CSV UTF-8") from None
