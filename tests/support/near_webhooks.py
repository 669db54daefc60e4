"""``noughts`` that calls webhooks on this machine, too, and soon again after a failure: for tests of whole servers."""

from __future__ import annotations

from noughts.cli.main import main
from noughts.journal import webhooks
from noughts.webhook.call import post

if __name__ == "__main__":
    assert post.__kwdefaults__ is not None
    post.__kwdefaults__["allowed"] = lambda address: address == "127.0.0.1"
    webhooks._TAKE = webhooks._TAKE.replace(str(webhooks.RETRY_MS), "500")
    main()
