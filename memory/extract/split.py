"""Sentences and clauses of a turn, with their places in it, so that what is kept is cut from the text itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SENTENCE_END = re.compile(
    (
        r"[。！？；\n]+|(?<![!?])[!?]++(?=\s|$)|(?<!\bdr)(?<!\bmr)(?<!\bms)(?<!\bmrs)(?<!\bst)(?<!\bjr)(?<!\bvs)"
        r"(?<!\be\.g)(?<!\b[a-z])\.+(?=\s|$)"
    ),
    re.IGNORECASE,
)
_CLAUSE_END_ZH = re.compile(r"[，,]\s*")
_CLAUSE_END_EN = re.compile(
    r"\s+--?\s+|,?\s+(?:and|but|so|because)\s+(?=(?:i|i'm|i’m|my|we|our|please|always|never|don't|call|choose|pick|use|send|book)\b)"
    r"|,\s+(?=(?:i|i'm|i’m|my|we|our|please)\b)|,\s+(?=(?:can|could|what|should|is|do|any)\b[^,]*$)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"^(?:以后|今后|每次|凡是|只要|遇到|平时)?(?:凡是|每次|只要|遇到)?[^，,我你]{0,8}(?:给我)?"
    r"[^，,我你]{0,10}(?:的时候|时|之前|之后|的(?:代码|邮件|文档|报告|表格|东西))$"
)
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True)
class Span:
    """A piece of a turn: ``text == turn[start:end]``; ``closing`` is the mark that ends its sentence ("?", "。", "")."""

    text: str
    start: int
    end: int
    closing: str = ""


def sentences(text: str) -> list[Span]:
    """The sentences of a turn. Abbreviations ("Dr.", "e.g.") and points inside numbers end none."""
    return list(_cut(text, 0, _SENTENCE_END, keep_closing=True))


def clauses(sentence: Span) -> list[Span]:
    """The clauses of a sentence: at commas in Chinese, at a new first-person clause in English (R8)."""
    pattern = _CLAUSE_END_ZH if _HAN.search(sentence.text) else _CLAUSE_END_EN
    pieces = _with_conditions(list(_cut(sentence.text, sentence.start, pattern, keep_closing=False)), sentence)
    return [Span(piece.text, piece.start, piece.end, sentence.closing) for piece in pieces]


def _with_conditions(pieces: list[Span], sentence: Span) -> list[Span]:
    """A condition ("凡是给我写的代码，") belongs to the demand that follows it."""
    joined: list[Span] = []
    for piece in pieces:
        if joined and _CONDITION.match(joined[-1].text):
            start = joined[-1].start
            joined[-1] = Span(sentence.text[start - sentence.start : piece.end - sentence.start], start, piece.end)
        else:
            joined.append(piece)
    return joined


def _cut(text: str, offset: int, ends: re.Pattern[str], *, keep_closing: bool) -> Iterator[Span]:
    start = 0
    for end in ends.finditer(text):
        if piece := _trimmed(text, start, end.start(), offset, end.group().strip() if keep_closing else ""):
            yield piece
        start = end.end()
    if piece := _trimmed(text, start, len(text), offset, ""):
        yield piece


def _trimmed(text: str, start: int, end: int, offset: int, closing: str) -> Span | None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    piece = piece.strip()
    return Span(piece, offset + start + left, offset + start + left + len(piece), closing) if piece else None
