"""The suite of scenarios (E9), against a model whose words are scripted."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from eval.suites import SUITES
from schemas.errors import LaomaError
from schemas.settings import Settings
from serve.embedders import build
from tests.scripted_model import ScriptedModel

ROWS = [
    {"id": "a", "lang": "zh", "setup": ["以后请叫我阿岚"], "ask": "跟我说一句早安", "must_include": [["阿岚"]]},
    {"id": "b", "lang": "en", "ask": "Name a fruit.", "must_include": [["apple"]], "max_chars": 20},
]


async def test_the_pass_rate_is_that_of_the_configured_model_with_what_it_remembers(tmp_path: Path) -> None:
    (tmp_path / "scenarios.jsonl").write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    async with ScriptedModel().serve() as model:
        model.says = lambda body: "阿岚，早安" if "阿岚" in str(body["messages"]) else "a pear"
        settings = Settings.model_validate({"model": {"name": "scripted", "url": model.url}})
        result = await asyncio.to_thread(SUITES["scenarios"].run, tmp_path, build(settings.embedding), settings)
    assert (result.n, result.metrics, result.by) == (2, {"pass_rate": 0.5}, {"en": {"pass_rate": 0.0}, "zh": {"pass_rate": 1.0}})
    assert [(one.id, one.wanted, one.got) for one in result.failures] == [("b", ["lacks apple"], ["a pear"])]


def test_without_a_model_it_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "scenarios.jsonl").write_text(json.dumps(ROWS[0]), encoding="utf-8")
    with pytest.raises(LaomaError, match="laoma model use"):
        SUITES["scenarios"].run(tmp_path, build(Settings().embedding), Settings())
