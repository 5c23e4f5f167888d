"""A model elsewhere sees no secret, wherever in a request it stands; what it gets is valid all the same."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from schemas.settings import Model
from serve.outbound import masked_body, masked_json
from tests.serve.house import House

PHONE, CARD, ID_CARD = "13800138000", "6222021234567890128", "11010519491231002X"
BODY: dict[str, Any] = {
    "user": f"ming {PHONE}",
    "metadata": {"note": f"card {CARD}"},
    "tools": [
        {
            "type": "function",
            "function": {"name": "book", "description": f"call {PHONE}", "parameters": {"type": "object", "properties": {}}},
        }
    ],
    "messages": [
        {"role": "user", "name": f"ming {PHONE}", "content": [{"type": "text", "text": f"my card is {CARD}"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {
                        "name": "book",
                        "arguments": json.dumps({"id": ID_CARD, "phone": int(PHONE), "rooms": 2, "password": "hunter2-Q9!"}),
                    },
                }
            ],
        },
        {
            "role": "tool",
            "tool_call_id": "call_1",
            "content": json.dumps({"booked": True, "contacts": [{"phone": int(PHONE)}], "card": CARD}),
        },
        {"role": "assistant", "content": "好", "function_call": {"name": "old", "arguments": json.dumps({"card": CARD})}},
        {"role": "function", "name": "old", "content": f"card {CARD}"},
        {"role": "user", "content": "继续"},
    ],
}


@pytest.mark.parametrize("elsewhere", [False, True])
async def test_tool_calls_and_their_results_reach_a_model_elsewhere_masked(house: House, elsewhere: bool) -> None:
    url = "https://models.example.org/v1" if elsewhere else "http://127.0.0.1:9/v1"
    house.parts = replace(house.parts, settings=house.parts.settings.model_copy(update={"model": Model(url=url, name="m")}))
    answer = await house.as_("ming").post("/v1/chat/completions", json=BODY)
    assert answer.status_code == 200
    sent = json.dumps(house.model.bodies[-1], ensure_ascii=False)
    assert [secret in sent for secret in (PHONE, CARD, ID_CARD, "hunter2-Q9!")] == [not elsewhere] * 4


def test_what_is_masked_stays_valid_and_keeps_its_structure() -> None:
    body = masked_body(BODY)
    call = body["messages"][1]["tool_calls"][0]
    assert (call["id"], call["type"], call["function"]["name"]) == ("call_1", "function", "book")
    arguments = json.loads(call["function"]["arguments"])
    assert (set(arguments), arguments["rooms"]) == ({"id", "phone", "rooms", "password"}, 2)
    result = json.loads(body["messages"][2]["content"])
    assert (result["booked"], body["messages"][2]["tool_call_id"], len(result["contacts"])) == (True, "call_1", 1)
    assert body["tools"][0]["function"]["name"] == "book"
    assert BODY["messages"][2]["content"].count(CARD) == 1, "the request itself is not touched"


@pytest.mark.parametrize("text", ["", "no json, call 13800138000", '{"phone": 138001', "[" * 5000, "13800138000", '"13800138000"'])
def test_odd_arguments_are_masked_as_text(text: str) -> None:
    assert PHONE not in masked_json(text)


def test_pictures_pass_as_they_are() -> None:
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PHONE}", "detail": "low"}}
    assert masked_body({"messages": [{"role": "user", "content": [part]}]})["messages"][0]["content"] == [part]


PLACES: dict[str, Any] = {
    "an unknown field": {"client_note": PHONE},
    "an unknown field, deep": {"extra": {"a": [{"b": f"card {CARD}"}]}},
    "an unknown number": {"extra": {"contact": int(PHONE)}},
    "a key": {"extra": {PHONE: "x"}},
    "stop": {"stop": [PHONE]},
    "response_format": {
        "response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": {"properties": {"p": {"enum": [PHONE, 1]}}}}}
    },
    "a default": {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"properties": {"p": {"default": CARD}}}}}]},
    "a default by its name": {
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {"properties": {"password": {"default": "swordfish"}}}}}]
    },
    "functions": {"functions": [{"name": "f", "description": f"call {PHONE}", "parameters": {}}]},
    "an id": {"previous_response_id": f"ming {PHONE}"},
    "a picture's address": {
        "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://bob:swordfish@h/x.png"}}]}]
    },
    "a text file": {
        "messages": [{"role": "user", "content": [{"type": "file", "file": {"file_data": "data:text/plain;base64," + "MTM4MDAxMzgwMDA="}}]}]
    },
    "two parts": {"messages": [{"role": "user", "content": [{"type": "text", "text": "13800"}, {"type": "text", "text": "138000"}]}]},
    "two messages": {"messages": [{"role": "user", "content": "卡号 62220212345"}, {"role": "user", "content": "67890128"}]},
    "two messages with an answer between": {
        "messages": [{"role": r, "content": c} for r, c in (("user", "卡号 62220212345"), ("assistant", "好"), ("user", "67890128"))]
    },
    "a disguise": {"messages": [{"role": "user", "content": "1\u200b3８00 138\u00ad000"}]},
}


@pytest.mark.parametrize("place", sorted(PLACES))
def test_nothing_secret_goes_out_from_any_place(place: str) -> None:
    body = {"messages": [{"role": "user", "content": "你好"}], **PLACES[place]}
    sent = json.dumps(masked_body(body), ensure_ascii=False)
    for secret in (PHONE, CARD, "swordfish", "MTM4MDAxMzgwMDA=", "138000", "62220212345", "67890128"):
        assert secret not in sent, sent


def test_the_protocols_own_words_and_numbers_pass() -> None:
    body = {
        "model": "m",
        "seed": 13800138000,
        "temperature": 0.5,
        "stream": True,
        "stop": ["\n\n", "END"],
        "tool_choice": {"type": "function", "function": {"name": "look_up"}},
        "response_format": {"type": "json_object"},
        "logit_bias": {"50256": -100},
        "messages": [
            {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "UklGRiQAAABXQVZF/+8=", "format": "wav"}}]},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "call_a1", "type": "function", "function": {"name": "f"}}]},
            {"role": "tool", "tool_call_id": "call_a1", "content": '{"ok": true}'},
        ],
    }
    assert masked_body(body) == body


def test_calls_and_their_results_stay_paired_where_an_id_is_masked() -> None:
    first, second = f"call_v{PHONE}", "call_v13900139000"
    messages = [{"role": "tool", "tool_call_id": id, "content": "{}"} for id in (first, second, first)]
    ids = [message["tool_call_id"] for message in masked_body({"messages": messages})["messages"]]
    assert ids[0] == ids[2] != ids[1]
    assert PHONE not in ids[0]


async def test_a_tool_named_by_a_secret_is_refused_with_what_to_do(house: House) -> None:
    house.parts = replace(
        house.parts, settings=house.parts.settings.model_copy(update={"model": Model(url="https://m.example/v1", name="m")})
    )
    tool = {"type": "function", "function": {"name": "sk-proj-abcDEF1234567890", "parameters": {}}}
    body = {"messages": [{"role": "user", "content": "你好"}], "tools": [tool]}
    answer = await house.as_("ming").post("/v1/chat/completions", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "never_sent")
    assert house.model.bodies == []
