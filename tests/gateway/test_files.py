from __future__ import annotations

import gzip

from websockets.datastructures import Headers
from websockets.http11 import Request

from noughts.gateway.files import answered, file_of

FILE = file_of("text/plain", b"one " * 100)


def test_a_file_is_compressed_for_those_who_can_read_it() -> None:
    plain = answered(FILE, Request("/", Headers()), '"1"', "no-cache")
    packed = answered(FILE, Request("/", Headers({"Accept-Encoding": "br, gzip"})), '"1"', "no-cache")
    assert gzip.decompress(packed.body) == plain.body == FILE.body
    assert len(packed.body) < len(plain.body) / 5
    for answer in (plain, packed):
        assert answer.status_code == 200
        assert answer.headers["Content-Length"] == str(len(answer.body))
        assert (answer.headers["ETag"], answer.headers["Cache-Control"]) == ('"1"', "no-cache")


def test_a_file_is_not_sent_to_those_who_have_it() -> None:
    answer = answered(FILE, Request("/", Headers({"If-None-Match": 'W/"0", "1"'})), '"1"', "no-cache")
    assert (answer.status_code, answer.body, answer.headers["ETag"]) == (304, b"", '"1"')


def test_a_header_may_be_spread_over_several_lines() -> None:
    headers = Headers([("Accept-Encoding", "br"), ("Accept-Encoding", "gzip")])
    assert answered(FILE, Request("/", headers), '"1"', "no-cache").headers["Content-Encoding"] == "gzip"
    headers = Headers([("If-None-Match", '"0"'), ("If-None-Match", '"1"')])
    assert answered(FILE, Request("/", headers), '"1"', "no-cache").status_code == 304
