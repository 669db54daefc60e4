"""The fault runner: a cluster under load while its parts are broken, and whether every promise was kept.

    scripts/faults [--fault NAME ...] [--games N] [--players N] [--spectators N] [--strikes N] [--seed N] ...

Starts a private PostgreSQL, a private Mosquitto and nodes, plays, and reads the journal afterwards. Without --fault all
faults are tried, one after the other. Exit status 1 when a promise was broken.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, fields
from pathlib import Path

import uvloop

from faults.faults import FAULTS
from faults.flaws import FLAWS
from faults.run import TABLES, Report, Scale, quantile, run
from support.cluster import NOUGHTS
from support.postgres import postgres_server

HEADER = (
    "| fault | seed | strikes | games | met | rated | moves | told | reconnects | seconds | answer p50, p99, max ms "
    "| across p50, p99, max ms | refused | ends | broken |"
)


def main() -> int:
    """Run what the arguments say; the exit status."""
    options = _options()
    chosen = vars(options)
    scale = Scale(**{field.name: chosen[field.name] for field in fields(Scale)})
    program = ("-m", "faults.flaws", options.flaw) if options.flaw else NOUGHTS
    print(HEADER)
    print("|---" * HEADER.count(" | ") + "|---|", flush=True)
    reports: list[Report] = []
    for fault in options.fault or FAULTS:
        with tempfile.TemporaryDirectory(prefix="noughts-") as directory, postgres_server() as postgres:
            work = run(fault, Path(directory), postgres, scale, options.seed, program=program, nodes=options.nodes)
            report = uvloop.run(work)
            if options.keep_logs:
                _keep(Path(directory), options.keep_logs / fault)
        reports.append(report)
        print(_row(report), flush=True)
        for promise in report.broken:
            print(f"{fault}: {promise}", file=sys.stderr, flush=True)
    return 0 if all(report.kept for report in reports) else 1


def _options() -> argparse.Namespace:
    faults = "\n".join(f"  {name:15} {fault.words}" for name, fault in FAULTS.items())
    flaws = "\n".join(f"  {name:15} {flaw.__doc__}" for name, flaw in FLAWS.items())
    parser = argparse.ArgumentParser(
        prog="scripts/faults",
        description=(__doc__ or "").partition("\n")[0],
        epilog=f"faults:\n{faults}\n\nflaws:\n{flaws}",
        formatter_class=_Help,
    )
    parser.set_defaults(**asdict(Scale()))
    parser.add_argument("--fault", action="append", choices=FAULTS, metavar="NAME", help="this one; may be repeated")
    parser.add_argument("--games", type=int, help="to be played at least")
    parser.add_argument("--players", type=int, help="of whom two sit at a table")
    parser.add_argument("--alone", type=int, help="players against a computer, besides")
    parser.add_argument("--seekers", type=int, help="players who seek each other, besides")
    parser.add_argument("--tables", nargs="+", choices=sorted(set(TABLES)), help="kinds of tables, over and over")
    parser.add_argument("--spectators", type=int, help="each follows one table")
    parser.add_argument("--strikes", type=int, help="of the fault, at least")
    parser.add_argument("--longest-s", type=float, help="seconds that the fault lasts at most")
    parser.add_argument("--patience-s", type=float, help="seconds that all games may take")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the random choices")
    parser.add_argument("--flaw", choices=FLAWS, help="the control: nodes that do not keep their promises")
    parser.add_argument("--keep-logs", type=Path, metavar="DIRECTORY", help="keep what the nodes and the broker log")
    return parser.parse_args()


class _Help(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Keeps the lists of names as they are, and tells the defaults."""


def _keep(logs: Path, where: Path) -> None:
    where.mkdir(parents=True, exist_ok=True)
    for log in logs.glob("*.log"):
        (where / log.name).write_bytes(log.read_bytes())


def _row(report: Report) -> str:
    def times(values: list[float]) -> str:
        three = (quantile(values, 50), quantile(values, 99), max(values, default=0))
        return ", ".join(f"{value * 1000:,.0f}" for value in three)

    def counts(counter: Counter[str]) -> str:
        return ", ".join(f"{count:,} {what}" for what, count in counter.most_common()) or "none"

    cells = (
        report.fault,
        report.seed,
        report.strikes,
        report.games,
        report.met,
        report.rated,
        f"{report.moves:,}",
        f"{report.deliveries:,}",
        f"{report.reconnects:,}",
        f"{report.seconds:.1f}",
        times(report.answers_s),
        times(report.across_s),
        counts(report.refusals),
        counts(report.ends),
        report.broken_count,
    )
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that it ends what it has started
    os.umask(0o022)  # PostgreSQL's user must reach what is made here
    sys.exit(main())
