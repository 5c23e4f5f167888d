"""The import page over HTTP as a browser sends it: look, import, why the rest was dropped, undo."""

from __future__ import annotations

import json
from dataclasses import replace

import httpx
import pytest

from jobs.imports.readers import READERS
from serve.panel.pages import importing
from serve.panel.words import chinese
from tests.serve.house import House
from tests.serve.panel.board import HouseJobs
from tests.serve.panel.visit import send, sign_in, token

SAID = ["我对芒果过敏。", "今天天气不错。"]
CHAT = "\n".join(json.dumps({"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "好的。"}]}) for text in SAID)


@pytest.fixture
def board(house: House) -> HouseJobs:
    jobs = HouseJobs(house)
    house.parts = replace(house.parts, jobs=jobs)
    return jobs


async def upload(client: httpx.AsyncClient, content: str = CHAT, name: str = "chat.jsonl", **fields: str) -> httpx.Response:
    form = {**fields, "csrf": await token(client)}
    return await client.post("/panel/import", data=form, files={"files": (name, content.encode())}, follow_redirects=True)


async def test_looking_first_stores_nothing_and_shows_what_would_be_kept(house: House, board: HouseJobs) -> None:
    client = await sign_in(house, "alice")
    begun = await upload(client, dry_run="yes")
    await board.ended()
    page = (await client.get(begun.url.path)).text
    assert "Nothing was stored" in page
    assert "芒果" in page
    assert "said nothing that lasts" in page
    assert "Undo this import" not in page
    assert not await house.memories("alice")


async def test_an_import_is_told_and_taken_back_only_after_a_second_question(house: House, board: HouseJobs) -> None:
    client = await sign_in(house, "alice")
    begun = await upload(client)
    await board.ended()
    page = await client.get(begun.url.path)
    assert "Remembered" in page.text
    assert "replies: they are not about you" in page.text
    assert ["芒果" in memory["text"] for memory in await house.memories("alice")] == [True]
    asked = await send(client, f"{begun.url.path}/undo")
    assert "Its 4 turns go" in asked.text
    assert await house.memories("alice")
    done = await send(client, f"{begun.url.path}/undo", sure="yes")
    assert "Turns removed: 4; memories removed: 1" in done.text
    assert not await house.memories("alice")
    assert "undone" in (await client.get("/panel/import")).text


async def test_a_file_that_cannot_be_read_is_told_in_one_line_and_leaves_nothing(house: House, board: HouseJobs) -> None:
    client = await sign_in(house, "alice")
    begun = await upload(client, '{"a": 1}', name="<script>x.json")
    await board.ended()
    page = (await client.get(begun.url.path)).text
    assert "failed" in page
    assert "no known export" in page
    assert "<script>x" not in page
    assert "Go on" not in page  # its files are gone
    assert "Give at least one file" in (await send(client, "/panel/import")).text


async def test_nobody_uploads_without_session_or_token_and_nobody_sees_anothers(house: House, board: HouseJobs) -> None:
    alice, bob = await sign_in(house, "alice"), await sign_in(house, "bob")
    begun = await upload(alice)
    await board.ended()
    assert (await bob.get(begun.url.path)).status_code == 404
    assert (await send(bob, f"{begun.url.path}/undo", sure="yes")).status_code == 404
    assert await house.memories("alice")
    files = {"files": ("chat.jsonl", CHAT.encode())}
    assert (await bob.post("/panel/import", files=files)).status_code == 403
    assert (await bob.post("/panel/import", files=files, headers={"X-CSRF-Token": "x.y"})).status_code == 403
    async with httpx.AsyncClient(base_url=house.url) as nobody:
        assert (await nobody.post("/panel/import", files=files)).headers["location"] == "/panel/enter"
    assert [path.name for path in (house.home / "imports").glob("*")] == []


def test_the_page_knows_every_format_and_has_chinese_for_every_count() -> None:
    assert tuple(reader.name for reader in READERS) == importing.FORMATS
    labels = {*importing.TURNS.values(), *importing.DROPPED.values()}
    assert not labels - set(chinese())
