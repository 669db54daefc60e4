from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules
from typing import get_args, get_type_hints

import pytest

from noughts import features, gateway
from noughts.gateway.replies import Error, Problem
from noughts.host import Failed
from noughts.protocol.parsing import BadRequest, parse
from noughts.protocol.words import ErrorCode
from noughts.rooms import RefusalCode

MODULES = [
    import_module(module.name)
    for package in (features, gateway)
    for module in iter_modules(package.__path__, f"{package.__name__}.")
]
ERRORS = {name: error for module in MODULES for name, error in vars(module).items() if isinstance(error, Error)}


def codes(alias: object) -> set[str]:
    """The strings of a ``Literal``, or of a union of them."""
    return {code for each in get_args(alias) for code in ({each} if isinstance(each, str) else codes(each))}


def test_every_error_code_has_a_source() -> None:
    with pytest.raises(BadRequest) as not_json:
        parse("{")
    in_the_table = {error.code for error in ERRORS.values()}
    from_the_host = codes(get_type_hints(Failed.__init__)["code"])
    assert in_the_table | codes(RefusalCode) | from_the_host | {not_json.value.code} == codes(ErrorCode)


@pytest.mark.parametrize("name", ERRORS)
def test_a_problem_fills_in_its_message(name: str) -> None:
    error = ERRORS[name]
    values = {field: f"<{field}>" for field in re.findall(r"{(\w+)", error.message)}
    problem = Problem(error, retry_after_s=0.12345, **values)
    assert (problem.code, problem.retry_after_s) == (error.code, 0.124)
    assert "{" not in problem.message
    assert all(value in problem.message for value in values.values())
