from __future__ import annotations

import hashlib
import re

from noughts.players.tokens import new_token, token_hash, unusable_hash


def test_tokens_cannot_be_guessed() -> None:
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(re.fullmatch("[A-Za-z0-9_-]{43}", token) for token in tokens)


def test_a_token_is_stored_as_its_sha_256() -> None:
    assert token_hash("token") == hashlib.sha256(b"token").digest()


def test_an_unusable_hash_has_the_form_of_a_hash() -> None:
    assert len(unusable_hash()) == len(token_hash(""))
    assert unusable_hash() != unusable_hash()
