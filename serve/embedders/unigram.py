"""Cuts text into the pieces of a SentencePiece unigram vocabulary, as XLM-RoBERTa's tokenizer does.

Of all ways to cut, the one with the highest sum of scores is taken (Viterbi). All substrings that could be pieces are looked up at once,
by hash, in numpy: a dictionary of 250,000 strings would take 50 MB in each process.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from serve.embedders.e5_bundle import Bundle

_SPACE = "\u2581"
_LONGEST = 8192
"""Characters that are read of a text."""
_UNKNOWN_COST = 10.0
"""An unknown character scores so much less than the rarest piece."""
_BASE = 0x9E3779B97F4A7C15
"""Base of the hash, a sum of ``character * base^place`` mod 2^64; odd, so that it has an inverse."""
_FILTER_BITS = 21
_FILTER_SHIFT = np.uint64(64 - _FILTER_BITS)
_Hashes = NDArray[np.uint64]


class Unigram:
    """The vocabulary of a bundle. Thread-safe."""

    def __init__(self, bundle: Bundle) -> None:
        self._characters = bundle.characters
        self._scores = bundle.scores
        self._unknown = bundle.unknown
        self._unknown_score = float(bundle.scores.min()) - _UNKNOWN_COST
        self._powers = _powers(_BASE)
        self._inverses = _powers(pow(_BASE, -1, 1 << 64))
        hashes, lengths = self._piece_hashes(bundle)
        self._longest = int(lengths.max())
        # an empty piece and the one that stands for the unknown match nothing
        known = np.flatnonzero(lengths)
        known = known[known != bundle.unknown]
        known = known[np.argsort(hashes[known], kind="stable")]
        self._hashes, self._ids = hashes[known], known.astype(np.int32)
        # nine of ten substrings are no pieces: one look tells most of them, a search among all pieces takes eighteen
        self._likely = np.zeros(1 << _FILTER_BITS, np.bool_)
        self._likely[self._hashes >> _FILTER_SHIFT] = True

    def tokens(self, text: str) -> list[int]:
        """Ids of the pieces of a text, without marks of begin and end."""
        written = re.sub("  +", " ", text.translate(self._characters))
        written = (written if written.startswith(" ") else " " + written)[:_LONGEST].replace(" ", _SPACE)
        return self._best(len(written), *self._found(np.frombuffer(written.encode("utf-32-le"), np.uint32)))

    def _found(self, characters: NDArray[np.uint32]) -> tuple[list[int], list[int], list[int]]:
        """Where a piece starts, where it ends, and its id: all pieces in the text, by start and then by end."""
        count = len(characters)
        sums = self._sums(characters)
        padded = np.concatenate([sums, np.repeat(sums[-1:], self._longest)])
        ends = np.lib.stride_tricks.sliding_window_view(padded, self._longest + 1)[:count, 1:]
        hashes = (ends - sums[:count, None]) * self._inverses[:count, None]
        start, length = np.nonzero(self._likely[hashes >> _FILTER_SHIFT])
        inside = start + length < count
        start, length = start[inside], length[inside]
        wanted = hashes[start, length]
        at = np.searchsorted(self._hashes, wanted).clip(max=len(self._hashes) - 1)
        found = self._hashes[at] == wanted
        start, length = start[found], length[found]
        return start.tolist(), (start + length + 1).tolist(), self._ids[at[found]].tolist()

    def _best(self, count: int, starts: list[int], ends: list[int], ids: list[int]) -> list[int]:
        score = [0.0] + [-1e30] * count
        piece, came_from = [self._unknown] * (count + 1), [0] * (count + 1)
        values = self._scores[ids].tolist()
        at = 0
        for here in range(count):
            while at < len(starts) and starts[at] == here:
                end = ends[at]
                if (reached := score[here] + values[at]) > score[end]:
                    score[end], piece[end], came_from[end] = reached, ids[at], here
                at += 1
            if (reached := score[here] + self._unknown_score) > score[here + 1]:
                score[here + 1], piece[here + 1], came_from[here + 1] = reached, self._unknown, here
        cut = []
        while count:
            cut.append(piece[count])
            count = came_from[count]
        return cut[::-1]

    def _sums(self, characters: NDArray[np.uint32]) -> _Hashes:
        terms = characters.astype(np.uint64) * self._powers[: len(characters)]
        return np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])

    def _piece_hashes(self, bundle: Bundle) -> tuple[_Hashes, NDArray[np.int64]]:
        """The hash of each piece and its length in characters."""
        raw = np.frombuffer(bundle.pieces, np.uint8)
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum((raw & 0xC0) != 0x80)])
        starts = before[bundle.offsets.astype(np.int64)]
        lengths = np.diff(starts)
        characters = np.frombuffer(bundle.pieces.decode().encode("utf-32-le"), np.uint32)
        places = np.arange(len(characters)) - np.repeat(starts[:-1], lengths)
        terms = characters.astype(np.uint64) * self._powers[places]
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
        return sums[starts[1:]] - sums[starts[:-1]], lengths


def _powers(base: int) -> _Hashes:
    factors = np.full(_LONGEST, base, np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)
