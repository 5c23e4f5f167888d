"""A memory's slot and scene follow its words, unless somebody named them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.edits import Edit
from memory.slot import follow
from memory.statement import Statement
from schemas.memory import GENERAL_SCENE, Memory

AT = datetime(2026, 3, 2, tzinfo=UTC)


def memory(text: str, key: str, scene: str = GENERAL_SCENE) -> Memory:
    return Memory(
        id="m", user="u", kind="preference", key=key, scene=scene, subject="user", text=text, source="explicit",
        confidence=0.9, importance=40, priority=0, status="active", created_at=AT, updated_at=AT,
    )  # fmt: skip


def said(text: str, key: str, scene: str = GENERAL_SCENE) -> Statement:
    return Statement("preference", key, text, text, "rule", scene=scene)


@pytest.mark.parametrize(("held", "scene"), [("上班", "周末"), ("旅行", "旅行")])
def test_a_scene_from_the_old_words_follows_the_new_ones(held: str, scene: str) -> None:
    old = memory("上班我喝咖啡", "偏好/咖啡", held)
    wanted = follow(old, Edit(text="周末我喝可可"), said(old.text, "偏好/咖啡", "上班"), said("周末我喝可可", "偏好/可可", "周末"))
    assert wanted.key == "偏好/可可"
    assert (wanted.scene or held) == scene


def test_what_the_edit_names_outranks_the_words() -> None:
    old = memory("我喝咖啡", "偏好/咖啡")
    wanted = follow(old, Edit(text="我喝可可", key="早餐", scene="家里"), said(old.text, "偏好/咖啡"), said("我喝可可", "偏好/可可"))
    assert (wanted.key, wanted.scene) == ("早餐", "家里")


def test_the_same_words_move_nothing() -> None:
    old = memory("我喝咖啡", "偏好/咖啡")
    edit = Edit(text="我喝咖啡。")
    assert follow(old, edit, said(old.text, "偏好/咖啡"), said("我喝咖啡。", "偏好/别的")) == edit
