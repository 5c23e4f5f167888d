"""What the user's next message says about the reply before it (E1): wrong, meant otherwise, something missing, right, given up, or nothing.

"算了" is impatience, no content; a word of blame in a title, an error text or a quotation is none ("不对称加密", "错误码404").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evolution.coverage import mentions, missing
from memory.heads import QUOTED, Head, hints, load
from memory.normalise import is_chinese
from memory.ports import Embedder

Kind = Literal["explicit_negative", "rephrase", "entity_miss", "positive", "resignation", "none"]
HEAD = "signals"
LEARNT: tuple[Kind, ...] = ("explicit_negative", "rephrase", "positive", "resignation", "none")
_OWN_HINT: dict[str, Kind] = {"negative": "explicit_negative", "rephrased": "rephrase", "positive": "positive", "resigned": "resignation"}
"""Which kind a hint speaks for."""
_LONG = {True: 20, False: 60}
"""A message of so many characters counts as long, by whether it is Chinese."""
_CHARS = 300
_SURE = 0.25
"""What is less likely than that is no signal: a wrong one teaches a wrong lesson, a missed one comes again."""


@dataclass(frozen=True)
class Heard:
    """A reply with the request before it and what the user said next (None: nothing yet). ``interrupted``: the user cut it off."""

    asked: str
    reply: str
    said: str | None
    interrupted: bool = False


@dataclass(frozen=True)
class Signal:
    """``share`` is how likely the kind is (1 for what is read off the words); ``missing`` names what an incomplete reply left out."""

    kind: Kind
    share: float = 1.0
    missing: tuple[str, ...] = ()


def read(heard: Sequence[Heard], embedder: Embedder) -> list[Signal]:
    """One signal for each, in order; one batch of embeddings for all."""
    found: list[Signal | None] = [_by_words(one) for one in heard]
    open_ = [number for number, signal in enumerate(found) if signal is None]
    head = load("evolution", HEAD, embedder.name)
    if open_ and head is not None:
        shares = head.shares(table([heard[number] for number in open_], embedder, head))
        for number, row in zip(open_, shares, strict=True):
            best = int(row.argmax())
            found[number] = Signal(LEARNT[best], float(row[best])) if row[best] >= _SURE else Signal("none", float(row[best]))
    return [signal or _by_hints(one) for one, signal in zip(heard, found, strict=True)]


def table(heard: Sequence[Heard], embedder: Embedder, head: Head) -> NDArray[np.float64]:
    """Features of the head, shape (n, features): what was said, how near it is to request and reply, hints, form."""
    texts = ([QUOTED.sub("“…”", one.said or "") for one in heard], [one.asked for one in heard], [one.reply for one in heard])
    said, asked, reply = ([text[:_CHARS] or "." for text in part] for part in texts)
    chinese = np.array([is_chinese(text) for text in said])
    vectors = head.centred(np.asarray(embedder.query([*said, *asked, *reply]), dtype=np.float64), np.tile(chinese, 3))
    own, before, after = np.split(vectors, 3)
    near_request, near_reply = (own * before).sum(1), (own * after).sum(1)
    hints = np.array([_hints(one) for one in heard])
    return np.hstack([2.0 * own, 1.5 * np.c_[near_request, near_reply, near_request - near_reply], hints])


def _hints(heard: Heard) -> list[float]:
    said = heard.said or ""
    bare, words = QUOTED.sub("", said), hints("evolution", "signals")
    return [
        *(1.5 * bool(words[name].search(bare)) for name in _OWN_HINT),
        *(float(bool(words[name].search(bare))) for name in ("stressed", "turning_away")),
        *(float(bool(words[name].search(said))) for name in ("following", "asking")),
        float(heard.reply.rstrip().endswith(("?", "？"))),  # who asks back gets content, not a verdict
        float(bool(re.search(r"\d", said))),
        _overlap(said, heard.asked),
        _overlap(said, heard.reply),
        min(len(said) / _LONG[is_chinese(said)], 2.0),
    ]


def _overlap(a: str, b: str) -> float:
    """Share of the pairs of letters of ``a`` that ``b`` has too."""
    of_a, of_b = (({plain[i : i + 2] for i in range(len(plain) - 1)}) for plain in (re.sub(r"\W", "", text.lower()) for text in (a, b)))
    return len(of_a & of_b) / max(1, len(of_a))


def _by_words(heard: Heard) -> Signal | None:
    """What needs no head: nothing to judge, or a list of things that the reply answers in part."""
    if not heard.reply.strip():
        return Signal("none")
    left_out = [] if heard.interrupted else missing(heard.asked, heard.reply)
    if heard.said is None:
        return Signal("entity_miss", missing=tuple(left_out)) if left_out else Signal("none")
    if left_out and (mentions(heard.said, left_out) or hints("evolution", "signals")["left_out"].search(heard.said)):
        return Signal("entity_miss", missing=tuple(left_out))
    return None


def _by_hints(heard: Heard) -> Signal:
    """Without a head: the one hint that speaks alone, else nothing."""
    bare, words = QUOTED.sub("", heard.said or ""), hints("evolution", "signals")
    kinds = [kind for name, kind in _OWN_HINT.items() if words[name].search(bare)]
    return Signal(kinds[0], 0.5) if len(kinds) == 1 else Signal("none", 0.5)
