"""Signs what is sent, as the Standard Webhooks specification has it (https://www.standardwebhooks.com). Pure.

Libraries in many languages check it, and so do ten lines of Python in docs/bots.md.
"""

from __future__ import annotations

import hmac
from base64 import b64encode

SECRET_BYTES = 32


def shown_secret(secret: bytes) -> str:
    """The secret as a receiver keeps it: ``whsec_`` and Base64."""
    return "whsec_" + b64encode(secret).decode()


def signed_headers(secret: bytes, message_id: str, at_s: int, body: bytes) -> dict[str, str]:
    """The headers with which a receiver sees who sent ``body`` and when, in seconds since the epoch.

    ``message_id`` is the same for each attempt, so a receiver that got one before can leave the other out.
    """
    signed = f"{message_id}.{at_s}.".encode() + body
    signature = b64encode(hmac.digest(secret, signed, "sha256")).decode()
    return {"webhook-id": message_id, "webhook-timestamp": str(at_s), "webhook-signature": f"v1,{signature}"}
