"""A process that must not outlive the one that started it, whatever ends that one (Linux)."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_SET_PARENT_DEATH_SIGNAL = 1
"""``PR_SET_PDEATHSIG`` of prctl(2)."""


def end_with(parent: int) -> None:
    """From now on this process is killed when its parent, whose pid is ``parent``, ends; where it has ended already, now."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    if os.getppid() != parent:
        sys.exit(f"the process {parent} that waited for this start has ended")
