"""Killed at any moment, nothing that was acknowledged is lost or doubled; two owners never write."""

from __future__ import annotations

import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

import httpx
import pytest

from tests.cluster.conftest import Running

pytestmark = pytest.mark.ray
TURNS = 500
WRITERS = 8
KILLS = 6


def test_every_acknowledged_turn_survives_kills_of_shard_and_gateway(running: Running) -> None:
    acknowledged: dict[str, str] = {}
    done = Event()

    def post(number: int) -> None:
        message = {"role": "user", "content": f"第{number}句话，说过就算数。", "id": f"m{number}"}
        body = {"conversation_id": f"kills-{number % WRITERS}", "messages": [message]}
        with running.client() as client:
            for _ in range(240):
                try:
                    answer = client.post("/v1/turns", json=body)
                except httpx.HTTPError:
                    time.sleep(0.25)
                    continue
                if answer.status_code == 200:
                    acknowledged[f"m{number}"] = answer.json()["turn_ids"][0]
                    return
                assert answer.status_code in (429, 503), answer.text
                time.sleep(0.25)
        raise AssertionError(f"turn {number} was never acknowledged")

    def kill() -> None:
        chance = random.Random(7)
        for number in range(KILLS):
            if done.wait(chance.uniform(0.5, 3)):
                return
            for pid in running.pids("MemoryShard" if number % 2 == 0 else "Gateway"):
                os.kill(pid, signal.SIGKILL)

    killer = Thread(target=kill)
    killer.start()
    with ThreadPoolExecutor(WRITERS) as writers:
        list(writers.map(post, range(TURNS)))
    done.set()
    killer.join()

    with running.client() as client:
        for number in range(WRITERS):
            turns = client.get(f"/v1/conversations/kills-{number}").json()["turns"]
            ids = {turn["external_id"]: turn["id"] for turn in turns}
            assert len(ids) == len(turns), "a turn is there twice"
            assert ids == {id: turn for id, turn in acknowledged.items() if int(id[1:]) % WRITERS == number}
    assert len(acknowledged) == TURNS


def test_each_acknowledged_write_was_synced_to_the_disk(running: Running) -> None:
    with running.client() as client:
        before = _figures(client)
        for number in range(20):
            answer = client.post("/v1/turns", json={"messages": [{"role": "user", "content": f"第{number}次"}]})
            assert answer.status_code == 200
            assert _figures(client)["journal_syncs"] > before["journal_syncs"] + number
        assert _figures(client)["commits"] >= before["commits"] + 20


def test_a_second_owner_fences_the_first_and_serve_brings_the_shard_back(running: Running) -> None:
    from datetime import UTC, datetime

    from lake.place import Place
    from lake.store import Put, ShardStore
    from schemas.errors import LaomaError
    from schemas.turn import Turn

    with running.client() as client:
        fence = _figures(client)["fence"]
        client.post("/v1/turns", json={"conversation_id": "overlap", "messages": [{"role": "user", "content": "第一句", "id": "a"}]})
        embedding = running.settings.embedding
        rival = ShardStore(
            Place(running.home).shard(0), embedder=embedding.model, dim=embedding.dim, settings=running.settings.lake,
            now=lambda: datetime.now(UTC), holder="rival",
        )  # fmt: skip
        at = datetime.now(UTC)
        row = Turn(id="rival", user="rival", conversation="c", exchange="e", at=at, role="user", content="对手", extraction="skipped")
        rival.commit([Put([row])]).result()
        _post_until_acknowledged(client, {"conversation_id": "overlap", "messages": [{"role": "user", "content": "第二句", "id": "b"}]})
        assert _figures(client)["fence"] > fence + 1
        with pytest.raises(LaomaError):
            rival.commit([Put([row.but(id="late")])]).result()
        rival.close()
        turns = client.get("/v1/conversations/overlap").json()["turns"]
        assert [turn["content"] for turn in turns] == ["第一句", "第二句"]


def test_a_shard_that_cannot_be_opened_is_said_by_every_route_and_comes_back_when_it_is_mended(running: Running) -> None:
    config = running.home / "config.yaml"
    before = config.read_text()
    config.write_text(before + "nonsense: 1\n")
    try:
        with running.client() as client:
            assert client.post("/v1/recall", json={"query": "x"}).status_code == 200
            for pid in running.pids("MemoryShard"):
                os.kill(pid, signal.SIGKILL)
            answers = [client.post("/v1/recall", json={"query": "x"}), client.get("/v1/memories"), client.get("/readyz")]
        assert [answer.status_code for answer in answers] == [503, 503, 503]
        assert [answer.headers.get("Retry-After") for answer in answers] == ["5", "5", None]
        assert "does not answer" in (message := answers[0].json()["error"]["message"])
        assert "nonsense" in message
        assert "does not answer" in answers[2].json()["detail"]
    finally:
        config.write_text(before)
    with running.client() as client:
        _figures(client)


def _figures(client: httpx.Client) -> dict[str, float]:
    for _ in range(200):
        answer = client.get("/readyz")
        if answer.status_code == 200:
            return dict(answer.json()["shards"][0]["figures"])
        time.sleep(0.1)
    raise AssertionError("the shard never came back")


def _post_until_acknowledged(client: httpx.Client, body: dict[str, object]) -> None:
    for _ in range(200):
        try:
            if client.post("/v1/turns", json=body).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.1)
    raise AssertionError("it was never acknowledged")
