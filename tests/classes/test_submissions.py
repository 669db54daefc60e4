"""Which submission belongs to whom, which counts, and what is frozen of it."""

from __future__ import annotations

import os
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from noughts.classes.roster import Student
from noughts.classes.submissions import Found, Submission, choose, collect, freeze, owner, read_metadata

STUDENTS = [Student(each, each) for each in ("ada", "Ben", "12345", "ada_b", "cy-d.e", "m\u00fcller")]
IDS = {student.id.casefold(): student.id for student in STUDENTS}
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("ada.py", "ada"),
        ("ADA.PY", "ada"),
        ("ada", "ada"),
        ("ada_bot_v2.py", "ada"),
        ("ada_b.py", "ada_b"),
        ("ada_b_bot.py", "ada_b"),
        ("BEN_ada.py", "Ben"),
        ("cy-d.e_bot.py", "cy-d.e"),
        # Canvas: the name, LATE if so, the user's and the submission's number, the file.
        ("lovelacecy_12345_67890_bot.py", "12345"),
        ("lovelacecy_LATE_12345_67890_bot-1.py", "12345"),
        # Moodle: the name, the number of the participant, the plug-in.
        ("Cy Lovelace_12345_assignsubmission_file_", "12345"),
        ("Cy Lovelace_12345_assignsubmission_file_bot.py", "12345"),
        # The end of a name is the student's choice, and takes nobody's place.
        ("lovelacecy_12345_67890_ada.py", "12345"),
        ("mu\u0308ller.py", "m\u00fcller"),  # macOS takes letters apart
        ("adam.py", None),
        ("bot.py", None),
        ("123456.py", None),
    ],
)
def test_a_name_tells_whose_submission_it_is(name: str, student: str | None) -> None:
    assert owner(name, IDS) == student


def write(path: Path, minutes: int, text: str = "def choose(state): ...") -> None:
    """A file that was last changed so many minutes after noon."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    at = (NOON + timedelta(minutes=minutes)).timestamp()
    os.utime(path, (at, at))


def test_submissions_are_found_with_their_times(tmp_path: Path) -> None:
    write(tmp_path / "ada_2.py", 5)
    write(tmp_path / "ada_1.py", 3)
    write(tmp_path / "ben/bot.py", 1)
    write(tmp_path / "ben/lib/helper.py", 9)
    write(tmp_path / "readme.txt", 0)
    write(tmp_path / ".DS_Store", 0)
    write(tmp_path / "__MACOSX/ada.py", 0)
    found, nobodys = collect(tmp_path, STUDENTS)
    assert [(each.path.name, each.at) for each in found["ada"]] == [
        ("ada_1.py", NOON + timedelta(minutes=3)),
        ("ada_2.py", NOON + timedelta(minutes=5)),
    ]
    assert [each.at for each in found["Ben"]] == [NOON + timedelta(minutes=9)]
    assert found["12345"] == []
    assert nobodys == ["readme.txt"]


def test_an_export_of_gradescope_is_taken_as_it_is(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        write(tmp_path / f"submission_{number}/bot.py", 60)
    (tmp_path / "submission_metadata.yml").write_text(
        "submission_1:\n  :submitters:\n  - :sid: ada\n  - :sid: BEN\n  :created_at: 2026-11-22 12:05:00 Z\n"
        "submission_2:\n  :submitters:\n  - :sid: ada\nsubmission_3:\n  :submitters:\n  - :sid: zoe\n"
    )
    found, nobodys = collect(tmp_path, STUDENTS)
    first, second = NOON + timedelta(minutes=5), NOON + timedelta(minutes=60)
    assert [(each.path.name, each.at) for each in found["ada"]] == [("submission_1", first), ("submission_2", second)]
    assert [each.at for each in found["Ben"]] == [first]
    assert nobodys == ["submission_3"]


def handed_in(*minutes: int) -> list[Found]:
    return [Found(Path(f"at{each}.py"), NOON + timedelta(minutes=each)) for each in minutes]


@pytest.mark.parametrize(
    ("minutes", "late", "name", "late_s", "problem"),
    [
        ((), True, None, 0, "no submission"),
        ((-9, -3), False, "at-3.py", 0, ""),
        ((-9, -3, 5), False, "at-3.py", 0, ""),
        ((-9, -3, 5), True, "at-3.py", 0, ""),
        ((0,), False, "at0.py", 0, ""),
        ((5, 8), False, None, 480, "late"),
        ((5, 8), True, "at8.py", 480, ""),
    ],
)
def test_the_last_one_before_the_deadline_counts(
    minutes: tuple[int, ...], late: bool, name: str | None, late_s: int, problem: str
) -> None:
    chosen, seconds, why = choose(handed_in(*minutes), NOON, late=late)
    assert (chosen and chosen.path.name, seconds, why) == (name, late_s, problem)


def test_without_a_deadline_the_last_one_counts() -> None:
    chosen, seconds, _ = choose(handed_in(-9, 500), None, late=False)
    assert (chosen and chosen.path.name, seconds) == ("at500.py", 0)


def frozen(tmp_path: Path, name: str) -> Submission:
    return freeze("ada", Found(tmp_path / name, NOON), tmp_path / "frozen" / "ada")


def test_a_file_is_copied_and_cannot_be_changed_afterwards(tmp_path: Path) -> None:
    write(tmp_path / "ada.py", 0, "one")
    first = frozen(tmp_path, "ada.py")
    assert (first.problem, first.source, first.at) == ("", "ada.py", NOON)
    assert first.main == tmp_path / "frozen/ada/bot.py"
    write(tmp_path / "ada.py", 0, "two")
    assert first.main.read_text() == "one"
    assert not first.main.stat().st_mode & 0o222
    other = freeze("ada", Found(tmp_path / "ada.py", NOON), tmp_path / "frozen" / "again")
    assert len(first.sha256) == 64
    assert first.sha256 != other.sha256


def test_a_folder_is_copied_with_what_the_bot_imports(tmp_path: Path) -> None:
    for name in ("bot.py", "lib/helper.py", "weights.bin", "__pycache__/bot.pyc"):
        write(tmp_path / "ada" / name, 0)
    found = frozen(tmp_path, "ada")
    assert found.main == tmp_path / "frozen/ada/bot.py"
    copied = {path.relative_to(tmp_path / "frozen/ada").as_posix() for path in (tmp_path / "frozen/ada").rglob("*.*")}
    assert copied == {"bot.py", "lib/helper.py", "weights.bin"}


@pytest.mark.parametrize(
    ("files", "main", "problem"),
    [
        (["mine.py"], "mine.py", ""),
        (["src/mine.py"], "src/mine.py", ""),
        (["src/bot.py", "src/helper.py"], "src/bot.py", ""),
        (["a/b/bot.py", "bot.py"], "bot.py", ""),
        (["one.py", "two.py"], None, "2 Python files, and none is called bot.py"),
        (["bot.c"], None, "no Python file"),
    ],
)
def test_the_program_in_a_folder_is_found(tmp_path: Path, files: list[str], main: str | None, problem: str) -> None:
    for file in files:
        write(tmp_path / "ada" / file, 0)
    found = frozen(tmp_path, "ada")
    assert found.problem == problem
    assert found.main == (tmp_path / "frozen/ada" / main if main else None)


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "secret.txt", 0, "the exam")
    write(tmp_path / "private/exam.py", 0, "the exam")
    write(tmp_path / "ada/bot.py", 0)
    (tmp_path / "ada/notes.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "ada/lib").symlink_to(tmp_path / "private")
    frozen(tmp_path, "ada")
    assert [path.name for path in (tmp_path / "frozen/ada").rglob("*")] == ["bot.py"]
    (tmp_path / "link.py").symlink_to(tmp_path / "private/exam.py")
    found = freeze("ada", Found(tmp_path / "link.py", NOON), tmp_path / "frozen" / "link")
    assert found.problem == "no Python file"


def test_an_upload_of_everything_is_refused(tmp_path: Path) -> None:
    for number in range(501):
        write(tmp_path / "ada" / f"{number}.txt", 0)
    assert frozen(tmp_path, "ada").problem == "more than 500 files or 50 MiB"
    with (tmp_path / "large.py").open("wb") as file:
        file.truncate(51 * 2**20)
    assert freeze("ada", Found(tmp_path / "large.py", NOON), tmp_path / "x").problem.startswith("more than")


def archive(path: Path, files: dict[str, str], link: str | None = None) -> Found:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as found:
        for name, text in files.items():
            found.writestr(name, text)
        if link is not None:
            entry = zipfile.ZipInfo(link)
            entry.external_attr = 0o120777 << 16
            found.writestr(entry, "/etc/passwd")
    return Found(path, NOON)


def test_a_zip_archive_is_unpacked(tmp_path: Path) -> None:
    files = {"mine/bot.py": "one", "mine/lib/helper.py": "two", "__MACOSX/mine/._bot.py": "x", "mine/.git/config": "x"}
    found = freeze("ada", archive(tmp_path / "ada.zip", files), tmp_path / "frozen")
    assert found.problem == ""
    assert found.main == tmp_path / "frozen/mine/bot.py"
    assert found.main.read_text() == "one"
    assert {path.name for path in (tmp_path / "frozen").rglob("*") if path.is_file()} == {"bot.py", "helper.py"}


def test_a_zip_archive_writes_only_into_its_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    files = {"../outside.py": "x", str(outside): "x", "a/../../outside.py": "x", "bot.py": "one"}
    found = freeze("ada", archive(tmp_path / "ada.zip", files, link="notes.txt"), tmp_path / "deep" / "frozen")
    assert found.problem == ""
    assert [path.name for path in (tmp_path / "deep").rglob("*") if path.is_file()] == ["bot.py"]
    assert not outside.exists()


@pytest.mark.parametrize(
    "files", [{"bot.py": "x" * (51 * 2**20)}, {f"{number}.py": "x" for number in range(501)}], ids=["bytes", "files"]
)
def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, files: dict[str, str]) -> None:
    found = archive(tmp_path / "ada.zip", files)
    assert found.path.stat().st_size < 2**20
    damaged = bytearray(found.path.read_bytes())
    damaged[36] ^= 0xFF  # in what is packed: unpacking would fail
    found.path.write_bytes(damaged)
    assert freeze("ada", found, tmp_path / "frozen").problem == "more than 500 files or 50 MiB"
    assert not (tmp_path / "frozen").exists()


def test_a_damaged_zip_archive_is_a_problem_of_its_student(tmp_path: Path) -> None:
    whole = archive(tmp_path / "ada.zip", {"bot.py": "one" * 1000}).path.read_bytes()
    for number, damaged in enumerate((b"", b"PK", whole[:50], whole[:40] + b"?" + whole[41:])):
        (tmp_path / "ada.zip").write_bytes(damaged)
        found = freeze("ada", Found(tmp_path / "ada.zip", NOON), tmp_path / f"frozen{number}")
        assert found.problem == "an unreadable zip archive"


def test_what_cannot_be_copied_is_a_problem_of_its_student(tmp_path: Path) -> None:
    for number, files in enumerate(({"a": "x", "a/bot.py": "x"}, {f"{'x' * 300}.py": "x"})):
        found = freeze("ada", archive(tmp_path / "ada.zip", files), tmp_path / f"frozen{number}")
        assert found.problem.startswith("it cannot be copied: ")
        assert found.main is None


def test_damaged_data_of_every_method_is_a_problem_of_its_student(tmp_path: Path) -> None:
    path = tmp_path / "ada.zip"
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(path, "w", method) as made:
            made.writestr("bot.py", "one" * 1000)
        data = bytearray(path.read_bytes())
        data[40:50] = bytes(each ^ 255 for each in data[40:50])
        path.write_bytes(data)
        assert freeze("ada", Found(path, NOON), tmp_path / "frozen").problem == "an unreadable zip archive"


EXPORT = """---
submission_409:
  :submitters:
  - :name: 'Lovelace, Ada'
    :sid: '12345'
    :email: ada@example.org
  :created_at: 2026-11-22 17:34:00.861687000 Z
  :score: 2.0
  :graders:
  - :sid: '777'
  :results:
    output: |-
      submission_7:
        :sid: '999'
  :history:
  - :id: 408
    :submitters:
    - :name: Eve
      :sid: '666'
    :created_at: 2026-11-20 10:00:00.000000000 Z
submission_410:
  :submitters:
  - :sid: ben
    :name: Ben
  - :name: Cy
    :sid: "cy-d.e"
  :created_at: 2026-11-22 10:34:00 -07:00
submission_411:
  :submitters: []
  :created_at: soon
"""


def test_each_folder_has_its_submitters_and_its_time() -> None:
    found = read_metadata(EXPORT)
    assert {name: (each.students, each.at) for name, each in found.items()} == {
        "submission_409": (["12345"], datetime(2026, 11, 22, 17, 34, 0, 861687, UTC)),
        "submission_410": (["ben", "cy-d.e"], datetime(2026, 11, 22, 17, 34, tzinfo=UTC)),
        "submission_411": ([], None),
    }


def test_any_other_text_has_no_submissions() -> None:
    assert read_metadata(":sid: 5\n  :submitters:\n  - :sid: 5\n") == {}
