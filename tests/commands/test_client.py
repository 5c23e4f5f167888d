"""The client: lines of a byte stream, errors of an answer."""

from __future__ import annotations

import pytest

from commands.client import Service, failure, split_lines
from schemas.errors import Conflict, LaomaError, TooMany, Unavailable
from tests.commands.scripted_service import KEY, Script


def test_lines_are_cut_at_line_feeds_only_and_characters_may_span_pieces() -> None:
    text = 'data: "\u2028好\x0b"\r\n\r\ndata: 2'.encode()
    pieces = [text[n : n + 1] for n in range(len(text))]
    assert list(split_lines(pieces)) == ['data: "\u2028好\x0b"', "", "data: 2"]


def test_an_openai_error_keeps_its_message_code_and_param() -> None:
    error = failure(409, b'{"error": {"message": "it changed", "code": "version_conflict", "param": "If-Match"}}', {})
    assert isinstance(error, Conflict)
    assert (error.message, error.code, error.param) == ("it changed", "version_conflict", "If-Match")


def test_retry_after_is_kept() -> None:
    assert failure(503, b"", {"retry-after": "7"}).retry_after == 7
    assert isinstance(failure(429, b"{}", {"retry-after": "soon"}), TooMany)


def test_a_page_that_is_no_json_is_quoted_shortly() -> None:
    error = failure(500, b"<html>" + b"x" * 10_000, {})
    assert type(error) is LaomaError
    assert error.message.startswith("the service answered 500: <html>")
    assert len(error.message) < 300


def test_something_that_is_not_laoma_is_named(service: Script) -> None:
    with pytest.raises(LaomaError, match="404"):
        Service(service.address, KEY).get("/v1/nothing")


def test_a_proxy_of_the_environment_is_not_asked(service: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert Service(service.address, KEY).get("/v1/models") == {"data": [{"id": "laoma"}]}


def test_nothing_listens_there() -> None:
    with pytest.raises(Unavailable, match="laoma up") as caught:
        Service("http://127.0.0.1:9", KEY).get("/v1/models")
    assert caught.value.code == "not_running"
