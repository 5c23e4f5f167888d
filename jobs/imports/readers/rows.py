"""Objects of a list or of JSON lines, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobs.imports.conversation import Reading
from jobs.imports.document import Document
from jobs.imports.json_stream import items, lines
from jobs.imports.shape import Shape


def rows(document: Document, shape: Shape, how: Reading) -> Iterator[tuple[int, str, Any]]:
    """Number (items from 0, lines from 1), place in words, and value.

    A line that is no JSON refuses the file, or with ``skip_bad`` comes as a value that is no object. Raises InvalidRequest.
    """
    if shape.kind != "lines":
        for number, item in enumerate(items(document, "item")):
            yield number, f"{document.name}: item {number}", item
        return
    for number, line in lines(document):
        if isinstance(line, ValueError) and not how.skip_bad:
            raise document.unreadable(f"line {number} is broken JSON ({line}): mend it, or pass over bad lines with --skip-bad")
        yield number, f"{document.name}: line {number}", line
