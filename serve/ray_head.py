"""Starts a Ray head on this box that outlives whoever started it.

``ray start`` would do, but for two things: it always opens a Ray client port (code execution for every local user, 50 MB),
and it does not say which processes it started. So this calls what that command calls. Ray is pinned; only this file knows.
"""

from __future__ import annotations

import os
from pathlib import Path

from schemas.settings import Settings
from serve.ports import free_ports
from serve.processes import MARK
from serve.session_folder import folder_of

BOOTSTRAP = Path("~/ray_bootstrap_config.yaml")
"""What ``ray up`` leaves on the head for the autoscaler."""
CHECKOUT = Path(__file__).resolve().parent.parent


def environment(home: Path, settings: Settings) -> dict[str, str]:
    """Variables that Ray and Serve read in the head and, inherited, in each worker. Why each: DESIGN §3, "HTTP floor"."""
    alone = settings.cluster.node_ip == "127.0.0.1"
    return {
        "LAOMA_HOME": str(home),
        MARK: str(folder_of(home)),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(CHECKOUT), os.environ.get("PYTHONPATH", "")])),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0" if alone else "1",  # 0: Ray's own processes listen on loopback
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ROTATION_MAX_BYTES": str(10 * 2**20),  # a log file; Ray's own limit is 512 MB
        "RAY_ROTATION_BACKUP_COUNT": "1",
        "RAY_worker_niceness": "0",
        "RAY_num_workers_soft_limit": "0",  # no idle workers kept for tasks that a home box never runs
        "RAY_enable_worker_prestart": "0",
        "RAY_prestart_worker_first_driver": "0",
        "RAY_SERVE_USE_GRPC_BY_DEFAULT": "1",
        "RAY_SERVE_LOG_TO_STDERR": "0",
        "MALLOC_ARENA_MAX": "2",
        "RAYLLM_ENABLE_WORKER_PROCESS_SETUP_HOOK": "0",  # it would take the place of ours (serve/loopback.py)
        "TOKENIZERS_PARALLELISM": "false",
        "VLLM_HOST_IP": settings.cluster.node_ip,
        "VLLM_NO_USAGE_STATS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }


def start_head(folder: Path, settings: Settings) -> tuple[str, str]:
    """Start Ray's processes with their files under ``folder``; (address, dashboard URL). They live on when this process ends.

    The environment must be :func:`environment` already: Ray reads it at import.
    """
    from ray._private.node import Node
    from ray._private.parameter import RayParams

    cluster = settings.cluster
    gcs_port, dashboard_port = free_ports([cluster.gcs_port, cluster.dashboard_port])
    node = Node(
        RayParams(
            node_ip_address=cluster.node_ip,
            gcs_server_port=gcs_port,
            min_worker_port=0,
            max_worker_port=0,
            num_cpus=cluster.cpus,
            object_store_memory=cluster.object_store_mb * 1024 * 1024,
            include_dashboard=True,
            dashboard_host="127.0.0.1",
            dashboard_port=dashboard_port,  # type: ignore[arg-type]  # annotated as a flag, used as a port
            dashboard_agent_listen_port=0,
            include_log_monitor=False,  # type: ignore[arg-type]
            no_monitor=not cluster.autoscaler,
            autoscaling_config=str(BOOTSTRAP.expanduser()) if cluster.autoscaler else None,
            temp_dir=str(folder),
        ),
        head=True,
        shutdown_at_exit=False,
        spawn_reaper=False,
    )
    return node.address, f"http://127.0.0.1:{dashboard_port}"
