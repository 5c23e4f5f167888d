"""How a job reaches the shards of the running service."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import Unavailable

if TYPE_CHECKING:
    from serve.shards import Shards

APP = "memory"


def shards_of(home: Path) -> Shards:
    """Handles to the shards of the lake at ``home``, on the cluster that started this job. Raises Unavailable where none runs."""
    import ray
    from ray import serve
    from ray.serve.exceptions import RayServeException

    from lake.place import shard_of
    from schemas.settings import load_settings
    from serve.shards import RemoteShards

    ray.init(address="auto", ignore_reinit_error=True, logging_level=logging.WARNING)
    logging.getLogger("ray.serve").setLevel(logging.WARNING)
    count = load_settings(home).lake.shards
    try:
        handles = [serve.get_deployment_handle(f"MemoryShard-{number}", APP) for number in range(count)]
    except RayServeException as error:
        raise Unavailable(f"the memory service does not run on this cluster ({error}): `laoma up`") from None
    return RemoteShards(list(handles), shard_of)
