"""How Ray starts a job: ``python -m jobs seal``. Prints what was done; exit 0 done, 1 failed, 2 misuse."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from jobs import seal
from schemas.errors import LaomaError

JOBS = {"seal": seal.run}


def main(arguments: Sequence[str], home: Path) -> int:
    """Runs the job that the first argument names on the lake at ``home``."""
    name, *rest = arguments or [""]
    if name not in JOBS:
        print(f"no job {name!r}; there is: {', '.join(JOBS)}", file=sys.stderr)
        return 2
    try:
        for line in JOBS[name](rest, home):
            print(line, flush=True)
    except LaomaError as error:
        print(f"{name}: {error.message}", file=sys.stderr)
        return 2 if error.status == 400 else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Path(os.environ["LAOMA_HOME"])))
