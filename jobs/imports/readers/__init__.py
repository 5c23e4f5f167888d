"""The formats of exports, one small file each behind :class:`jobs.imports.conversation.Reader`; a format is known by its content."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jobs.imports.conversation import Problem, Reader, Reading, Told
from jobs.imports.document import Document
from jobs.imports.readers.chatbox import ChatBox
from jobs.imports.readers.chatgpt import ChatGPT
from jobs.imports.readers.cherrystudio import CherryStudio
from jobs.imports.readers.claude import Claude
from jobs.imports.readers.csv import Csv
from jobs.imports.readers.lobechat import LobeChat
from jobs.imports.readers.memories import Memories
from jobs.imports.readers.nextchat import NextChat
from jobs.imports.readers.openai import OpenAI
from jobs.imports.readers.openwebui import OpenWebUI
from jobs.imports.readers.sharegpt import ShareGPT
from jobs.imports.readers.sillytavern import SillyTavern
from jobs.imports.readers.wechat import WeChat
from jobs.imports.shape import Shape, look
from schemas.errors import Misuse

READERS: tuple[Reader, ...] = (
    ChatGPT(), Claude(), OpenWebUI(), LobeChat(), NextChat(), CherryStudio(), ChatBox(),
    SillyTavern(), ShareGPT(), OpenAI(), Csv(), WeChat(), Memories(),
)  # fmt: skip
AUTO = "auto"


@dataclass(frozen=True)
class Recognised:
    """A document and who reads it: ``reader`` is None where it is an empty list, or nothing that is known."""

    document: Document
    shape: Shape
    reader: Reader | None
    format: str

    @property
    def is_nothing(self) -> bool:
        """An export without a single conversation."""
        return self.reader is None and self.shape.kind == "array" and self.shape.empty

    def read(self, how: Reading) -> Iterator[Told | Problem]:
        """The conversations. Raises InvalidRequest where nobody recognised the document, and while it is read."""
        if self.reader is not None:
            yield from self.reader.read(self.document, self.shape, how)
        elif not self.is_nothing:
            kind = "no known export" if self.format == AUTO else f"no export of {self.format}"
            raise self.document.unreadable(
                f"{kind}: expected a list of conversations as ChatGPT, Claude and others write it, found {self.shape}"
            )


def recognise(document: Document, format: str = AUTO) -> Recognised:
    """Who reads a document. Raises InvalidRequest for an empty or broken one, Misuse for an unknown format."""
    wanted = named(format)
    if document.blank:
        raise document.unreadable("the file is empty")
    shape = look(document, lambda shape: any(one.recognises(shape) for one in wanted))
    return Recognised(document, shape, next((one for one in wanted if one.recognises(shape)), None), format)


def named(format: str) -> tuple[Reader, ...]:
    """The readers of a format, all for ``auto``. Raises Misuse for one that is not known."""
    found = tuple(one for one in READERS if format in (AUTO, one.name))
    if not found:
        raise Misuse(f"no format {format!r}: there is {AUTO}, {', '.join(one.name for one in READERS)}")
    return found
