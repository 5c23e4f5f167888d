"""Which memories a statement is held against, of many."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from memory.adjudicate import adjudicate
from memory.candidates import candidates
from memory.memory_index import MemoryIndex
from memory.ports import Floats
from memory.statement import Statement
from schemas.memory import Memory

NOW = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
DIM = 32
RANDOM = np.random.default_rng(7)


def unit() -> Floats:
    vector = RANDOM.standard_normal(DIM).astype(np.float32)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def memory(id: str, text: str, key: str) -> Memory:
    return Memory(id=id, user="u", kind="preference", key=key, text=text, created_at=NOW, updated_at=NOW)


def statement(text: str, key: str) -> Statement:
    return Statement(text=text, kind="preference", key=key, value=text, cue="test")


def crowd(count: int, key: str = "经历/其他") -> MemoryIndex:
    index = MemoryIndex("e", DIM)
    index.put_many([memory(f"m{n}", f"用户第{n}次去爬山", key) for n in range(count)], [unit() for _ in range(count)])
    return index


def test_of_few_memories_all_are_candidates() -> None:
    assert len(candidates(crowd(50), statement("用户喜欢无糖豆浆", "偏好/饮食/含糖"), unit())) == 50


def test_without_a_vector_all_are_candidates() -> None:
    assert len(candidates(crowd(3000), statement("用户喜欢无糖豆浆", "偏好/饮食/含糖"), None)) == 3000


def test_of_many_those_of_the_slot_family_the_same_text_and_the_nearest_are_candidates() -> None:
    index, vector = crowd(3000), unit()
    index.put(memory("slot", "用户喝全糖", "偏好/饮食/含糖"), -vector)
    index.put(memory("family", "用户不吃香菜", "偏好/饮食/忌口"), -vector)
    index.put(memory("text", "用户喜欢无糖豆浆", "备忘/早餐"), -vector)
    index.put(memory("near", "用户早上喝豆浆，不放糖", "习惯/早餐"), vector)
    found = {one.id for one in candidates(index, statement("用户喜欢无糖豆浆", "偏好/饮食/含糖"), vector)}
    assert {"slot", "family", "text", "near"} <= found
    assert len(found) < 300


def test_the_decision_is_the_one_that_all_memories_give() -> None:
    index, vector = crowd(3000), unit()
    index.put(memory("slot", "用户喝全糖", "偏好/饮食/含糖"), -vector)
    new = statement("用户喝无糖", "偏好/饮食/含糖")
    assert adjudicate(new, candidates(index, new, vector), NOW) == adjudicate(new, index.all(), NOW)
