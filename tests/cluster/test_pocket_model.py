"""A whole conversation with the real model server: vLLM on the CPU with the pocket model, through the openai SDK."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam

from schemas.settings import parse_settings
from serve import cluster
from serve.ports import free_ports
from tests.cluster.conftest import Running

pytestmark = [pytest.mark.ray, pytest.mark.model]
LOADED_WITHIN_S = 900
HOME = Path(os.environ.get("LAOMA_HOME", Path.home() / ".local/share/laoma"))


@pytest.fixture(scope="module")
def chatty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A cluster with the pocket model, taken from this machine's own laoma where it was converted already."""
    home = tmp_path_factory.mktemp("chatty")
    config = f"http: {{port: {free_ports([None])[0]}}}\nmodel: {{kv_cache_gb: 0.25}}\n"
    (home / "config.yaml").write_text(config)
    if (HOME / "models").is_dir():
        shutil.copytree(HOME / "models", home / "models")
    settings = parse_settings(config)
    try:
        cluster.start(home, settings)
        running = Running(home, settings, (home / "owner.key").read_text().strip())
        _until_model(running)
        yield running
    finally:
        cluster.stop(home)


def _until_model(running: Running) -> None:
    with running.client() as client:
        for _ in range(LOADED_WITHIN_S):
            model = client.get("/readyz").json()["model"]
            assert model["state"] != "failed", model["detail"]
            if model["state"] == "ready":
                return
            time.sleep(1)
    raise AssertionError("the model never came up")


def _sdk(running: Running) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{running.url}/v1", api_key=running.key, timeout=120)


def _user(text: str) -> ChatCompletionMessageParam:
    return {"role": "user", "content": text}


def test_told_in_one_conversation_it_is_used_in_the_next(chatty: Running) -> None:
    sdk = _sdk(chatty)
    answer = sdk.chat.completions.create(model="laoma", messages=[_user("My name is Lena. I prefer green tea.")], max_tokens=16)
    assert answer.choices[0].message.content
    assert answer.usage is not None
    alone = answer.usage.prompt_tokens
    with chatty.client() as client:
        conversation = client.get("/v1/conversations").json()["data"][0]["id"]
        client.post(f"/v1/conversations/{conversation}/close")
        memories = {memory["text"]: memory["id"] for memory in client.get("/v1/memories").json()["data"]}
    assert "I prefer green tea" in memories
    raw = sdk.chat.completions.with_raw_response.create(model="laoma", messages=[_user("Which tea do I prefer?")], max_tokens=16)
    assert memories["I prefer green tea"] in raw.headers["X-Laoma-Recalled"].split(",")
    usage = raw.parse().usage
    assert usage is not None
    assert usage.prompt_tokens > alone + 20, "the briefing is in the prompt that the model server counted"


def test_it_streams_and_the_reply_is_stored_as_it_was_streamed(chatty: Running) -> None:
    sdk = _sdk(chatty)
    with sdk.chat.completions.with_streaming_response.create(
        model="laoma", messages=[_user("Count to five.")], max_tokens=24, stream=True
    ) as raw:
        turn = raw.headers["X-Laoma-Turn"]
        text = "".join(chunk.choices[0].delta.content or "" for chunk in raw.parse() if chunk.choices)
    with chatty.client() as client:
        stored = client.get(f"/v1/turns/{turn}").json()
    assert stored["content"] == text.strip() or stored["content"] == text
    assert stored["interrupted"] is False


def test_a_reader_who_leaves_stops_the_generation(chatty: Running) -> None:
    sdk = _sdk(chatty)
    with sdk.chat.completions.with_streaming_response.create(
        model="laoma", messages=[_user("Tell me a very long story about the sea.")], max_tokens=1500, stream=True
    ) as raw:
        turn = raw.headers["X-Laoma-Turn"]
        for number, _ in enumerate(raw.parse()):
            if number == 3:
                break
    with chatty.client() as client:
        for _ in range(100):
            answer = client.get(f"/v1/turns/{turn}")
            if answer.status_code == 200:
                break
            time.sleep(0.1)
        assert answer.json()["interrupted"] is True
        assert answer.json()["content"]
    assert sdk.chat.completions.create(model="laoma", messages=[_user("hi")], max_tokens=4).choices


def test_a_schema_is_enforced_by_the_model_server(chatty: Running) -> None:
    schema = {"type": "object", "properties": {"tea": {"enum": ["green", "black"]}}, "required": ["tea"], "additionalProperties": False}
    answer = _sdk(chatty).chat.completions.create(
        model="laoma",
        messages=[_user("Which tea? Answer in JSON.")],
        max_tokens=40,
        response_format={"type": "json_schema", "json_schema": {"name": "tea", "schema": schema}},  # type: ignore[typeddict-item]
    )
    assert (answer.choices[0].message.content or "").replace(" ", "").replace("\n", "") in ('{"tea":"green"}', '{"tea":"black"}')


def test_after_a_restart_it_still_knows(chatty: Running) -> None:
    cluster.stop(chatty.home)
    cluster.start(chatty.home, chatty.settings)
    with chatty.client() as client:
        found = client.post("/v1/recall", json={"query": "Which tea do I prefer?"}).json()["memories"]
    assert [memory["text"] for memory in found] == ["I prefer green tea"]
    _until_model(chatty)
    assert _sdk(chatty).chat.completions.create(model="laoma", messages=[_user("hello again")], max_tokens=4).choices
