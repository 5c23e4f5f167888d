"""BM25 over texts in memory: incremental, exact after deletes, a query costs a few numpy calls."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.ports import Floats
from memory.rows import Rows
from memory.words import tokens

_K1 = 1.2
_B = 0.75
_MOST_TERMS = 64
"""Words of a query that are looked up at most."""
_BYTES_AN_ENTRY = 18
_BYTES_A_TERM = 360
_BYTES_A_ROW = 190
"""Measured with tracemalloc: a word of a text, a word with its lists, a text with its id."""


@dataclass(frozen=True, slots=True)
class WordMatch:
    """How well every row matches a query's words: ``bm25`` unbounded, ``coverage`` the share of the query's (idf-weighted) words
    that the row holds, in [0, 1]; both of shape (n,)."""

    bm25: Floats
    coverage: Floats


class _Posting:
    """The rows that hold a term, and how often."""

    __slots__ = ("counts", "rows", "term")

    def __init__(self, term: str) -> None:
        self.term = term  # the one copy of it: every text that holds it refers to this
        self.rows = array("i")
        self.counts = array("f")


class WordIndex:
    """Texts by id, in rows that stay dense. Not safe for concurrent use: one owner."""

    def __init__(self, *, k1: float = _K1, b: float = _B) -> None:
        self.rows = Rows()
        self._k1, self._b = k1, b
        self._postings: dict[str, _Posting] = {}
        self._terms: list[tuple[str, ...]] = []
        self._lengths = array("f")
        self._total = 0.0
        self._entries = 0
        self._length_norms: Floats | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """Memory held, estimated, bytes."""
        return self._entries * _BYTES_AN_ENTRY + len(self._postings) * _BYTES_A_TERM + len(self.rows) * _BYTES_A_ROW

    def put(self, key: str, text: str) -> int:
        """Adds or overwrites a text; returns its row."""
        row, new = self.rows.put(key)
        if new:
            self._terms.append(())
            self._lengths.append(0.0)
        else:
            self._unlist(row)
        self._list(row, Counter(tokens(text)))
        return row

    def drop(self, key: str) -> bool:
        """Removes a text; the last row takes its place. False where it was not held."""
        moved = self.rows.drop(key)
        if moved is None:
            return False
        row, last = moved
        self._unlist(row)
        if row != last:
            self._rename(last, row)
        self._terms.pop()
        self._lengths.pop()
        return True

    def match(self, query: str) -> WordMatch:
        """BM25 and coverage of every row. A query without known words matches nothing: all zeros."""
        n = len(self.rows)
        wanted = set(tokens(query))
        known = self._known(wanted)
        if not known or n == 0:
            return WordMatch(np.zeros(n, dtype=np.float32), np.zeros(n, dtype=np.float32))
        sizes = [len(posting.rows) for posting in known]
        rarity = np.array([idf(n, size) for size in sizes], dtype=np.float32)
        # joined as bytes: a numpy view of each posting would cost more than the arithmetic
        rows = np.frombuffer(b"".join([posting.rows for posting in known]), dtype=np.int32)
        counts = np.frombuffer(b"".join([posting.counts for posting in known]), dtype=np.float32)
        weights = rarity.repeat(sizes)
        bm25 = np.bincount(rows, weights=weights * counts * (self._k1 + 1) / (counts + self._norms()[rows]), minlength=n)
        whole = float(rarity.sum()) + _unknown(len(wanted), len(known)) * idf(n, 0)
        coverage = np.bincount(rows, weights=weights, minlength=n) / whole
        return WordMatch(bm25.astype(np.float32), coverage.astype(np.float32))

    def score(self, query: str) -> Floats:
        """BM25 of every row, shape (n,); row i belongs to ``rows.ids[i]``."""
        return self.match(query).bm25

    def postings(self, query: str) -> list[tuple[NDArray[np.int32], Floats]]:
        """For each of the query's known words the rows that hold it and how often: views, not to be kept over a put or drop."""
        known = self._known(set(tokens(query)))
        return [(np.frombuffer(posting.rows, dtype=np.int32), np.frombuffer(posting.counts, dtype=np.float32)) for posting in known]

    def lengths(self) -> Floats:
        """The number of words of each row, shape (n,)."""
        return np.array(self._lengths, dtype=np.float32)

    def _known(self, wanted: set[str]) -> list[_Posting]:
        """The postings of the query's words, in a fixed order; of a long query the rarest words only."""
        known = [(len(self._postings[term].rows), term) for term in wanted if term in self._postings]
        return [self._postings[term] for _, term in sorted(known)[:_MOST_TERMS]]

    def _norms(self) -> NDArray[np.float32]:
        if self._length_norms is None:
            mean = self._total / max(len(self.rows), 1) or 1.0
            lengths = np.array(self._lengths, dtype=np.float32)
            self._length_norms = self._k1 * (1 - self._b + self._b * lengths / np.float32(mean))
        return self._length_norms

    def _list(self, row: int, counts: Counter[str]) -> None:
        terms = []
        for term, count in counts.items():
            posting = self._postings.get(term)
            if posting is None:
                posting = self._postings[term] = _Posting(term)
            posting.rows.append(row)
            posting.counts.append(count)
            terms.append(posting.term)
        self._terms[row] = tuple(terms)
        self._lengths[row] = float(counts.total())
        self._total += counts.total()
        self._entries += len(counts)
        self._length_norms = None

    def _unlist(self, row: int) -> None:
        for term in self._terms[row]:
            posting = self._postings[term]
            at = _find(posting.rows, row)
            posting.rows[at], posting.counts[at] = posting.rows[-1], posting.counts[-1]
            posting.rows.pop()
            posting.counts.pop()
            if not posting.rows:
                del self._postings[term]
        self._entries -= len(self._terms[row])
        self._total -= self._lengths[row]
        self._terms[row] = ()
        self._lengths[row] = 0.0
        self._length_norms = None

    def _rename(self, old: int, new: int) -> None:
        for term in self._terms[old]:
            rows = self._postings[term].rows
            rows[_find(rows, old)] = new
        self._terms[new] = self._terms[old]
        self._lengths[new] = self._lengths[old]


def idf(documents: int, holding: int) -> float:
    """How much a word tells that ``holding`` of ``documents`` texts have (BM25, never negative)."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


def _unknown(wanted: int, known: int) -> int:
    return max(min(wanted, _MOST_TERMS) - known, 0)


def _find(rows: array[int], row: int) -> int:
    return int(np.flatnonzero(np.frombuffer(rows, dtype=np.int32) == row)[0])
