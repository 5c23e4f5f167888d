"""How a job reaches the shards of the running service."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import Unavailable

if TYPE_CHECKING:
    from serve.shards import Shards

APP = "memory"


def shards_of(home: Path) -> Shards:
    """Handles to the shards of the lake at ``home``. Raises Unavailable where its cluster does not run."""
    import ray
    from ray import serve
    from ray.serve.exceptions import RayServeException

    from lake.place import shard_of
    from schemas.settings import load_settings
    from serve.absence import Absence, look
    from serve.shards import RemoteShards

    address = cluster_of(home)
    os.environ["RAY_ADDRESS"] = address  # it outranks the argument of init
    try:
        ray.init(address=address, ignore_reinit_error=True, logging_level=logging.WARNING)
        logging.getLogger("ray.serve").setLevel(logging.WARNING)
        count = load_settings(home).lake.shards
        handles = [serve.get_deployment_handle(f"MemoryShard-{number}", APP) for number in range(count)]
    except (ConnectionError, RayServeException) as error:
        raise Unavailable(f"the memory service does not answer at {address} ({error}): `laoma up`") from None
    return RemoteShards(handles, shard_of, absence=Absence(look(APP)))


def cluster_of(home: Path) -> str:
    """Ray's address of this home's cluster, never another's.

    Ray tells a job to use whichever cluster it finds on the machine first, so a job of one home could work on another's lake.
    """
    from serve.cluster_record import read_record

    record = read_record(home)
    if record is None or not record.address:
        raise Unavailable(f"no cluster was started for {home}: `laoma up`")
    return record.address
