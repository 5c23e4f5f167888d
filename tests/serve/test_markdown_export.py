"""The export to read: memories by kind, what was before, conversations; in both languages, from the command and the panel."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from serve.markdown_export import CHINESE, ENGLISH, as_markdown
from tests.serve.house import START, House
from tests.serve.panel.visit import sign_in


async def exported(house: House, user: str, language: str = "en") -> str:
    client = await sign_in(house, user, language=language)
    answer = await client.get("/panel/profile/export", params={"format": "markdown"})
    assert answer.headers["content-type"].startswith("text/markdown")
    return answer.text


async def test_what_is_remembered_what_was_and_what_was_said(house: House) -> None:
    await house.tell("alice", "我住在苏州。", "我喜欢喝乌龙茶。", conversation="c1")
    house.clock.pass_(days=1)
    await house.tell("alice", "我搬到杭州了。\n# 不是标题", conversation="c2")
    text = await exported(house, "alice")
    living, before = text.split("## No longer so")
    assert "- 我喜欢喝乌龙茶" in living.split("## Preferences")[1]
    assert "杭州" in living
    assert "苏州" not in living
    assert "苏州" in before
    assert f"until {(START.astimezone(ZoneInfo('Asia/Shanghai'))).year}" in before
    talks = before.split("## Conversations")[1]
    assert talks.index("> 我住在苏州。") < talks.index("> 我搬到杭州了。")
    assert "\n> # 不是标题" in talks
    assert "## 偏好" in await exported(house, "alice", "zh")


async def test_nobody_reads_anothers(house: House) -> None:
    await house.tell("alice", "我住在苏州。")
    assert "苏州" not in await exported(house, "bob")


@pytest.mark.parametrize("words", [ENGLISH, CHINESE])
def test_nothing_is_said_as_nothing(words: dict[str, str]) -> None:
    text = "\n".join(as_markdown([], words, ZoneInfo("UTC"), datetime(2026, 3, 2, tzinfo=UTC)))
    assert text.endswith(words["nothing"])
    assert set(words) == set(ENGLISH)
