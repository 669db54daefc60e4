"""The metadata in an export of Gradescope."""

from __future__ import annotations

from datetime import UTC, datetime

from noughts.classes.gradescope import read_metadata

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
