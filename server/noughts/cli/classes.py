"""``noughts class``: from a roster and a folder of submissions to a gradebook."""

from __future__ import annotations

import asyncio
import random
from contextlib import closing, suppress
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
from noughts.classes.update import change, enrolled, kept, restore, update_class
from noughts.cli.arguments import Subparsers, moment
from noughts.cli.league import add_terms, continuing, format_of, free_folder, planned, played
from noughts.cli.output import INTERRUPTED, columns, say
from noughts.cli.programs import containment
from noughts.cli.run import set_log
from noughts.games.catalogue import name_of
from noughts.journal import JournalInUse
from noughts.journal.sqlite.schema import lock_journal
from noughts.league import report_text
from noughts.league.plan import CLOCK, MEMORY_MIB, game_of, parse, players_of
from noughts.league.progress import end_lines
from noughts.league.records import LeagueRecord
from noughts.league.state import JOURNAL, Folder, LeagueError, create, load
from noughts.league.state import SETTINGS as LEAGUE_SETTINGS

FROZEN_TERMS = ("deadline", "late")
"""The options of what is frozen: they do nothing with --resume but with --update."""

LEAGUE_TERMS = ("game", "rounds", "format", "clock", "openings", "seed", "memory_mib", "yardstick")
"""The options of a league: they do nothing once it has begun."""

USAGE = """noughts class ROSTER SUBMISSIONS [options]
       noughts class --resume DIR [--update SUBMISSIONS] [options]"""

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
        metavar="BOT",
        help="a level of the computer that plays, too: easy; or a bot of the staff's, as for noughts league. With "
        "--format gauntlet the students' bots meet only these",
    )
    add("--folder", type=Path, metavar="DIR", help="where the class is kept (default: a new class-1, class-2, ...)")
    add("--resume", type=Path, metavar="DIR", help="continue with what was frozen in this folder")
    add(
        "--update",
        type=Path,
        metavar="SUBMISSIONS",
        help="with --resume: first freeze what was handed in since, and play only the games of what has changed",
    )
    add("--roster", type=Path, metavar="ROSTER", help="with --update: a roster that has new students, too")


def _run(options: dict[str, Any]) -> int:
    set_log("WARNING")
    school = None
    try:
        school = _frozen(options) if options["resume"] is None else _resumed(options)
        if options["update"] is not None:
            school = _updated(school, options)
        league = _league(school, options)
        if league is None:
            write_results(school, None, [])
            say(*_unplayed(school), "Too few can play. The gradebook is written all the same.", to_stderr=True)
            return 1
        return _play(school, league, options)
    except EXPECTED as error:
        say(f"noughts class: {error}", *([] if school is None else [_resume(school, options)]), to_stderr=True)
        return 1


def _frozen(options: dict[str, Any]) -> SchoolClass:
    """Read the roster, and freeze what was handed in."""
    if options["update"] is not None:
        raise ClassError("--update goes with --resume DIR")
    if options["roster"] is not None:
        raise ClassError("--roster goes with --update; a new class has its roster as the first word")
    if len(options["words"]) != 2:
        raise ClassError("name the roster and the folder of submissions; noughts class --help shows how")
    roster, handed_in = map(Path, options["words"])
    students = read_students(roster)
    deadline: datetime | None = options["deadline"]
    game = name_of(game_of(options["game"] or "connect4"))
    players_of([_spec(each) for each in options["yardstick"]], game_of(game))
    if options["format"] == "gauntlet" and not options["yardstick"]:
        raise ClassError("--format gauntlet needs a --yardstick whom all meet")
    if options["farm"] is None:
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
    if options["roster"] is not None and options["update"] is None:
        raise ClassError("--roster goes with --update SUBMISSIONS")
    if options["words"] or options["folder"] is not None:
        raise ClassError("--resume takes no roster, no submissions and no --folder: they are frozen")
    if options["update"] is None and (changed := changed_programs(school)):
        raise ClassError(
            f"what was frozen is not there as it was: the programs of {', '.join(changed)}. Restore them, or freeze a "
            "new class"
        )
    begun = (school.league / LEAGUE_SETTINGS).exists()
    for key in (*(() if options["update"] else FROZEN_TERMS), *(LEAGUE_TERMS if begun else ("game",))):
        if options[key] not in (None, []):
            option = key.removesuffix("_mib")
            raise ClassError(f"--{option} does nothing with --resume; a new class, without --resume, can have another")
    return school


def _updated(school: SchoolClass, options: dict[str, Any]) -> SchoolClass:
    """Freeze what was handed in since, and drop the games of what has changed from the league."""
    deadline = school.deadline if options["deadline"] is None else options["deadline"]
    if options["roster"] is not None:
        known = {student.id for student in school.students}
        school = enrolled(school, read_students(options["roster"]))
        new = [student.id for student in school.students if student.id not in known]
        say(f"New: {', '.join(new)}." if new else "Nobody on the roster is new.", to_stderr=True)
        _check_yardsticks(school, new)
    updated, changed = update_class(school, options["update"], deadline=deadline, late=options["late"] == "allow")
    say(f"Changed: {', '.join(changed)}." if changed else "No program has changed.", to_stderr=True)
    try:
        if not school.league.exists():
            return updated
        with closing(lock_journal(school.league / JOURNAL)):
            restore(school.league)
            before = load(school.league)
            students = {student.id for student in school.students}
            others = [player for player in before.league["players"] if player["name"] not in students]
            players = [*players_of(updated.bots(), game_of(school.game)), *others]
            now: LeagueRecord = {**before.league, "players": players}
            stays = kept(before.league, now, before.records)
            change(school.league, now, stays)
            say(f"{len(stays)} of {len(before.records)} games stay as they are.", to_stderr=True)
    except JournalInUse:
        raise ClassError(f"the league in {school.league} is being played") from None
    except OSError as error:
        raise ClassError(f"cannot write {error.filename}: {error.strerror}") from None
    return updated


def _check_yardsticks(school: SchoolClass, new: list[str]) -> None:
    """Raise ClassError if a yardstick of the class has the name of a new student."""
    if not (school.league / LEAGUE_SETTINGS).exists():
        return
    names = {player["name"].casefold() for player in load(school.league).league["players"]}
    if taken := [student for student in new if student.casefold() in names]:
        raise ClassError(f"a yardstick of this class is called {taken[0]}: give the student another id")


def _league(school: SchoolClass, options: dict[str, Any]) -> Folder | None:
    """The league of a class, old or new; None if fewer than two can play."""
    if (school.league / LEAGUE_SETTINGS).exists():
        return load(school.league)
    yardsticks = players_of([_yardstick(school, each) for each in options["yardstick"]], game_of(school.game))
    bots = [*school.bots(), *(f"{each['name']}={each['spec']}" for each in yardsticks)]
    if len(bots) < 2:
        return None
    league = planned(
        bots,
        game=school.game,
        rounds=options["rounds"] or ROUNDS,
        seed=random.randrange(1_000_000) if options["seed"] is None else options["seed"],
        clock=options["clock"] or CLOCK,
        format_=format_of(options),
        opponents=[each["name"] for each in yardsticks] if options["format"] == "gauntlet" else (),
        plies=options["openings"],
        memory_mib=options["memory_mib"] or MEMORY_MIB,
        uncontained=options["uncontained"],
        folder=school.league,
        farm=options["farm"],
        at_least=0,  # each student gets to know the own failure, even if all of them fail
    )
    return create(school.league, league)


def _spec(yardstick: str) -> str:
    """A yardstick as a league names it: a level of the computer, or any bot."""
    return yardstick if any(sign in yardstick for sign in "./\\:=") else f"computer:{yardstick}"


def _yardstick(school: SchoolClass, word: str) -> str:
    """A yardstick as a player, with another name if a student has its name."""
    spec = _spec(word)
    name = parse(spec).name
    taken = name.casefold() in (student.id.casefold() for student in school.students)
    return f"{'computer' if spec != word else 'staff'}-{name}={spec}" if taken else spec


def _play(school: SchoolClass, league: Folder, options: dict[str, Any]) -> int:
    try:
        ending = asyncio.run(played(league, {}, options))
    except (asyncio.CancelledError, KeyboardInterrupt):
        say("Stopped.", _resume(school, options), to_stderr=True)
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
        say(_resume(school, options), to_stderr=True)
        return INTERRUPTED
    return 0


def _reviewed(school: SchoolClass, league: Folder) -> Found:
    """The mistakes in lost games, as many as Ctrl-C leaves time for."""
    found: Found = {}
    with suppress(asyncio.CancelledError, KeyboardInterrupt):
        say(f"Looking for the mistakes in lost games, for at most {SECONDS:g} s ...", to_stderr=True)
        asyncio.run(review(league.league, league.records, [student.id for student in school.students], found))
    return found


def _resume(school: SchoolClass, options: dict[str, Any]) -> str:
    return f"What was handed in is frozen. {continuing('class', school.path, options['farm'])}"


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
