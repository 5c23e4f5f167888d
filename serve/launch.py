"""The process that brings a cluster up and ends: ``python -m serve.launch HOME FOLDER APP PARENT``, the settings as JSON on stdin.

A process of its own because Ray and Serve read their environment once, at import, and because Ray's processes must not be children
of a command that a person may interrupt. ``serve/cluster.py`` starts it; where that is killed it ends at once, so that no start goes
on which nobody waits for.
"""

from __future__ import annotations

import inspect
import logging
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.errors import LaomaError, Unavailable
from schemas.settings import Settings
from serve.cluster_record import write_record
from serve.loopback import HOOK
from serve.parent import end_with
from serve.processes import boot_time
from serve.ray_head import start_head
from serve.session_folder import rays_folder

if TYPE_CHECKING:
    from ray import serve
    from ray.serve.schema import LoggingConfig

MEMORY_APP = "memory"
FAILURE = "laoma-failure: "
"""Begins the line on stderr that says why a start failed."""


def main(home: Path, folder: Path, target: str, settings: Settings) -> None:
    """Start Ray under ``folder``, then the application that ``target`` (``module:function``) builds; returns when it answers."""
    from schemas.cluster import ClusterRecord

    http = f"http://{settings.http.host}:{settings.http.port}"
    record = ClusterRecord(address="", http=http, dashboard="", folder=str(folder), session=os.getsid(0), boot=boot_time())
    write_record(home, record)  # first of all: by the session in it whatever comes up is found again, also after this was killed
    address, dashboard = start_head(rays_folder(folder), settings)
    record = record.model_copy(update={"address": address, "dashboard": dashboard})
    write_record(home, record)
    connect(address, settings.cluster.node_ip)
    _serve_memory(home, settings, target, dashboard)
    write_record(home, record.model_copy(update={"ready": True}))


def connect(address: str, node_ip: str) -> None:
    """Make this process a driver of the cluster at ``address``; what it deploys keeps its ports on the node's address."""
    import ray

    os.environ.pop("RAY_ADDRESS", None)  # another cluster's address in the user's shell would outrank the argument
    ray.init(
        address=address,
        log_to_driver=False,
        logging_level=logging.ERROR,
        _node_ip_address=node_ip,
        runtime_env={"worker_process_setup_hook": HOOK},
    )


def quiet_logs() -> LoggingConfig:
    """Serve's logs without a line a request: at 1,000 requests a second the access log costs more than the answer (DESIGN §3)."""
    from ray.serve.schema import LoggingConfig

    return LoggingConfig(enable_access_log=False, log_level="WARNING")


def _serve_memory(home: Path, settings: Settings, target: str, dashboard: str) -> None:
    from ray import serve

    # no proxy: the gateway's replica opens the entrance itself (serve/entrance.py)
    serve.start(proxy_location="Disabled", logging_config=quiet_logs())
    try:
        serve.run(_built(target, home, settings, dashboard), name=MEMORY_APP, route_prefix=None, logging_config=quiet_logs())
    except RuntimeError as error:
        raise Unavailable(f"the memory service did not start: {_reason(error)}") from error


def _built(target: str, home: Path, settings: Settings, dashboard: str) -> serve.Application:
    module, _, function = target.partition(":")
    build: Any = getattr(import_module(module), function)
    extra = {"dashboard": dashboard} if "dashboard" in inspect.signature(build).parameters else {}
    application: serve.Application = build(home, settings, **extra)
    return application


def _reason(error: Exception) -> str:
    """Serve's own status message says more than the error that ``serve.run`` raises."""
    from ray import serve

    application = serve.status().applications.get(MEMORY_APP)
    failed = [one.message for one in application.deployments.values() if one.message] if application else []
    return " ".join([*failed, str(error)])


if __name__ == "__main__":
    end_with(int(sys.argv[4]))
    try:
        main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], Settings.model_validate_json(sys.stdin.read()))
    except LaomaError as error:
        sys.exit(FAILURE + " ".join(error.message.split()))
    except Exception as error:
        sys.stderr.write(f"{FAILURE}{type(error).__name__}: {' '.join(str(error).split())}\n")
        raise
