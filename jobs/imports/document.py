"""A source whose encoding is known, as UTF-8 bytes or as text."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import BinaryIO, TextIO

from jobs.imports.source import Source
from schemas.errors import InvalidRequest

_CHUNK = 1 << 20
_SURELY_UTF8 = 8
"""After so many characters beyond ASCII a byte that is no UTF-8 means damage, not another encoding."""
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True)
class Document:
    """A source that was looked through once: ``encoding`` is Python's name, ``digest`` that of its bytes (hex),
    ``blank``: only white space."""

    source: Source
    encoding: str
    size: int
    digest: str
    blank: bool

    @property
    def name(self) -> str:
        """For people."""
        return self.source.name

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        return self.source.stem

    @contextmanager
    def utf8(self) -> Iterator[BinaryIO]:
        """Its bytes in UTF-8, without a byte order mark."""
        with self.source.open() as raw:
            if self.encoding == "utf-8":
                yield raw
            else:
                yield _Recoded(raw, self.encoding)  # type: ignore[misc]  # only read is asked of it

    @contextmanager
    def text(self) -> Iterator[TextIO]:
        """Its text, line ends as they are."""
        with self.source.open() as raw:
            yield io.TextIOWrapper(raw, encoding=self.encoding, newline="")

    def unreadable(self, problem: str) -> InvalidRequest:
        """The error that refuses this file."""
        return InvalidRequest(f"{self.name}: {problem}", code="unreadable_import")


def examine(source: Source) -> Document:
    """Look through a source once: encoding, size, digest. Raises InvalidRequest where no encoding fits, with the byte's offset."""
    digest = blake2b(digest_size=20)
    with source.open() as raw:
        start = raw.read(4)
        encoding = next((name for mark, name in _BOMS.items() if start.startswith(mark)), "utf-8")
        decoding = _Decoding(encoding)
        chunk = start
        while chunk:
            digest.update(chunk)
            decoding.take(chunk)
            chunk = raw.read(_CHUNK)
        decoding.end()
    if decoding.failed_at is not None:
        encoding, decoding = _instead(source, decoding)
    return Document(source, encoding, decoding.size, digest.hexdigest(), not decoding.has_text)


def _instead(source: Source, utf8: _Decoding) -> tuple[str, _Decoding]:
    place = f"byte {utf8.failed_at}"
    if utf8.cut_off:
        raise InvalidRequest(
            f"{source.name}: breaks off in the middle of a character at {place}: it is cut short", code="unreadable_import"
        )
    if utf8.beyond_ascii < _SURELY_UTF8 and utf8.encoding == "utf-8":
        other = _Decoding("gb18030")
        with source.open() as raw:
            for chunk in iter(lambda: raw.read(_CHUNK), b""):
                other.take(chunk)
            other.end()
        if other.failed_at is None:
            return "gb18030", other
    raise InvalidRequest(
        f"{source.name}: {place} is no {utf8.encoding.upper().removesuffix('-SIG')} text: save the file as UTF-8 and try again",
        code="unreadable_import",
    )


class _Decoding:
    """Decodes chunks to see whether an encoding fits; keeps nothing of them."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self.size = self.beyond_ascii = 0
        self.has_text = self.cut_off = False
        self.failed_at: int | None = None
        self._decoder = codecs.getincrementaldecoder(encoding)("strict")

    def take(self, chunk: bytes, *, final: bool = False) -> None:
        pending = len(self._decoder.getstate()[0])
        self.size += len(chunk)
        if self.failed_at is not None:
            return
        try:
            text = self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            self.failed_at = self.size - len(chunk) - pending + error.start
            self.cut_off = final
            text = chunk[: max(0, error.start - pending)].decode(self.encoding, "ignore")
        if self.beyond_ascii < _SURELY_UTF8 and not text.isascii():
            self.beyond_ascii += sum(char > "\x7f" for char in text)
        self.has_text = self.has_text or bool(text.strip("\ufeff \t\r\n\x00"))

    def end(self) -> None:
        self.take(b"", final=True)


class _Recoded:
    """Any encoding's bytes as UTF-8, chunk by chunk."""

    def __init__(self, raw: BinaryIO, encoding: str) -> None:
        self._raw = raw
        self._decode: Callable[[bytes, bool], str] = codecs.getincrementaldecoder(encoding)("strict").decode
        self._ended = False

    def read(self, size: int = -1) -> bytes:
        while size != 0 and not self._ended:
            chunk = self._raw.read(size if size > 0 else _CHUNK)
            self._ended = not chunk
            if recoded := self._decode(chunk, self._ended).encode():
                return recoded
        return b""
