"""Writes what is generated: the JSON Schema and the AsyncAPI document of the protocol, and tables in the docs.

Without arguments it writes. With ``--check`` it writes nothing, and names what is not as it would write it. A table
stands in its document between ``<!-- NAME: scripts/generate.py writes this -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from noughts.cli.settings import SECTIONS, default_of, range_of
from noughts.config import Settings
from noughts.protocol.contract import document, schema
from noughts.protocol.words import CLOSES, ERRORS, Meaning

ROOT = Path(__file__).parents[1]
ASYNCAPI = Path("server/noughts/protocol/asyncapi.json")


def table(*rows: Iterable[str]) -> str:
    """A Markdown table, whose first row is the head."""
    head, *others = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([head, "|---" * (head.count("|") - 1) + "|", *others])


def meanings(title: str, codes: Mapping[str, Meaning]) -> str:
    """A table of codes."""
    rows = [(code, each.when, each.advice, "later" if each.retry else "no") for code, each in codes.items()]
    return table((title, "when", "what to do", "retry"), *rows)


def settings() -> str:
    """A table for each group of settings, as ``noughts serve --help`` has them."""
    groups: list[list[str]] = []
    for name in Settings.model_fields:
        if name in SECTIONS:
            groups.append([name])
        else:
            groups[-1].append(name)
    return "\n\n".join(
        f"**{SECTIONS[names[0]]}**\n\n"
        + table(("option", "default", "range", "meaning"), *([*row(name)] for name in names))
        for names in groups
    )


def row(name: str) -> Iterable[str]:
    """A setting as cells."""
    description = Settings.model_fields[name].description
    assert description is not None
    return f"`--{name.replace('_', '-')}`", default_of(name), range_of(name), description


TABLES: dict[str, dict[str, Callable[[], str]]] = {
    "docs/protocol.md": {
        "errors": lambda: meanings("code", {f"`{code}`": meaning for code, meaning in ERRORS.items()}),
        "close codes": lambda: meanings("close code", {str(code): meaning for code, meaning in CLOSES.items()}),
    },
    "docs/operating.md": {"settings": settings},
}


def with_tables(name: str, text: str) -> str:
    """``text``, that of the document ``name``, with its tables as they should be."""
    for title, made in TABLES[name].items():
        begin, end = f"<!-- {title}: scripts/generate.py writes this -->\n", "\n<!-- end -->"
        before, found, rest = text.partition(begin)
        _, ended, after = rest.partition(end)
        if not found or not ended:
            raise SystemExit(f"{name} has no place for the table of {title}: {begin}{end}")
        text = f"{before}{begin}\n{made()}\n{end}{after}"
    return text


def generated() -> dict[Path, str]:
    """Every generated file, with what should be in it."""
    found = {Path(name): with_tables(name, (ROOT / name).read_text(encoding="utf-8")) for name in TABLES}
    found[Path("docs/protocol.schema.json")] = json.dumps(schema(), indent=2) + "\n"
    found[ASYNCAPI] = json.dumps(document(found[Path("docs/protocol.md")]), indent=1) + "\n"
    return found


def main() -> int:
    """Write, or check. Returns the exit status."""
    parser = argparse.ArgumentParser(description="Write the generated files and tables of the project.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if something is out of date")
    check = parser.parse_args().check
    stale = [(path, text) for path, text in generated().items() if (ROOT / path).read_text(encoding="utf-8") != text]
    for path, text in stale:
        if check:
            print(f"{path} is out of date. Run: python scripts/generate.py", file=sys.stderr)
        else:
            (ROOT / path).write_text(text, encoding="utf-8")
            print(f"wrote {path}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
