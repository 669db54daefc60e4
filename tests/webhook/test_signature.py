"""Signatures as the specification has them, and the check in docs/bots.md."""

from __future__ import annotations

import re
import time
from base64 import b64decode
from pathlib import Path
from typing import Any

from noughts.webhook.signature import shown_secret, signed_headers

BOTS = Path(__file__).parents[2] / "docs" / "bots.md"


def test_a_signature_is_that_of_the_specification() -> None:
    """The example of the specification's own libraries."""
    secret = b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    headers = signed_headers(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    assert shown_secret(secret) == "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_the_check_in_the_docs_tells_true_from_false() -> None:
    source = re.search(r"```python\n(import hmac.*?)```", BOTS.read_text(encoding="utf-8"), re.DOTALL)
    assert source is not None
    assert len(source[1].strip().splitlines()) <= 10
    names: dict[str, Any] = {}
    exec(source[1], names)
    is_from_noughts, secret, body, now = names["is_from_noughts"], b"s" * 32, b'{"type":"your_move"}', int(time.time())
    shown = shown_secret(secret)
    headers = signed_headers(secret, "room-4-p", now, body)
    assert is_from_noughts(shown, headers, body)
    assert not is_from_noughts(shown, headers, body + b" ")
    assert not is_from_noughts(shown_secret(b"t" * 32), headers, body)
    assert not is_from_noughts(shown, {**headers, "webhook-id": "room-5-p"}, body)
    assert not is_from_noughts(shown, signed_headers(secret, "room-4-p", now - 601, body), body), "an old one"
