"""``noughts webhook`` against a real server."""

from __future__ import annotations

import pytest

from noughts_client.terminal.credentials import register
from noughts_client.terminal.webhooks import lines_of, webhook
from support.server import running_server


async def test_a_webhook_is_set_shown_and_ended(capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server(webhooks=True) as url:
        assert await webhook(None, url) == 1
        assert capsys.readouterr().err == f"noughts webhook: You have no name at {url}. Run: noughts register NAME\n"
        assert await register("ann", url, None) == 0
        capsys.readouterr()
        assert await webhook(None, url) == 0
        assert capsys.readouterr().out.startswith("No URL is called when it is your move.")
        assert await webhook("https://192.0.2.1/hook", url) == 0
        shown = capsys.readouterr().out
        assert shown.startswith("url        https://192.0.2.1/hook\nlast call  ")
        assert "\nsecret     whsec_" in shown
        assert await webhook("ftp://club.example/", url) == 1
        assert await webhook("http://club.example/", url) == 1
        assert capsys.readouterr().err.endswith("noughts webhook: The URL must begin with https://.\n")
        assert await webhook("off", url) == 0
        assert capsys.readouterr().out.startswith("No URL is called when it is your move.")


def test_how_the_last_call_went_is_shown() -> None:
    told = lines_of(
        {
            "type": "webhook",
            "url": "https://club.example/",
            "secret": "whsec_x",
            "tried_at": "2026-11-24T12:34:56.000Z",
            "outcome": "it was refused (404)",
        }
    )
    assert told[1] == "last call  it was refused (404), 2026-11-24 12:34 UTC"
