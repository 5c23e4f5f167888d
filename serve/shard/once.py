"""Which methods of the shard do something else when they are called twice: those are never called again on a mere suspicion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])
ONCE: set[str] = set()
"""Their names."""


def once(method: Method) -> Method:
    """A second call would count as a second wish: another confirmation, another version, "no such memory" for what it deleted itself."""
    ONCE.add(method.__name__)
    return method
