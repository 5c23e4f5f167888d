"""The command line: builds the application, turns every failure into one clear line."""

from __future__ import annotations

import os
import sys

from commands.app import build
from schemas.errors import LaomaError, Misuse

FAILED, MISUSED = 1, 2


def main() -> None:
    """Exit status: 0 done, 1 failed, 2 misuse."""
    try:
        build()()
    except Misuse as error:
        _fail(error.message, MISUSED)
    except LaomaError as error:
        _fail(error.message)
    except BrokenPipeError:
        _fall_silent()
    except Exception as error:
        if os.environ.get("LAOMA_DEBUG"):
            raise
        _fail(f"{type(error).__name__}: {error}. This is a fault of laoma: LAOMA_DEBUG=1 shows where.")


def _fail(message: str, status: int = FAILED) -> None:
    sys.stdout.flush()
    sys.stderr.write(f"laoma: {' '.join(message.split())}\n")
    sys.exit(status)


def _fall_silent() -> None:
    # whoever read our output went away: nothing is left to say, and Python must not complain at its end either
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(FAILED)


if __name__ == "__main__":
    main()
