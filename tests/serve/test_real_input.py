"""Real dialogues through HTTP: LoCoMo conversation 0 and MemoryBank-cn user u01, posted as turns and asked about by turn search."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.serve.house import House

DATA = Path(os.environ.get("LAOMA_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
pytestmark = pytest.mark.data
ASKED = 10


def need(name: str) -> Path:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not at hand: set LAOMA_DATA to the folder that holds it")
    return path


async def post(house: House, conversation: str, messages: list[dict[str, Any]]) -> dict[str, str]:
    """Client ids to turn ids."""
    ids: dict[str, str] = {}
    for start in range(0, len(messages), 200):
        part = messages[start : start + 200]
        answer = await house.as_("ming").post("/v1/turns", json={"conversation_id": conversation, "messages": part})
        assert answer.status_code == 200, answer.text
        ids |= dict(zip((message["id"] for message in part), answer.json()["turn_ids"], strict=True))
    return ids


async def found(house: House, query: str, limit: int, at: str | None = None) -> list[str]:
    body = {"query": query, "limit": limit} | ({"at": at} if at else {})
    answer = await house.as_("ming").post("/v1/turns/search", json=body)
    assert answer.status_code == 200, answer.text
    return [turn["id"] for turn in answer.json()["turns"]]


async def test_locomo_conversation_0_is_ingested_and_its_questions_find_their_evidence(house: House) -> None:
    sample = json.loads(need("locomo10.json").read_text())[0]
    talk = sample["conversation"]
    messages = []
    for number in range(1, 100):
        if f"session_{number}" not in talk:
            continue
        said_at = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for turn in talk[f"session_{number}"]:
            role = "user" if turn["speaker"] == talk["speaker_a"] else "other"
            messages.append(
                {"role": role, "name": turn["speaker"], "content": turn["text"], "at": said_at.isoformat(), "id": turn["dia_id"]}
            )
    ids = await post(house, "locomo-0", messages)
    assert len(set(ids.values())) == len(messages) > 400

    questions = [one for one in sample["qa"] if one["category"] != 5 and re.fullmatch(r"D\d+:\d+", "".join(one["evidence"]))][:ASKED]
    hits = 0
    for question in questions:
        wanted = {ids[evidence] for evidence in question["evidence"]}
        hits += not wanted.isdisjoint(await found(house, question["question"], 10))
    assert hits >= 6, f"{hits} of {len(questions)}"


async def test_memorybank_user_u01_is_ingested_and_their_questions_find_their_evidence(house: House) -> None:
    folder = need("memorybank_cn")
    log = next(one for one in json.loads((folder / "logs.json").read_text()) if one["user"] == "u01")
    messages: list[dict[str, Any]] = []
    for turn in log["turns"]:
        at = f"{turn['date']}T12:00:00+08:00"
        messages.append({"role": "user", "content": turn["user"], "at": at, "id": turn["id"]})
        messages.append({"role": "assistant", "content": turn["assistant"], "at": at, "id": turn["id"] + "r"})
    ids = await post(house, "u01", messages)
    evidence = {row["id"]: row["evidence"] for row in map(json.loads, (folder / "evidence.jsonl").read_text().splitlines())}
    asked = [question for question in log["questions"] if evidence.get(question["id"])][:ASKED]
    hits = 0
    for question in asked:
        wanted = {ids[turn + side] for turn in evidence[question["id"]] for side in ("", "r")}
        hits += not wanted.isdisjoint(await found(house, question["question"], 10))
    assert asked
    assert hits / len(asked) >= 0.7, f"{hits} of {len(asked)}"
