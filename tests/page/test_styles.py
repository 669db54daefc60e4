"""The page's styles: no rule twice."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from noughts_client.page import FOLDER

LONG = 5
"""So many declarations alike under two selectors are one rule that was copied; fewer may be alike by chance."""

Rule = tuple[str, str, tuple[str, ...]]
"""The conditions around a rule, its selector, and its declarations in alphabetical order."""


def rules(css: str, within: str = "") -> Iterator[Rule]:
    """The rules of a stylesheet, without keyframes."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    at = 0
    while (begin := css.find("{", at)) >= 0:
        head = " ".join(css[at:begin].split())
        depth, end = 1, begin
        while depth:
            end += 1
            depth += {"{": 1, "}": -1}.get(css[end], 0)
        body = css[begin + 1 : end]
        if head.startswith("@keyframes"):
            pass
        elif head.startswith("@"):
            yield from rules(body, f"{within} {head}")
        else:
            yield within, head, tuple(sorted(part.strip() for part in body.split(";") if part.strip()))
        at = end + 1


def twice(sheets: dict[str, str]) -> list[str]:
    """Rules that are written twice: a selector in one sheet, or a long rule anywhere."""
    places: defaultdict[object, list[str]] = defaultdict(list)
    for name, css in sheets.items():
        for within, selector, body in rules(css):
            places[name, within, selector].append(f"{selector} in {name}")
            if len(body) >= LONG:
                places["", within, body].append(f"{selector} in {name}")
    return [", ".join(found) for found in places.values() if len(found) > 1]


def test_no_rule_of_css_is_there_twice() -> None:
    sheets = {path.name: path.read_text() for path in sorted(FOLDER.glob("*.css"))}
    assert sum(len(list(rules(css))) for css in sheets.values()) > 500, "the styles are read"
    assert twice(sheets) == []


def test_a_rule_that_is_there_twice_is_found() -> None:
    long = "a: 1; b: 2; c: 3; d: 4; e: 5"
    assert twice({"one.css": ".a { a: 1 } .a { b: 2 }"}) == [".a in one.css, .a in one.css"]
    assert twice({"one.css": f".a {{ {long} }}", "two.css": f".b {{ {long}; }}"}) == [".a in one.css, .b in two.css"]
    assert twice({"one.css": f".a {{ {long} }} @media print {{ .a {{ {long} }} }}", "two.css": ".a { b: 2 }"}) == []
