from __future__ import annotations

import hashlib
import re

from noughts.players.tokens import code_hash, device_id, new_join_code, new_recovery_code, new_token, token_hash


def test_tokens_cannot_be_guessed() -> None:
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(re.fullmatch("[A-Za-z0-9_-]{43}", token) for token in tokens)


def test_a_token_is_stored_as_its_sha_256() -> None:
    assert token_hash("token") == hashlib.sha256(b"token").digest()


def test_a_device_has_an_id_that_is_not_its_token() -> None:
    ids = {device_id(token_hash(str(number))) for number in range(1000)}
    assert len(ids) == 1000
    assert all(re.fullmatch("[a-z2-7]{16}", each) for each in ids)


def test_codes_cannot_be_guessed() -> None:
    joins, recoveries = {new_join_code() for _ in range(1000)}, {new_recovery_code() for _ in range(1000)}
    assert len(joins) == len(recoveries) == 1000
    assert all(re.fullmatch("[a-z2-7]{16}", code) for code in joins)
    assert all(re.fullmatch("([a-z2-7]{4}-){5}[a-z2-7]{4}", code) for code in recoveries)


def test_a_code_may_be_typed_with_other_blanks_dashes_and_case() -> None:
    assert code_hash("abcd-efgh") == code_hash(" ABCDEF GH ") == hashlib.sha256(b"abcdefgh").digest()
    assert code_hash("abcd-efgh") != code_hash("abcd-efgi")
