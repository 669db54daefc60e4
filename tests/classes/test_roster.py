"""Rosters as spreadsheets and people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.classes.roster import Student, UnusableRoster, read_roster


@pytest.mark.parametrize(
    "text",
    [
        "student,name\nada,Ada Lovelace\nben,\n",
        "\ufeffStudent;Name\r\nada;Ada Lovelace\r\n\r\nben;\r\n",
        "section,name , student\nA,Ada Lovelace, ada\n\nB,,ben",
        'student,name\nada,"Ada Lovelace"\nben',
        '"student";"name"\r\n"ada ";" Ada Lovelace"\r\n"ben";""\r\n',
        "name\tstudent\tgroup; part\nAda Lovelace\tada\tA\n\tben\tB\n",
        "student;room, floor;name\nada;1, 2;Ada Lovelace\nben;;\n",
    ],
)
def test_a_roster_can_be_written_in_many_ways(text: str) -> None:
    assert read_roster(text) == [Student("ada", "Ada Lovelace"), Student("ben", "ben")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must name its columns"),
        ("ada,Ada\n", "must name its columns"),
        ("student,name\n", "no students"),
        ("student\nAda\naDA\n", "line 3: aDA is there twice"),
        ("student\n../x\n", "line 2: '../x' is not an id"),
        ("student\n=1+1\n", "line 2: '=1\\+1' is not an id"),
        ("student\n.hidden\n", "is not an id"),
        ("student,name\n,Nameless\n", "line 2: '' is not an id"),
        ("student\n" + "a" * 33, "is not an id"),
        ("student\n" + "\n".join(f"s{number}" for number in range(501)), "more than 500"),
        ('student,name\nada,"' + "x" * 200_000, "line"),
    ],
)
def test_an_unusable_roster_says_why(text: str, words: str) -> None:
    with pytest.raises(UnusableRoster, match=words):
        read_roster(text)


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    for each in (text, "student,name\n" + text):
        try:
            students = read_roster(each)
        except UnusableRoster:
            continue
        assert not any("/" in student.id or student.id.startswith((".", "=", "-", "+", "@")) for student in students)


def test_names_are_anything_and_need_not_differ() -> None:
    text = 'student,name\n1,"M\u00fcller, Zo\u00eb \U0001f419"\n2,"M\u00fcller, Zo\u00eb \U0001f419"\nmu\u0308ller,\n'
    assert [(each.id, each.name) for each in read_roster(text)] == [
        ("1", "M\u00fcller, Zo\u00eb \U0001f419"),
        ("2", "M\u00fcller, Zo\u00eb \U0001f419"),
        ("m\u00fcller", "m\u00fcller"),
    ]
