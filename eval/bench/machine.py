"""What a benchmark ran on, in words: figures without it tell nothing."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import psutil


def machine() -> str:
    """E.g. ``AMD EPYC 7B13, 2 cores, 24 GB, Linux 6.1 x86_64, Python 3.11.7, load 0.4``."""
    cores = len(os.sched_getaffinity(0))
    memory = psutil.virtual_memory().total / 2**30
    system = f"{platform.system()} {platform.release().split('-')[0]} {platform.machine()}"
    return f"{_processor()}, {cores} cores, {memory:.0f} GB, {system}, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8", errors="replace").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"
