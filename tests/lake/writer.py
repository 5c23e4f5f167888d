"""A process of its own that commits turns and says which were acknowledged: ``python -m tests.lake.writer ROOT FIRST [COUNT]``.

It also says when it is ready, and ends with the name of the error that stopped it.
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from lake.store import Put
from schemas.errors import LaomaError
from schemas.settings import Lake
from tests.lake.conftest import open_shard, turn


def main(root: Path, first: int, limit: int | None) -> None:
    store = open_shard(root, settings=Lake(apply_every_ms=5, optimize_every=20, lease_s=5.0), holder=f"writer-{first}")
    print("ready", flush=True)
    try:
        for n in count(first):
            if limit is not None and n >= first + limit:
                break
            store.commit([Put([turn(f"t{n}", content=f"turn number {n}")])]).result()
            print(f"ack t{n}", flush=True)
        store.flush()
        print("flushed", flush=True)
    except LaomaError as error:
        print(type(error).__name__, flush=True)
    finally:
        store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else None)
