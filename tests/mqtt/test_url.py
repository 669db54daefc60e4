"""URLs of brokers."""

from __future__ import annotations

import traceback

import pytest

from noughts.mqtt.url import parse


@pytest.mark.parametrize("url", ["http://localhost", "mqtt://", "localhost", "mqtt://host/topic", "mqtt://host:port"])
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="MQTT"):
        parse(url)


@pytest.mark.parametrize("password", ["s3cr?et", "s3cr/et", "s3cr#et", "s3cr[et", "s3cr\u2100et", "12?34", "12#34"])
def test_a_password_that_is_not_encoded_is_refused_without_quoting_it(password: str) -> None:
    with pytest.raises(ValueError, match="percent-encoded") as caught:
        parse(f"mqtt://user:{password}@host")
    assert "s3cr" not in str(caught.value)
    assert "s3cr" not in "".join(traceback.format_exception(caught.value)[1:])


def test_a_url_gives_host_port_and_account() -> None:
    plain = parse("mqtt://h")
    assert (plain.host, plain.port, plain.user, plain.password, plain.tls) == ("h", 1883, None, None, None)
    full = parse("mqtts://n%40x:p@[::1]:99", password="q")
    assert (full.host, full.port, full.user, full.password) == ("::1", 99, "n@x", "q")
    assert full.tls is not None
    assert parse("mqtts://h").port == 8883
