"""The chat model as an application of its own beside memory: vLLM through ``ray.serve.llm``.

Imported by the process that brings the model up and by the model's replica, never by the gateway: vLLM's types alone cost 600 MB.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.settings import Model

if TYPE_CHECKING:
    from ray import serve
    from ray.serve.llm import LLMConfig

GPU_TOOL = "nvidia-smi"
POCKET_CONTEXT = 4096
POCKET_CACHE_GB = 0.25
"""Context in tokens and KV cache of the pocket model: 23 kB a token, so three whole contexts; a real model gets what is set."""
_START_S = 900
_CPU_PLAN = 0.25
"""Share of a core that Ray plans for replica and engine: on a small box a plan, not a limit."""
_FLUSH_MS = 20
"""Streamed pieces that come within so many milliseconds travel together."""


def has_gpu() -> bool:
    """Whether this machine shows an NVIDIA GPU."""
    return shutil.which(GPU_TOOL) is not None and os.path.exists("/dev/nvidiactl")


def build_llm_app(settings: Model, source: str, logging_to: Path | None = None) -> serve.Application:
    """The application that serves the model at ``source`` (a folder or a hub id) under ``settings.name``.

    ``logging_to``: a logging configuration for vLLM (``serve/vllm_log.py``).
    """
    from ray.serve.llm import build_llm_deployment

    from serve.model_server import ModelServer

    application: serve.Application = build_llm_deployment(
        llm_config(settings, source, gpu=has_gpu(), logging_to=logging_to), deployment_cls=ModelServer
    )
    return application


def llm_config(settings: Model, source: str, *, gpu: bool, logging_to: Path | None = None) -> LLMConfig:
    """How vLLM serves it; on a CPU with the KV cache set by hand, else vLLM takes a share of all memory (DESIGN §3)."""
    from ray.serve.llm import LLMConfig

    engine: dict[str, Any] = {
        "scheduling_policy": "priority",
        "enable_prefix_caching": True,
        "max_model_len": settings.max_model_len or (None if settings.source else POCKET_CONTEXT),
    }
    cache_gb = settings.kv_cache_gb if settings.source else min(settings.kv_cache_gb, POCKET_CACHE_GB)
    environment = {"OMP_NUM_THREADS": str(os.cpu_count() or 1), "VLLM_LOGGING_LEVEL": "WARNING"}
    if logging_to is not None:
        environment |= {"VLLM_LOGGING_LEVEL": "INFO", "VLLM_LOGGING_CONFIG_PATH": str(logging_to)}
    hardware: dict[str, Any] = {"placement_group_config": {"bundle_per_worker": {"GPU": 1}}}
    if not gpu:
        engine |= {"kv_cache_memory_bytes": int(cache_gb * 1024**3), "enforce_eager": True, "max_num_seqs": 16}
        hardware = {"accelerator_config": {"kind": "cpu"}, "placement_group_config": {"bundle_per_worker": {"CPU": _CPU_PLAN}}}
    return LLMConfig(
        model_loading_config={"model_id": settings.name, "model_source": source},
        engine_kwargs={name: value for name, value in engine.items() if value is not None},
        deployment_config={
            "num_replicas": 1,
            "max_ongoing_requests": 64,
            "ray_actor_options": {"num_cpus": _CPU_PLAN},
            "health_check_period_s": 5,
            "graceful_shutdown_timeout_s": 5,
        },
        experimental_configs={"stream_batching_interval_ms": _FLUSH_MS},
        runtime_env={"env_vars": environment},
        log_engine_metrics=False,
        **hardware,
    )


def source_of(settings: Model, home: Path, tell: Callable[[str], None]) -> str:
    """Where the weights are: what the settings name, else the pocket model, fetched at first need."""
    from serve.pocket import ensure

    return settings.source or str(ensure(home, tell))
