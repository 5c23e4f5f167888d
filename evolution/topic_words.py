"""The words that name a topic: those that it uses and its peers do not."""

from __future__ import annotations

import logging
import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from memory.normalise import fold
from memory.stop_words import CHINESE_STOP_CHARACTERS, ENGLISH_STOP_WORDS

if TYPE_CHECKING:
    from jieba import Tokenizer

_WORD = re.compile(r"[\u3400-\u9fff]{2,}|[a-z][a-z0-9+#'-]{2,}")
_COMMON = """
怎么 什么 多少 为什么 怎么办 哪个 哪些 如何 可以 需要 应该 有没有 是不是 能不能 要不要 合适 一下 一次
几天 几个 多久 没有 知道 时候 现在 今天 还是 这个 那个 我们 麻烦 问下 刚才 明白 再问 不能 就是 起来
出来 使用 请问 帮我 why how what which when get got need make use way
want like many much long good best right one two
"""
_COMMON_WORDS = frozenset(_COMMON.split())


def names(texts: Sequence[str], topics: Sequence[Sequence[int]], most: int = 5) -> list[tuple[str, ...]]:
    """For each topic (rows of ``texts``) its ``most`` telling words: those said in many of its questions and in few others, best first."""
    words = [frozenset(_words(text)) for text in texts]
    everywhere = Counter(word for own in words for word in own)
    found = []
    for rows in topics:
        here = Counter(word for row in rows for word in words[row])
        score = {word: count * math.log((1 + len(texts)) / everywhere[word]) * count / everywhere[word] for word, count in here.items()}
        found.append(tuple(sorted(score, key=lambda word: (-score[word], word))[:most]))
    return found


def _words(text: str) -> list[str]:
    cut = [word for piece in _tokenizer().cut(fold(text)) for word in _WORD.findall(piece)]
    return [
        word
        for word in cut
        if word not in _COMMON_WORDS and word not in ENGLISH_STOP_WORDS and not all(char in CHINESE_STOP_CHARACTERS for char in word)
    ]


@cache
def _tokenizer() -> Tokenizer:
    """Reads its dictionary itself (a second, once): jieba's own way trusts a cache that lies in the common temporary folder."""
    import jieba

    jieba.setLogLevel(logging.WARNING)
    made = jieba.Tokenizer()
    made.FREQ, made.total = made.gen_pfdict(made.get_dict_file())
    made.initialized = True
    return made
