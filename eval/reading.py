"""Has the model of a running laoma read real turns for memories, and looks at every row that comes of it.

    python -m eval.reading FILE [--turns 200] [--url http://127.0.0.1:8317] [--key KEY]

FILE: lines ``{"conversation_id", "role", "content", "at"}``. With ``model.learns: true`` in ``config.yaml`` even the pocket model
reads: what it finds is poor, yet nothing may break and no invalid row may be written. Exits 1 where something did.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

import httpx

from memory.extract.answer import KINDS
from memory.normalise import is_chinese, statement_key
from memory.words import tokens

_LOOK_S = 2.0
_LONGEST = 300


def main() -> None:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("file", type=Path)
    options.add_argument("--turns", type=int, default=200, help="the user's turns that are read")
    options.add_argument("--url", default="http://127.0.0.1:8317")
    options.add_argument("--key", required=True)
    asked = options.parse_args()
    headers = {"Authorization": f"Bearer {asked.key}"}
    with httpx.Client(base_url=asked.url, headers=headers, timeout=120) as client:
        ids, seconds = _read(client, _dialogues(asked.file, asked.turns))
        report = _look(client, ids) | {"seconds": round(seconds, 1)}
    print(json.dumps(report, ensure_ascii=False, indent=1))
    sys.exit(bool(report["invalid"] or report["pending"]))


def _dialogues(path: Path, turns: int) -> list[tuple[str, list[dict[str, Any]]]]:
    """Conversations with their messages, until so many turns of the user have come together."""
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    found: list[tuple[str, list[dict[str, Any]]]] = []
    said = 0
    for conversation, messages in groupby(rows, key=lambda row: str(row["conversation_id"])):
        kept = []
        for message in messages:
            if said == turns:
                break
            said += message["role"] == "user"
            kept.append({key: message[key] for key in ("role", "content", "at")})
        if not kept:
            break
        found.append((conversation, kept))
    return found


def _read(client: httpx.Client, dialogues: list[tuple[str, list[dict[str, Any]]]]) -> tuple[list[str], float]:
    """Ids of the user's turns, and how long it took until the model had read all."""
    began, ids = time.monotonic(), []
    for conversation, messages in dialogues:
        answer = client.post("/v1/turns", json={"conversation_id": conversation, "messages": messages})
        answer.raise_for_status()
        turn_ids = answer.json()["turn_ids"]
        ids += [id for id, message in zip(turn_ids, messages, strict=True) if message["role"] == "user"]
    while (left := _left(client)) > 0:
        print(f"{left:.0f} turns left", file=sys.stderr)
        time.sleep(_LOOK_S)
    return ids, time.monotonic() - began


def _left(client: httpx.Client) -> float:
    shards = client.get("/readyz").json()["shards"]
    return float(sum(shard["figures"]["extraction_waiting"] + shard["figures"].get("model_reading_waiting", 0) for shard in shards))


def _look(client: httpx.Client, ids: list[str]) -> dict[str, Any]:
    turns = {id: client.get(f"/v1/turns/{id}").json() for id in ids}
    states = Counter(turn["extraction"] for turn in turns.values())
    rows: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = client.get("/v1/memories", params={"limit": 200, **({"cursor": cursor} if cursor else {})}).json()
        rows, cursor = rows + page["data"], page["next_cursor"]
    changes = client.get("/v1/changes", params={"limit": 500}).json()["data"]
    actor = {change["memory"]: change["actor"] for change in changes if change["action"] == "create"}
    own = [row for row in rows if row["turns"] and row["turns"][0] in turns]
    invalid = [row["text"] for row in own if not _valid(row, turns[row["turns"][0]]["content"])]
    return {
        "turns": len(ids),
        "pending": states["pending"],
        "given_up": states["failed"] + states["given_up"],
        "memories": dict(Counter(actor.get(row["id"], "?") for row in own)),
        "invalid": invalid,
        "texts": [row["text"] for row in own if actor.get(row["id"]) == "model"],
    }


def _valid(row: dict[str, Any], said: str) -> bool:
    """Whether a memory is a statement of what its turn says."""
    words = set(tokens(statement_key(row["text"])))
    return (
        row["kind"] in KINDS
        and 2 <= len(row["text"]) <= _LONGEST
        and 0 <= row["confidence"] <= 1
        and 20 <= row["importance"] <= 100
        and is_chinese(row["text"]) == is_chinese(said)
        and len(words.intersection(tokens(said))) >= len(words) / 3
    )


if __name__ == "__main__":
    main()
