"""The active branch of a conversation that is kept as a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Node = dict[str, Any]


class Broken(ValueError):
    """The tree is none; the words say why."""


def branch(nodes: Mapping[str, Any], leaf: str | None, *, parent: str, at: Callable[[Node], float]) -> list[Node]:
    """The nodes from the root to ``leaf``, or to the latest end of a branch where none is named.

    ``parent`` is the key of a node's parent, ``at`` its time. Raises :class:`Broken` on circles and on nodes that are not there.
    """
    if leaf is None:
        leaf = _latest(nodes, parent, at)
    path: list[Node] = []
    seen: set[str] = set()
    while leaf is not None:
        node = nodes.get(leaf)
        if not isinstance(node, dict):
            raise Broken(f"node {leaf!r} is missing")
        if leaf in seen:
            raise Broken(f"node {leaf!r} is its own ancestor")
        seen.add(leaf)
        path.append(node)
        leaf = node.get(parent)
        if leaf is not None and not isinstance(leaf, str):
            raise Broken("a node's parent is no id")
    return path[::-1]


def _latest(nodes: Mapping[str, Any], parent: str, at: Callable[[Node], float]) -> str | None:
    parents = {node.get(parent) for node in nodes.values() if isinstance(node, dict)}
    ends = [id for id, node in nodes.items() if id not in parents and isinstance(node, dict)]
    if nodes and not ends:
        raise Broken("every node is another's ancestor")
    return max(ends, key=lambda id: at(nodes[id]), default=None)
