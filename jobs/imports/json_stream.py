"""JSON read as a stream: never more than one item of a list in memory, and errors that say where."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import ijson
from ijson.common import ObjectBuilder

from jobs.imports.document import Document
from jobs.imports.limits import LONGEST_CONVERSATION, LONGEST_LINE

_BUFFER = 1 << 16


def items(document: Document, prefix: str) -> Iterator[Any]:
    """The items at an ijson prefix (``item``, ``state.messages.item``), one at a time. Raises InvalidRequest."""
    with _stream(document) as stream:
        for one in ijson.items(stream, prefix, use_float=True, buf_size=_BUFFER):
            stream.mark()
            yield one


def members(document: Document, wanted: Callable[[str], bool]) -> Iterator[tuple[str, Any]]:
    """Key and value of a top-level object's members, only those that are wanted; the others are not built. Raises InvalidRequest."""
    with _stream(document) as stream:
        depth, key, builder = 0, "", None
        for event, value in ijson.basic_parse(stream, use_float=True, buf_size=_BUFFER):
            if event == "map_key" and depth == 1:
                key = value
                builder = ObjectBuilder() if wanted(key) else None
                continue
            depth += (event in ("start_map", "start_array")) - (event in ("end_map", "end_array"))
            if builder is not None and depth > 0:
                builder.event(event, value)
                if depth == 1:
                    yield key, builder.value
                    builder = None
            if builder is None:
                stream.mark()


def events(document: Document) -> Iterator[tuple[str, Any]]:
    """ijson's events. Raises InvalidRequest."""
    with _stream(document) as stream:
        for event in ijson.basic_parse(stream, use_float=True, buf_size=_BUFFER):
            stream.mark()
            yield event


def lines(document: Document) -> Iterator[tuple[int, Any]]:
    """Number (from 1) and JSON of each line that is not blank; a line that is no JSON comes as a ValueError."""
    with document.text() as text:
        number = 0
        while line := text.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                raise document.unreadable(f"line {number} is longer than {LONGEST_LINE >> 20} million characters, the most that is read")
            if line.strip("\ufeff \t\r\n"):
                yield number, _json(line.strip("\ufeff"))


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except RecursionError:
        return ValueError("too deeply nested")
    except ValueError as error:
        return error


@contextmanager
def _stream(document: Document) -> Iterator[_Counting]:
    with document.utf8() as raw:
        stream = _Counting(raw, document)
        try:
            yield stream
        except ijson.IncompleteJSONError as error:
            # the parser reads ahead by one buffer: only the end of the file is known to the byte
            where = f"byte {document.size}, where the file ends" if stream.ended else f"byte {stream.place}, or shortly before"
            problem = "the file is cut short" if stream.ended and "premature" in str(error) else f"broken JSON ({_first_line(error)})"
            raise document.unreadable(f"{problem} at {where}") from None
        except ijson.JSONError as error:
            raise document.unreadable(f"broken JSON at byte {stream.place} or shortly before ({_first_line(error)})") from None
        except (RecursionError, MemoryError):
            raise document.unreadable("too deeply nested, or too large to be read") from None


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:80].removeprefix("parse error: ").removeprefix("lexical error: ")


class _Counting:
    """Counts what was read, and refuses to read on where one item is too large to be held."""

    def __init__(self, raw: BinaryIO, document: Document) -> None:
        self._raw, self._document = raw, document
        self.place = self._marked = 0
        self.ended = False

    def mark(self) -> None:
        """An item ends here."""
        self._marked = self.place

    def read(self, size: int = -1) -> bytes:
        """``size`` bytes, or more where no item ended for long."""
        # the parser looks at an unfinished string anew with each buffer: in ever larger ones that costs no square of its length
        data = self._raw.read(max(size, self.place - self._marked) if size > 0 else size)
        self.place += len(data)
        self.ended = not data
        if self.place - self._marked > LONGEST_CONVERSATION:
            raise self._document.unreadable(f"one conversation is larger than {LONGEST_CONVERSATION >> 20} MiB, the most that is read")
        return data
