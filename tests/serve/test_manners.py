"""HTTP manners: the right status and OpenAI's error shape for whatever comes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.serve.house import House


async def test_errors_have_openais_shape(house: House) -> None:
    client = house.as_("ming")
    for answer in (
        await client.get("/v1/nothing"),
        await client.put("/v1/recall"),
        await client.post("/v1/recall", json={}),
        await client.get("/v1/memories/none"),
    ):
        error = answer.json()["error"]
        assert set(error) == {"message", "type", "code", "param"}
        assert len(error["message"]) < 300
    assert [answer.status_code for answer in (await client.get("/v1/nothing"), await client.put("/v1/recall"))] == [404, 405]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe",
        '{"query": "我的猫"}'.encode("gbk"),
        b'{"query": 5}',
        b'{"query": ""}',
        b'{"query": "a", "limit": 0}',
        b'{"query": "a", "at": "yesterday"}',
        b'{"query": "a", "at": "2026-01-01T00:00:00"}',
        b'{"query": "a", "at": "0001-01-01T00:00:00+14:00"}',
        b'{"query": "a", "at": "9999-12-31T23:59:59-14:00"}',
        b'{"query": ' + b"[" * 5000,
        b'{"query": "\\ud83d"}',
    ],
)
async def test_bad_bodies_are_refused_with_400(house: House, body: bytes) -> None:
    answer = await house.as_("ming").post("/v1/recall", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["type"] == "invalid_request_error"


async def test_a_missing_content_type_is_read_as_json(house: House) -> None:
    request = house.as_("ming").build_request("POST", "/v1/recall", content=json.dumps({"query": "猫"}))
    request.headers.pop("content-type", None)
    assert (await house.as_("ming").send(request)).status_code == 200


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "😀" * 500, "‮abc", "x" * 8000])
async def test_strange_texts_are_searched_without_harm(house: House, text: str) -> None:
    await house.tell("ming", "我喜欢喝乌龙茶。")
    for route in ("/v1/recall", "/v1/turns/search"):
        assert (await house.as_("ming").post(route, json={"query": text})).status_code == 200


async def test_lone_surrogates_in_a_chat_reach_model_and_lake_as_whole_text(house: House) -> None:
    body = b'{"messages":[{"role":"user","content":"a\\ud83d\\ude00b"}]}'
    answer = await house.as_("ming").post("/v1/chat/completions", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200
    assert "a😀b" in house.model.prompt()
    body = b'{"messages":[{"role":"user","content":"a\\udc81"}]}'
    answer = await house.as_("ming").post("/v1/chat/completions", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (200, 400)


@pytest.mark.parametrize("extra", [b'"temperature": NaN', b'"temperature": 1e999', b'"x": ' + b"[" * 500 + b"]" * 500])
async def test_a_chat_that_no_server_could_read_is_refused_before_anything_is_stored(house: House, extra: bytes) -> None:
    body = b'{"messages":[{"role":"user","content":"hi"}], ' + extra + b"}"
    answer = await house.as_("ming").post("/v1/chat/completions", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400, answer.text
    assert (await house.as_("ming").get("/v1/conversations")).json()["data"] == []


async def test_head_and_options_answer_by_the_route(house: House) -> None:
    client = house.as_("ming")
    head = await client.head("/v1/memories")
    assert (head.status_code, head.content) == (200, b"")
    options = await client.options("/v1/memories")
    assert (options.status_code, options.headers["Allow"]) == (204, "DELETE, GET, HEAD, OPTIONS, POST")
    assert "access-control-allow-origin" not in options.headers
    assert (await client.options("/v1/nothing")).status_code == 404


async def test_a_body_over_the_limit_is_refused_before_it_is_read(house: House) -> None:
    answer = await house.as_("ming").post("/v1/recall", content=b"x" * (33 * 1024 * 1024))
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "body_too_large")


async def test_health_and_figures_need_no_key(house: House) -> None:
    client = house.as_("ming")
    await house.tell("ming", "我喜欢喝乌龙茶。")
    client.headers.pop("Authorization")
    assert (await client.get("/healthz")).json() == {"status": "ok"}
    ready = (await client.get("/readyz")).json()
    assert ready["ready"] is True
    assert ready["shards"][0]["figures"]["commits"] >= 1
    text = (await client.get("/metrics")).text
    assert 'laoma_requests_total{route="/v1/turns",status="200"} 1.0' in text
    assert "乌龙茶" not in text


async def test_a_chunked_body_over_the_limit_is_refused_too(house: House) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(33):
            yield b" " * 1024 * 1024

    answer = await house.as_("ming").post("/v1/recall", content=chunks())
    assert answer.status_code == 413
    assert "32 MiB" in answer.json()["error"]["message"]


async def test_the_reference_page_loads_nothing_from_elsewhere(house: House) -> None:
    page = await house.as_("ming").get("/docs")
    assert page.status_code == 200
    assert "/v1/turns/search" in page.text
    assert "://" not in page.text.replace("http://127.0.0.1", "")


async def test_the_openapi_document_is_complete(house: House) -> None:
    document: dict[str, Any] = (await house.as_("ming").get("/openapi.json")).json()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert operation.get("summary"), f"{method} {path}"
            assert operation.get("description"), f"{method} {path}"
            answers = operation["responses"]
            assert "422" not in answers
            success = next(answers[status] for status in ("200", "201", "202") if status in answers)
            assert next(iter(success["content"].values()))["schema"], f"{method} {path} does not say what it answers"
            if method in ("post", "put", "patch") and "requestBody" in operation:
                schema = next(iter(operation["requestBody"]["content"].values()))["schema"]
                name = str(schema.get("$ref") or schema["anyOf"][0]["$ref"]).rsplit("/", 1)[-1]
                assert document["components"]["schemas"][name].get("examples"), f"{name} has no example"


JSON_TYPE = "application/json"
FORM = "application/x-www-form-urlencoded"
SAID = [
    (
        b'{"query": "a',
        JSON_TYPE,
        "The body is no whole JSON: it breaks off at character 12. Was it cut short, or quoted wrongly by the shell?",
    ),
    (
        b'{"query": ',
        JSON_TYPE,
        "The body is no whole JSON: it breaks off at character 10. Was it cut short, or quoted wrongly by the shell?",
    ),
    (
        b"{'query': 'a'}",
        JSON_TYPE,
        "The body is no valid JSON at character 2, near \"'query': 'a'}\": Expecting property name enclosed in double quotes.",
    ),
    (b'{"query": "a"}', FORM, f"The body came as {FORM}: send JSON, with the header `Content-Type: application/json`."),
    (b'{"query": "a"}', "text/plain", "The body came as text/plain: send JSON, with the header `Content-Type: application/json`."),
    (b"", JSON_TYPE, "The body is missing: send JSON; /docs shows an example."),
    ('{"query": "我的猫"}'.encode("gbk"), JSON_TYPE, "The body can't be read: send JSON in UTF-8."),
    (b'{"querry": "a"}', JSON_TYPE, "query: is missing; /docs shows an example."),
    (b'{"query": "a", "lmit": 3}', JSON_TYPE, "lmit: there is no such field; /docs shows an example."),
]


@pytest.mark.parametrize(("body", "kind", "message"), SAID, ids=[str(number) for number in range(len(SAID))])
async def test_what_is_wrong_with_a_body_is_one_line_with_the_next_step(house: House, body: bytes, kind: str, message: str) -> None:
    answer = await house.as_("ming").post("/v1/recall", content=body, headers={"Content-Type": kind})
    assert (answer.status_code, answer.json()["error"]["message"]) == (400, message)


async def test_our_own_checks_speak_without_a_prefix(house: House) -> None:
    body = {"conversation_id": "..", "messages": [{"role": "user", "content": "x"}]}
    message = (await house.as_("ming").post("/v1/turns", json=body)).json()["error"]["message"]
    assert message.startswith("conversation_id: ")
    assert "Value error" not in message


async def test_a_wrong_address_says_where_the_right_ones_are(house: House) -> None:
    client = house.as_("ming")
    assert (await client.get("/v1/memory")).json()["error"]["message"] == "There is no /v1/memory here: /docs lists what there is."
    assert (await client.get("/v1/recall")).json()["error"]["message"] == "/v1/recall takes no GET: use POST."
    front = await client.get("/")
    assert (front.status_code, front.headers["location"]) == (307, "/docs")
