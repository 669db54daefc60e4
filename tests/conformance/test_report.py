from __future__ import annotations

import json

from noughts.conformance.report import SHOWN, Check, Fault, as_json, as_text, summary

GOOD = Check("a room")
BAD = Check("a move", Fault("it is wrong", ["> {}", f"< {'x' * 2000}"]))


def test_people_read_a_line_for_each_check_and_what_shows_a_fault() -> None:
    assert list(as_text(GOOD)) == ["ok      a room"]
    first, sent, came = as_text(BAD)
    assert first == "FAILED  a move: it is wrong"
    assert sent.strip() == "> {}"
    assert len(came) < SHOWN + 50
    assert came.endswith("... (2002 characters)")


def test_the_last_line_counts() -> None:
    assert summary([GOOD]) == "1 check, all ok."
    assert summary([GOOD, BAD]) == "1 of 2 checks failed."


def test_programs_read_all_of_it() -> None:
    read = json.loads(as_json("a server", [GOOD, BAD]))
    assert (read["subject"], read["ok"]) == ("a server", False)
    assert read["checks"][0] == {"check": "a room", "ok": True}
    assert read["checks"][1]["quotes"] == ["> {}", f"< {'x' * 2000}"]
    assert json.loads(as_json("a server", [GOOD]))["ok"]


def test_what_is_quoted_cannot_command_the_terminal() -> None:
    words = "".join(as_text(Check("a move", Fault("it said \x1b[2J", ["< \x1b]0;title\x07"]))))
    assert words == "FAILED  a move: it said ?[2J          < ?]0;title?"
