import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", [pytest.param("engine.md", marks=pytest.mark.slow), "games.md"])
def test_printed_examples_run(name: str) -> None:
    result = doctest.testfile(str(DOCS / name), module_relative=False, encoding="utf-8")
    assert result.attempted > 0
    assert result.failed == 0
