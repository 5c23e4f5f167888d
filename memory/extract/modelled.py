"""From what a model found to statements: the same filter, score and slots as the rules', and nothing that the user did not say (R9).

A claim is held against the user's own words: words, numbers and names that are in none of them make it fall, and so does a source that
is a question, a quotation, a joke. So a model can add what the rules don't see, yet invent, translate and copy nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memory.adjudicate import polarity
from memory.extract import filter
from memory.extract.answer import NEW, Claim
from memory.extract.asking import PROMPT, language_of
from memory.extract.dates import SETTLED, absolute
from memory.extract.importance import STAYS_FROM, importance
from memory.extract.protocol import Extractor, Passage
from memory.extract.relations import relation
from memory.extract.split import Span, clauses, sentences
from memory.extract.stated import stated
from memory.normalise import fold, is_chinese, mirror, statement_key
from memory.privacy import redact
from memory.prompts import source
from memory.statement import Statement
from memory.words import tokens
from schemas.memory import USER_SUBJECT, Memory

_FROM_TURN, _FROM_TALK = 0.5, 0.75
"""Shares of a claim's words that the turn itself, and the turn with what the user said before, must hold."""
_SAID_ALREADY = 0.6
"""Share of words that makes a claim and a statement of the rules one and the same."""
_MAX_HAN, _MAX_WORDS = 120, 60
_NUMBER = re.compile(r"\d+(?:[.:]\d+)?")
_NAME = re.compile(r"(?<=[^\s.!?] )[A-Z][\w'-]*|[A-Za-z]{2,}(?=[^a-z]*[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])[A-Za-z]{2,}")
_LINK = re.compile(r"https?://|www\.")
_USER = {"user", "用户", "我", "me", "i", "the user", ""}
_UNSLOTTED = "备忘"


def statements(
    claims: Iterable[Claim], passage: Passage, known: Mapping[str, Memory], *, slots: Extractor, said: Sequence[Statement]
) -> list[Statement]:
    """The claims that stand, as statements. ``known`` are the offered memories; ``slots`` names the slot of a text where its rules know
    it; ``said`` are the rules' own statements of the turn: what they have is not said twice.
    """
    found: dict[str, Statement] = {}
    covered = [set(_content(one.text)) for one in said if not one.only_if_known]
    for claim in claims:
        one = _Reading(passage, known, slots).statement(claim)
        if one is None or any(_overlap(set(_content(one.text)), words) >= _SAID_ALREADY for words in covered):
            continue
        found.setdefault(statement_key(one.text), one)
    return list(found.values())


@dataclass(frozen=True)
class _Reading:
    passage: Passage
    known: Mapping[str, Memory]
    slots: Extractor

    def statement(self, claim: Claim) -> Statement | None:
        own = filter.own_words(self.passage.text, self.passage.before)
        text = _as_said(" ".join(claim.text.split()).rstrip(" 。.!！"), own)
        old = self.known.get(claim.of) if claim.of != NEW else None
        clause = self._clause(text, own)
        if clause is None or not self._is_said(text, own, old, clause) or not _may_be_kept(text, language_of(self.passage)):
            return None
        about = self._about(claim.about, own)
        if about is None:
            return None
        return self._scored(claim, text, about, clause, old)

    def _scored(self, claim: Claim, text: str, about: str, clause: str, old: Memory | None) -> Statement | None:
        passage = self.passage
        one = stated(text, self.slots, at=passage.at, zone=passage.zone)
        if one.key.startswith(_UNSLOTTED):
            one = replace(one, kind=claim.kind, subject=about, priority=0)
        if old is not None and old.subject == one.subject and _about_the_same(text, old):
            one = replace(one, key=old.key, scene=old.scene, kind=old.kind)
        mood = claim.holds
        if filter.mood(clause) == "hedged" and (filter.mood(mirror(text)) != "hedged" or one.key == getattr(old, "key", None)):
            mood = "hedged"
        points = claim.weight + importance(
            personal=True, reusable=mood != "once", explicit=True, correction=one.correction, timebound=mood == "once"
        )
        if points < STAYS_FROM:
            return None
        day = self._day(claim, text, clause)
        dated = f"（{day}）" if is_chinese(text) else f" ({day})"
        return replace(
            one, text=text + dated if day else text, importance=min(100, points), mood=mood, cue="model", polarity=polarity(text)
        )

    def _clause(self, text: str, own: str) -> str | None:
        """The user's clause that a claim comes from, mirrored; None where there is none, or one that nothing is kept of."""
        words = set(_content(text))
        best = max(sentences(own), key=lambda sentence: _share(words, sentence.text), default=None)
        if best is None or filter.says_nothing_lasting(mirror(best.text) + best.closing):
            return None
        pieces = clauses(best)
        piece: Span = max(pieces, key=lambda one: _share(words, one.text))
        plain = mirror(piece.text)
        asks = filter.is_question(plain, best.closing if piece is pieces[-1] else "")
        return None if asks or filter.quotes_others(plain) else plain

    def _is_said(self, text: str, own: str, old: Memory | None, clause: str) -> bool:
        """Whether the user said it: its words, its numbers, its names."""
        words = set(_content(text))
        talk = [own, *(said.text for said in self.passage.before if said.role == "user"), *([old.text] if old else [])]
        day = absolute(clause, self.passage.at.astimezone(self.passage.zone).date()) or ""
        told = fold("\n".join([*talk, day]))
        numbers = {str(number).lstrip("0") for number in _NUMBER.findall(told)}
        return (
            bool(words)
            and _share(words, own) >= _FROM_TURN
            and _share(words, "\n".join(talk)) >= _FROM_TALK
            and all(number.lstrip("0") in numbers for number in _NUMBER.findall(mirror(text)))
            and all(fold(name) in told for name in _NAME.findall(text))
            and statement_key(text) not in fold(source(PROMPT, language_of(self.passage)))
        )

    def _about(self, about: str, own: str) -> str | None:
        """The subject, None where a claim is about somebody the user did not name."""
        if fold(about) in _USER:
            return USER_SUBJECT
        who = relation(about)
        talk = fold("\n".join([own, *(said.text for said in self.passage.before if said.role == "user")]))
        named = fold(about) in talk or any(relation(word) == who for word in re.findall(r"\w+", talk))
        return who if named else None

    def _day(self, claim: Claim, text: str, clause: str) -> str | None:
        """The day that a relative date in it means, as of the turn's own time."""
        day = absolute(mirror(text), self.passage.at.astimezone(self.passage.zone).date())
        if day is None and claim.kind == "event":
            day = absolute(clause, self.passage.at.astimezone(self.passage.zone).date())
        return None if day is None or day in text or SETTLED.search(text) else day


def _may_be_kept(text: str, language: str) -> bool:
    fits = len(text) <= _MAX_HAN if language == "zh" else len(text.split()) <= _MAX_WORDS
    return (
        fits and len(statement_key(text)) >= 2 and ("zh" if is_chinese(text) else "en") == language
        and not _LINK.search(mirror(text)) and not redact(text).never
    )  # fmt: skip


def _about_the_same(text: str, old: Memory) -> bool:
    """A number that a model names must point to something that shares a word with the claim."""
    return bool(set(_content(text)) & set(_content(old.text)))


def _as_said(text: str, own: str) -> str:
    """The claim in the user's script: a character that the user writes in the traditional form keeps it."""
    forms = {plain: char for plain, char in zip(mirror(own), own, strict=True) if plain != char and char > "\u3400"}
    return "".join(forms.get(char, char) for char in text) if forms else text


def _content(text: str) -> list[str]:
    return tokens(statement_key(text))


def _share(words: set[str], text: str) -> float:
    return len(words.intersection(tokens(text))) / len(words) if words else 0.0


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))
