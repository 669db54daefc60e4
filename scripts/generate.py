"""Writes what is generated: the JSON Schema and the AsyncAPI document of the protocol, and tables in the docs.

Without arguments it writes. With ``--check`` it writes nothing, and names what is not as it would write it. A table
stands in its document between ``<!-- NAME: scripts/generate.py writes this -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import noughts
from noughts.cli.settings import SECTIONS, default_of
from noughts.config import Settings
from noughts.protocol.contract import answers_in, document, schema, transcript
from noughts.protocol.words import CLOSES, ERRORS, REASONS, Meaning

ROOT = Path(__file__).parents[1]
ASYNCAPI = Path("server/noughts/protocol/asyncapi.json")


def table(*rows: Iterable[str]) -> str:
    """A Markdown table, whose first row is the head."""
    head, *others = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([head, "|---" * (head.count("|") - 1) + "|", *others])


def meanings(title: str, codes: Mapping[str, Meaning]) -> str:
    """A table of codes."""
    return table((title, "when", "what to do"), *((code, each.when, each.advice) for code, each in codes.items()))


def settings() -> str:
    """A table for each group of settings, as ``noughts serve --help`` has them."""
    groups: list[list[str]] = []
    for name in Settings.model_fields:
        if name in SECTIONS:
            groups.append([name])
        else:
            groups[-1].append(name)
    return "\n\n".join(
        f"**{SECTIONS[names[0]]}**\n\n" + table(("option", "default", "meaning"), *([*row(name)] for name in names))
        for names in groups
    )


def row(name: str) -> Iterable[str]:
    """A setting as cells."""
    description = Settings.model_fields[name].description
    assert description is not None
    return f"`--{name.replace('_', '-')}`", default_of(name), description


def limits() -> str:
    """A table of the limits without a setting, as the modules that have them describe them in ``STOPS``."""
    package = Path(noughts.__file__).parent
    rows: list[tuple[str, str]] = []
    for path in sorted(package.rglob("*.py")):
        if re.search("^STOPS = ", path.read_text(encoding="utf-8"), re.MULTILINE):
            module = import_module(".".join(path.relative_to(package.parent).with_suffix("").parts))
            rows += [(f"`{name}`", whom) for name, whom in module.STOPS.items()]
    return table(("limit", "whom it stops"), *rows)


def fields(of: Iterable[str]) -> list[str]:
    """The names of a message's fields, each once, but for those that every message has."""
    return [name for name in dict.fromkeys(of) if name not in ("id", "type")]


def requests() -> str:
    """A table of the requests, from their models and from the answers in the transcripts."""
    definitions = schema()["$defs"]
    answers = answers_in(transcript((ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")))
    rows = []
    for side in definitions["AnyRequest"]["oneOf"]:
        model = definitions[side["$ref"].rpartition("/")[2]]
        types = model["properties"]["type"].get("enum") or [model["properties"]["type"]["const"]]
        takes = [
            f"`{name}`{'' if name in model['required'] else '?'}{values(model['properties'][name], definitions)}"
            for name in fields(model["properties"])
        ]
        shown = answers.get(types[0], [{"type": "ok"}])
        kind = shown[0]["type"]  # "ok" has other fields with each request; the schema has those of any other message
        gives = fields(key for each in shown for key in each) if kind == "ok" else []
        answer = f"`{kind}`" + (f" {{{', '.join(gives)}}}" if gives else "")
        does = " ".join(model["description"].split()).replace("``", "`").replace("None", "null")
        rows.append((", ".join(f"`{each}`" for each in types), "; ".join(takes), answer, does))
    return table(("request", "fields", "answer", "what it does"), *rows)


def values(field: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """The values of a field, with a colon before it; nothing for any string, number or boolean."""
    each = [some for some in field.get("anyOf", [field]) if some != {"type": "null"}]
    put = [found for some in each if (found := value(some, definitions))]
    default = f", by default `{field['default']}`" if field.get("default") and isinstance(field["default"], str) else ""
    return f": {' or '.join(put)}{default}" if put else ""


def value(field: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """The values of one kind."""
    if "Clock" in field.get("$ref", ""):
        return ""  # the page has a section on clocks
    if "$ref" in field:
        return value(definitions[field["$ref"].rpartition("/")[2]], definitions)
    match field:
        case {"enum": words}:
            return " or ".join(f"`{word}`" for word in words)
        case {"type": "integer" | "number", "minimum": least, "maximum": most} if most < 2**53:
            return f"{least:g} to {most:g}"
        case {"type": "array"}:
            return "a list"
        case {"properties": properties}:
            return f"{{{', '.join(f'`{name}`{values(each, definitions)}' for name, each in properties.items())}}}"
    return ""


TABLES: dict[str, dict[str, Callable[[], str]]] = {
    "docs/protocol.md": {
        "requests": requests,
        "reasons": lambda: table(("reason", "when"), *((f"`{reason}`", when) for reason, (when, _) in REASONS.items())),
        "errors": lambda: meanings("code", {f"`{code}`": meaning for code, meaning in ERRORS.items()}),
        "close codes": lambda: meanings("close code", {str(code): meaning for code, meaning in CLOSES.items()}),
    },
    "docs/operating.md": {"settings": settings, "limits": limits},
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
