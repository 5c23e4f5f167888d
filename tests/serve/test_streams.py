"""What model servers and clients really do: odd streams, refusals, silence, and going away; through the gateway to a scripted server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import JSONResponse, Response

from memory.ports import Embedder
from schemas.settings import Http, Model, Settings
from serve.chat_model.openai_url import UrlModel
from tests.scripted_model import ScriptedModel, event, said
from tests.serve.house import House, open_house

ASK = {"messages": [{"role": "user", "content": "数到三"}], "stream": True}


@asynccontextmanager
async def scripted(home: Path, embedder: Embedder, *, keepalive_s: float = 15.0) -> AsyncIterator[tuple[House, ScriptedModel]]:
    async with ScriptedModel().serve() as model:
        port = UrlModel(Model(name="m", url=model.url), key=None)
        settings = Settings(http=Http(keepalive_s=keepalive_s))
        async with open_house(home, embedder, model=port, settings=settings) as house:
            yield house, model
        await port.close()


@pytest.fixture
async def pair(tmp_path: Path, embedder: Embedder) -> AsyncIterator[tuple[House, ScriptedModel]]:
    async with scripted(tmp_path, embedder) as both:
        yield both


def texts(answer: httpx.Response) -> str:
    return "".join(choice.get("delta", {}).get("content") or "" for chunk in chunks(answer) for choice in chunk.get("choices", []))


def chunks(answer: httpx.Response) -> list[dict[str, Any]]:
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


async def stored(house: House) -> list[tuple[str, str, bool]]:
    client = house.as_("ming")
    found = (await client.get("/v1/conversations")).json()["data"]
    turns = [turn for row in found for turn in (await client.get(f"/v1/conversations/{row['id']}")).json()["turns"]]
    return [(turn["role"], turn["content"], turn["interrupted"]) for turn in turns]


async def until(check: Any) -> None:
    """Wait, bounded, for what another task brings about."""
    for _ in range(200):
        if await check():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it never came about")


HAO = "好".encode()
ODD_STREAMS = {
    "comments, CRLF, no space, a character cut by packets": [
        b": keepalive\n\n",
        b"event: ping\ndata: \n\n",
        b'data:{"choices":[{"delta":{"content":"a' + HAO[:2],
        HAO[2:] + b'"}}]}\r\n\r\n',
    ],
    "empty choices and no end": [event({"choices": []}), said("a好"), event({"choices": [{"index": 0, "delta": {}}]})],
    "no newline at the very end": [said("a好").rstrip(b"\n")],
}


@pytest.mark.parametrize("name", ODD_STREAMS)
async def test_odd_streams_arrive_whole_and_end_well(pair: tuple[House, ScriptedModel], name: str) -> None:
    house, model = pair
    model.packets = [*ODD_STREAMS[name]]
    answer = await house.as_("ming").post("/v1/chat/completions", json=ASK)
    assert texts(answer) == "a好"
    assert chunks(answer)[-1]["choices"][0]["finish_reason"] == "stop"
    assert await stored(house) == [("user", "数到三", False), ("assistant", "a好", False)]


async def test_a_stream_of_nothing_ends_well_and_stores_no_reply(pair: tuple[House, ScriptedModel]) -> None:
    house, model = pair
    model.packets = [event({"choices": []})] * 3
    answer = await house.as_("ming").post("/v1/chat/completions", json=ASK)
    assert texts(answer) == ""
    assert await stored(house) == [("user", "数到三", False)]


async def test_surrogate_halves_split_over_chunks_are_stored_whole(pair: tuple[House, ScriptedModel]) -> None:
    house, model = pair
    model.packets = [
        b'data: {"choices":[{"index":0,"delta":{"content":"a\\ud83d"}}]}\n\n',
        b'data: {"choices":[{"index":0,"delta":{"content":"\\ude00b\\udc00"}}]}\n\n',
    ]
    answer = await house.as_("ming").post("/v1/chat/completions", json=ASK)
    assert answer.status_code == 200
    assert texts(answer).encode("utf-16", "surrogatepass").decode("utf-16", "replace") == "a😀b\ufffd"
    assert (await stored(house))[1][1] == "a😀b\ufffd"


async def test_a_reply_that_breaks_off_is_kept_as_interrupted_and_said_so(pair: tuple[House, ScriptedModel]) -> None:
    house, model = pair
    model.packets = [said("一"), said("二"), b"data: {broken\n\n"]
    answer = await house.as_("ming").post("/v1/chat/completions", json=ASK)
    assert texts(answer) == "一二"
    assert chunks(answer)[-1]["error"]["code"] == "upstream_failed"
    assert await stored(house) == [("user", "数到三", False), ("assistant", "一二", True)]


@pytest.mark.parametrize(
    ("upstream", "status", "code"),
    [(500, 502, "upstream_failed"), (401, 502, "upstream_failed"), (400, 400, "upstream_failed"), (429, 429, "upstream_busy")],
)
@pytest.mark.parametrize("stream", [True, False])
async def test_a_refusal_upstream_gets_its_own_status(
    pair: tuple[House, ScriptedModel], stream: bool, upstream: int, status: int, code: str
) -> None:
    house, model = pair
    model.answer = JSONResponse({"error": {"message": "no such luck"}}, upstream)
    answer = await house.as_("ming").post("/v1/chat/completions", json={**ASK, "stream": stream})
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert await stored(house) == [("user", "数到三", False)]


async def test_asking_again_after_a_refusal_stores_the_question_once(pair: tuple[House, ScriptedModel]) -> None:
    house, model = pair
    model.answer = JSONResponse({"error": {"message": "busy"}}, 500)
    await house.as_("ming").post("/v1/chat/completions", json=ASK)
    model.answer = None
    await house.as_("ming").post("/v1/chat/completions", json=ASK)
    assert await stored(house) == [("user", "数到三", False), ("assistant", "好的。", False)]


async def test_a_client_that_leaves_stops_the_generation_and_leaves_a_cut_reply(pair: tuple[House, ScriptedModel]) -> None:
    house, model = pair
    model.packets = [said("我喜欢吃鱼。"), *[0.05, said("一")] * 400]
    async with house.as_("ming").stream("POST", "/v1/chat/completions", json=ASK) as answer:
        async for line in answer.aiter_lines():
            if "一" in line:
                break
    await asyncio.wait_for(model.left.wait(), 5)

    async def cut() -> bool:
        return [(role, interrupted) for role, _, interrupted in await stored(house)] == [("user", False), ("assistant", True)]

    await until(cut)
    assert await house.memories("ming") == []
    model.packets = None
    assert (await house.as_("ming").post("/v1/chat/completions", json=ASK)).status_code == 200


@pytest.mark.parametrize("stream", [True, False])
async def test_a_client_that_leaves_before_the_first_word_is_noticed(pair: tuple[House, ScriptedModel], stream: bool) -> None:
    house, model = pair
    model.delay_s = 30
    with pytest.raises(httpx.ReadTimeout):
        await house.as_("ming").post("/v1/chat/completions", json={**ASK, "stream": stream}, timeout=0.5)
    await asyncio.wait_for(model.left.wait(), 5)
    assert await stored(house) == [("user", "数到三", False)]


async def test_what_was_said_is_remembered_though_no_reply_came(pair: tuple[House, ScriptedModel]) -> None:
    house, model = pair
    model.answer = JSONResponse({"error": {"message": "no such luck"}}, 500)
    body = {"messages": [{"role": "user", "content": "我对芒果过敏。"}]}
    assert (await house.as_("ming").post("/v1/chat/completions", json=body)).status_code == 502

    async def remembered() -> bool:
        return len(await house.memories("ming")) == 1

    await until(remembered)


async def test_a_silent_model_is_bridged_by_comments(tmp_path: Path, embedder: Embedder) -> None:
    async with scripted(tmp_path, embedder, keepalive_s=0.05) as (house, model):
        model.packets = [said("一"), 0.3, said("二")]
        answer = await house.as_("ming").post("/v1/chat/completions", json=ASK)
        assert answer.text.count(": ping\n\n") >= 2
        assert texts(answer) == "一二"


async def test_content_as_parts_becomes_text_and_thinking_is_no_answer(pair: tuple[House, ScriptedModel]) -> None:
    house, model = pair
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "HIDDEN"}]}, {"type": "text", "text": "你好"}, {"type": "zzz"}]
    model.answer = JSONResponse({"choices": [{"index": 0, "message": {"role": "assistant", "content": parts}, "finish_reason": "stop"}]})
    answer = await house.as_("ming").post("/v1/chat/completions", json={**ASK, "stream": False})
    assert answer.json()["choices"][0]["message"]["content"] == "你好"
    assert "HIDDEN" not in (await house.as_("ming").get("/v1/export")).text


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("odd", [{"usage": "many"}, {"usage": [1]}, {"usage": {"prompt_tokens": 1.5}}, {"model": 7}, {"model": {}}])
async def test_odd_fields_of_an_answer_are_left_out(pair: tuple[House, ScriptedModel], odd: dict[str, Any], stream: bool) -> None:
    house, model = pair
    model.packets = [event({"choices": [{"index": 0, "delta": {"content": "好"}, "finish_reason": "stop"}], **odd})]
    model.answer = None if stream else JSONResponse({"choices": [{"index": 0, "message": {"content": "好"}}], **odd})
    answer = await house.as_("ming").post("/v1/chat/completions", json={**ASK, "stream": stream})
    assert answer.status_code == 200
    assert (await stored(house))[1] == ("assistant", "好", False)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("choices", ["abc", [None], [5], [{"message": "x", "delta": "x"}]])
async def test_choices_of_no_known_shape_are_an_upstream_failure(pair: tuple[House, ScriptedModel], choices: Any, stream: bool) -> None:
    house, model = pair
    model.packets = [said("一"), event({"choices": choices})]
    model.answer = None if stream else JSONResponse({"choices": choices})
    answer = await house.as_("ming").post("/v1/chat/completions", json={**ASK, "stream": stream})
    if stream:
        assert chunks(answer)[-1]["error"]["code"] == "upstream_failed"
        assert (await stored(house))[1] == ("assistant", "一", True)
    else:
        assert (answer.status_code, answer.json()["error"]["code"]) == (502, "upstream_failed")


async def test_half_an_emoji_in_a_whole_reply_is_replaced(pair: tuple[House, ScriptedModel]) -> None:
    house, model = pair
    body = b'{"choices":[{"index":0,"message":{"role":"assistant","content":"a\\ud83d"},"logprobs":{"x":-Infinity}}]}'
    model.answer = Response(body, media_type="application/json")
    answer = await house.as_("ming").post("/v1/chat/completions", json={**ASK, "stream": False})
    assert answer.json()["choices"][0]["message"]["content"] == "a\ufffd"


async def test_a_server_that_is_not_there_is_named_clearly(tmp_path: Path, embedder: Embedder) -> None:
    port = UrlModel(Model(name="m", url="http://127.0.0.1:9/v1"), key=None)
    async with open_house(tmp_path, embedder, model=port) as house:
        answer = await house.as_("ming").post("/v1/chat/completions", json=ASK)
    assert (answer.status_code, answer.json()["error"]["code"]) == (502, "upstream_unreachable")
