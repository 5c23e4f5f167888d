"""model use, list, probe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands.models import small
from schemas.settings import load_settings
from tests.commands.conftest import Laoma
from tests.commands.scripted_service import KEY, Script

GOOD = ["老马识途", '{"name": "周宁", "city": "厦门", "allergy": "虾"}']


def test_an_url_is_probed_with_two_requests_and_written(laoma: Laoma, service: Script, home: Path) -> None:
    service.reply = list(GOOD)
    done = laoma("model", "use", f"{service.address}/v1", "--key-env", "MY_KEY", "--json", MY_KEY=KEY)
    assert done.code == 0
    assert json.loads(done.out)["probe"] == {"instructions": True, "json": True, "detail": ""}
    model = load_settings(home).model
    assert (model.url, model.name, model.key_env, model.source) == (f"{service.address}/v1", "laoma", "MY_KEY", None)
    bodies = service.bodies("POST", "/v1/chat/completions")
    assert [body["model"] for body in bodies] == ["laoma", "laoma"]
    assert bodies[1]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    ("replies", "instructions", "fills"),
    [
        (["<think>老马?</think>\n老马识途", GOOD[1]], True, True),
        (["Of course! 老马识途 means that an old horse knows the way.", GOOD[1]], False, True),
        ([GOOD[0], '{"name": "周宁", "city": "", "allergy": "peanut"}'], True, False),
        ([GOOD[0], "I can't."], True, False),
    ],
)
def test_a_model_that_is_not_up_to_it_is_warned_about(
    laoma: Laoma, service: Script, replies: list[str], instructions: bool, fills: bool
) -> None:
    service.reply = replies
    done = laoma("model", "use", f"{service.address}/v1", "--key-env", "MY_KEY", MY_KEY=KEY)
    assert done.code == 0
    assert f"follows instructions: {'yes' if instructions else 'no'}, fills JSON: {'yes' if fills else 'no'}" in done.out
    assert ("Not good enough to learn with" in done.err) is not (instructions and fills)


def test_an_url_that_does_not_answer_changes_nothing(laoma: Laoma, home: Path) -> None:
    done = laoma("model", "use", "http://127.0.0.1:9/v1", "--name", "m")
    assert done.code == 1
    assert not (home / "config.yaml").exists()


def test_a_key_variable_that_is_not_set_is_named(laoma: Laoma) -> None:
    done = laoma("model", "use", "http://127.0.0.1:9/v1", "--key-env", "NO_SUCH_KEY")
    assert done.code == 1
    assert "NO_SUCH_KEY" in done.err


def test_a_hub_id_is_written_and_the_url_goes(laoma: Laoma, home: Path) -> None:
    assert laoma("model", "use", "http://127.0.0.1:9/v1", "--name", "m", "--no-probe").code == 0
    done = laoma("model", "use", "Qwen/Qwen3-8B")
    assert done.code == 0
    model = load_settings(home).model
    assert (model.source, model.name, model.url) == ("Qwen/Qwen3-8B", "Qwen3-8B", None)
    assert "small model" not in done.err


def test_a_folder_is_written_whole_and_a_small_model_is_warned_about(laoma: Laoma, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "SmolLM2-135M"
    folder.mkdir()
    assert laoma("model", "use", str(folder)).code == 2
    (folder / "config.json").write_text("{}")
    done = laoma("model", "use", str(folder))
    assert load_settings(home).model.source == str(folder)
    assert "small model" in done.err


def test_pocket_and_none_need_no_name(laoma: Laoma, home: Path) -> None:
    laoma("model", "use", "none")
    assert not load_settings(home).model.enabled
    laoma("model", "use", "pocket")
    assert load_settings(home).model.enabled


def test_a_word_that_is_no_model_is_refused(laoma: Laoma, home: Path) -> None:
    done = laoma("model", "use", "gpt4")
    assert done.code == 2
    assert "Qwen/Qwen3-8B" in done.err


def test_list_marks_the_one_in_use(laoma: Laoma, service: Script, home: Path) -> None:
    laoma("model", "use", f"{service.address}/v1", "--name", "laoma", "--key-env", "MY_KEY", "--no-probe", MY_KEY=KEY)
    assert laoma("model", "list", MY_KEY=KEY).out == f"* laoma  ({service.address}/v1)\n"
    assert json.loads(laoma("model", "list", "--json", MY_KEY=KEY).out)["at_hand"] == ["laoma"]


def test_probe_asks_the_model_in_use_through_the_service_without_touching_memory(online: Laoma, service: Script) -> None:
    service.reply = [GOOD[0], "no"]
    done = online("model", "probe")
    assert done.code == 1
    assert "fills JSON: no" in done.out
    assert {headers["x-laoma-memory"] for _, path, headers, _ in service.asked if path.endswith("completions")} == {"off"}


@pytest.mark.parametrize(
    ("name", "is_small"), [("SmolLM2-135M", True), ("Qwen3-0.6B", True), ("qwen3:8b", False), ("gpt-5", False), ("Qwen3-30B-A3B", False)]
)
def test_small_models_are_known_by_their_names(name: str, is_small: bool) -> None:
    assert small(name) is is_small
