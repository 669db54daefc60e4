"""The fault runner: break the parts of a cluster under load, and check that every promise was kept.

    scripts/faults [--fault NAME ...] [--games N] [--players N] [--spectators N] [--strikes N] [--seed N] ...

Starts a private PostgreSQL, a private Mosquitto and the nodes, plays, and audits the journal afterwards. Without
--fault it tries all faults, one after the other. The exit status is 1 if a promise was broken.
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
    "| fault | seed | strikes | effects | games | paired | rated | moves | deliveries | reconnects | seconds "
    "| answer p50, p99, max ms | across p50, p99, max ms | recovery s | refused | ends | broken |"
)


def main() -> int:
    """Run the faults that the arguments select. Returns the exit status."""
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
    faults = "\n".join(f"  {name:20} {fault.description}" for name, fault in FAULTS.items())
    flaws = "\n".join(f"  {name:21} {flaw.__doc__}" for name, flaw in FLAWS.items())
    parser = argparse.ArgumentParser(
        prog="scripts/faults",
        description=(__doc__ or "").partition("\n")[0],
        epilog=f"faults:\n{faults}\n\nflaws:\n{flaws}",
        formatter_class=_Help,
    )
    parser.set_defaults(**asdict(Scale()))
    parser.add_argument(
        "--fault", action="append", choices=FAULTS, metavar="NAME", help="only this one; may be repeated"
    )
    parser.add_argument("--games", type=int, help="play at least this many games")
    parser.add_argument("--players", type=int, help="players, two to a table")
    parser.add_argument("--solo", type=int, help="more players, each against a computer")
    parser.add_argument("--seekers", type=int, help="more players, who find opponents by seek")
    parser.add_argument("--tables", nargs="+", choices=sorted(set(TABLES)), help="kinds of tables, in a cycle")
    parser.add_argument("--spectators", type=int, help="spectators, each at one table")
    parser.add_argument("--strikes", type=int, help="inject the fault at least this many times")
    parser.add_argument("--longest-s", type=float, help="longest duration of a fault, in seconds")
    parser.add_argument("--timeout-s", type=float, help="give up after this many seconds")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="seed of all random choices")
    parser.add_argument("--flaw", choices=FLAWS, help="a control: run nodes with this flaw")
    parser.add_argument("--keep-logs", type=Path, metavar="DIRECTORY", help="keep the logs of the nodes and the broker")
    return parser.parse_args()


class _Help(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Keeps the layout of the lists and shows the defaults."""


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
        counts(report.effects),
        report.games,
        report.paired,
        report.rated,
        f"{report.moves:,}",
        f"{report.deliveries:,}",
        f"{report.reconnects:,}",
        f"{report.seconds:.1f}",
        times(report.answers_s),
        times(report.across_s),
        ", ".join(f"{seconds:.1f}" for seconds in report.recoveries_s),
        counts(report.refusals),
        counts(report.ends),
        report.broken_count,
    )
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the processes it started are stopped
    os.umask(0o022)  # PostgreSQL's user must be able to read the files made here
    sys.exit(main())
