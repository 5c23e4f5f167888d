"""BM25 over turns that count their neighbours' words too: own ones twice, the neighbours' once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory.neighbours import NOBODY, Neighbours
from memory.ports import Floats
from memory.word_index import WordIndex, idf

_OWN = 2.0
_K1 = 1.6
_B = 0.75


def neighbourly_bm25(words: WordIndex, neighbours: Neighbours, query: str) -> Floats:
    """BM25 of every turn as if its text were its own words twice and its neighbours' once, shape (n,).

    Counted while searching, so that a new turn rewrites nothing of the ones before it.
    """
    n = len(words)
    postings = words.postings(query)
    total = np.zeros(n, dtype=np.float32)
    if not postings:
        return total
    table = neighbours.table
    norms = _length_norms(words, neighbours)
    for rows, counts in postings:
        frequency = _with_neighbours(rows, counts, table, n)
        holding = int(np.count_nonzero(frequency))
        total += np.float32(idf(n, holding) * (_K1 + 1)) * frequency / (frequency + norms)
    return total


def _with_neighbours(rows: NDArray[np.int32], counts: Floats, table: NDArray[np.int32], n: int) -> Floats:
    around = table[rows]
    present = around != NOBODY
    heard = np.broadcast_to(counts[:, None], around.shape)[present]
    where = np.concatenate([rows, around[present]])
    return np.bincount(where, weights=np.concatenate([_OWN * counts, heard]), minlength=n).astype(np.float32)


def _length_norms(words: WordIndex, neighbours: Neighbours) -> Floats:
    own = words.lengths()
    lengths = _OWN * own + neighbours.spread(own)
    mean = max(float(lengths.mean()), 1e-6)
    return np.asarray(_K1 * (1 - _B + _B * lengths / np.float32(mean)), dtype=np.float32)
