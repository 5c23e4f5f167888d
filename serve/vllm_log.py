"""vLLM's own words from INFO on, where a person looks for them: in ``LAOMA_HOME/logs/model.log``, bounded."""

from __future__ import annotations

import json
from pathlib import Path

from lake.durable import replace_text
from serve.model_state import log_of

_MOST_BYTES = 5 * 2**20
"""Then the file becomes ``model.log.1``, in the place of the one before."""


def configured(home: Path) -> Path:
    """Writes Python's logging configuration for vLLM's processes; the file."""
    handler = {
        "class": "logging.handlers.RotatingFileHandler",
        "filename": str(log_of(home)),
        "maxBytes": _MOST_BYTES,
        "backupCount": 1,
        "encoding": "utf-8",
        "formatter": "plain",
        "level": "INFO",
    }
    config = {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
        "handlers": {"file": handler},
        "loggers": {"vllm": {"handlers": ["file"], "level": "INFO", "propagate": False}},
    }
    path = home / "cache" / "vllm-logging.json"
    replace_text(path, json.dumps(config, indent=1))
    return path
