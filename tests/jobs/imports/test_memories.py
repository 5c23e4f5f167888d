"""Saved memories of another assistant: read as a list or JSON, said in the first person, kept whole, undone like any import."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jobs.imports.document import examine
from jobs.imports.first_person import first_person, line_of
from jobs.imports.readers import recognise
from jobs.imports.source import FileSource
from schemas.errors import InvalidRequest
from tests.jobs.imports.house import JobsHere, with_jobs
from tests.jobs.imports.staged import read
from tests.serve.house import House

WRITTEN = "1771000000"
"""A little before the house's clock."""
LIST = """\
User is allergic to peanuts.
- Prefers concise answers.
• User's cat is called Momo.

3. 用户住在苏州。
User's phone number is 13800001234.
"""


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("User lives in Oslo and has two cats.", "I live in Oslo and have two cats."),
        ("The user currently works as a nurse", "I currently work as a nurse"),
        ("The user doesn't eat meat.", "I don't eat meat."),
        ("User moved to Oslo in 2024.", "I moved to Oslo in 2024."),
        ("User's sister is called Ann", "My sister is called Ann"),
        ("Studies law and wants to be a judge", "I study law and want to be a judge"),
        ("用户的猫叫慢慢", "我的猫叫慢慢"),
        ("该用户对花生过敏", "我对花生过敏"),
        ("我喜欢喝茶", "我喜欢喝茶"),
        ("I love tea", "I love tea"),
        # unsure whose things are meant, or which word is the verb
        ("User prefers their coffee black", "User prefers their coffee black"),
        ("User lives with Ann, who teaches", "User lives with Ann, who teaches"),
        ("User whistles a lot", "User whistles a lot"),
        ("用户和他的妻子住在苏州", "用户和他的妻子住在苏州"),
        ("用户名要短", "用户名要短"),
        ("Username rules are strict", "Username rules are strict"),
    ],
)
def test_a_statement_is_turned_only_where_it_is_sure(written: str, said: str) -> None:
    assert first_person(written) == said


def test_bullets_and_numbers_are_no_words() -> None:
    assert [line_of(line) for line in ("- a", "• a", "12. a", "2、a", "2024 was good", "-5 °C")] == [
        "a",
        "a",
        "a",
        "a",
        "2024 was good",
        "-5 °C",
    ]


def test_a_list_is_known_by_how_its_lines_begin(tmp_path: Path) -> None:
    for text, format in ((LIST, "memories"), ("User stories\nwe want this\nand that\nand more", None)):
        path = tmp_path / "a"
        path.write_text(text, encoding="utf-8")
        reader = recognise(examine(FileSource(path, "a"))).reader
        assert (reader.name if reader else None) == format


@pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"results": rows}, lambda rows: {"memories": rows}])
def test_of_several_users_one_must_be_named(tmp_path: Path, wrap: Any) -> None:
    rows = [{"id": "1", "memory": "User lives in Oslo", "user_id": "jo"}, {"id": "2", "memory": "User lives in Rome", "user_id": "mo"}]
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps(wrap(rows)))
    with pytest.raises(InvalidRequest, match=r"--me NAME.*jo, mo"):
        read(tmp_path, path)
    assert [row["content"] for row in read(tmp_path, path, me="mo")[0]] == ["I live in Rome"]


async def sent(house: House, text: str) -> dict[str, Any]:
    answer = await house.as_("lin").post(
        "/v1/imports", files={"files": ("saved.txt", text.encode())}, data={"wait": "true", "modified": WRITTEN}
    )
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


@pytest.fixture
def jobs(house: House) -> JobsHere:
    return with_jobs(house)


async def test_each_line_is_one_memory_and_a_longer_list_adds_what_is_new(house: House, jobs: JobsHere) -> None:
    told = await sent(house, LIST)
    assert told["formats"] == ["memories"]
    kept = {memory["text"] for memory in await house.memories("lin")}
    assert kept == {"I am allergic to peanuts.", "I prefer concise answers.", "My cat is called Momo.", "我住在苏州。"}
    assert "13800001234" not in (await house.as_("lin").get("/v1/export")).text
    assert await house.recalled("lin", "我住在哪里？") == ["我住在苏州。"]
    grown = await sent(house, LIST + "User plays the cello.\n")
    assert (grown["kept"]["turns_new"], grown["kept"]["turns_known"]) == (1, 5)
    assert len(await house.memories("lin")) == 5
    for one in (grown, told):
        await house.as_("lin").delete(f"/v1/imports/{one['id']}")
    assert await house.memories("lin") == []
