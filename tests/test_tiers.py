"""The default tier needs only Python, and nothing is skipped in CI."""

from __future__ import annotations

import pytest

from support.programs import missing, program


def test_a_default_test_must_not_start_programs() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"mark it with pytest\.mark\.services"):
        program("python3")


@pytest.mark.slow
def test_a_slow_test_may_start_programs() -> None:
    assert program("python3")


def test_a_missing_program_is_a_skip_outside_ci_and_a_failure_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="caddy is not installed"):
        missing("caddy")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="caddy is not installed"):
        missing("caddy")
