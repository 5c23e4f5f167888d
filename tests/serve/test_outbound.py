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
