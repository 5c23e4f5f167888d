"""What counts as a word: the keys by which texts are found, compared and told apart.

Chinese, Japanese and Korean runs become bigrams (and single characters, which carry meaning of their own), everything else
becomes lower-case words, English ones stemmed (Snowball). Only keys are folded (:func:`memory.normalise.fold`: width, case, traditional
to simplified); stored and shown text is never touched.
"""

from __future__ import annotations

import re
from functools import lru_cache

import Stemmer

from memory.normalise import fold
from memory.stop_words import CHINESE_STOP_CHARACTERS, ENGLISH_STOP_WORDS

_RUN = re.compile(
    r"(?P<cjk>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af\U00020000-\U0003ffff]+)"
    r"|(?P<word>[^\W_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af\U00020000-\U0003ffff]+(?:['’][^\W\d_]+)?)"
)
_STEM = Stemmer.Stemmer("english").stemWord


def tokens(text: str) -> list[str]:
    """The words of ``text`` in order, repeated as often as they occur: bigrams and characters for Chinese, stems for English."""
    found: list[str] = []
    for run in _RUN.finditer(fold(text)):
        if run.lastgroup == "cjk":
            found += _cjk(run.group())
        elif (word := _word(run.group())) is not None:
            found.append(word)
    return found


def _cjk(run: str) -> list[str]:
    pairs = [run[i : i + 2] for i in range(len(run) - 1)]
    return [pair for pair in pairs if not (pair[0] in CHINESE_STOP_CHARACTERS and pair[1] in CHINESE_STOP_CHARACTERS)] + [
        char for char in run if char not in CHINESE_STOP_CHARACTERS
    ]


@lru_cache(maxsize=65536)
def _word(word: str) -> str | None:
    plain = word.replace("’", "'")
    if plain in ENGLISH_STOP_WORDS:
        return None
    plain = plain.removesuffix("'s")
    if plain in ENGLISH_STOP_WORDS:
        return None
    return str(_STEM(plain)) if plain.isascii() else plain
