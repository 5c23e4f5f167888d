"""The encoder of multilingual-e5-small as an ONNX graph in 8 bits: embedded tokens in, the mean of their last states out.

Activations are quantised as they come (one scale a text), weights once (one scale a column).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from memory.ports import Floats
from serve.embedders.e5_bundle import Bundle
from serve.embedders.e5_reach import drawn_in
from serve.embedders.onnx_model import Graph

_LEVELS = 64
"""Weights span 7 bits: AVX2 adds two products of 8 bits in 16 and would saturate (2 x 255 x 64 < 2^15)."""
_OURS = "com.microsoft"


def encoder(bundle: Bundle, reach: Mapping[str, Floats]) -> bytes:
    """A model file. Input ``tokens``: word + position + type embeddings before their normalisation, shape (1, length, 384);
    output ``mean``, shape (1, 384). ``reach`` is what :func:`serve.embedders.e5_reach.reaches` found."""
    graph = Graph("multilingual-e5-small")
    scale, shift = _normal(graph, bundle, "emb.ln")
    state = graph.node("LayerNormalization", ["tokens", scale, shift], ["start"], axis=-1, epsilon=bundle.epsilon)
    for layer in range(bundle.layers):
        state = _layer(graph, bundle, reach, f"l{layer}", state)
    axes = graph.constant("axes", np.array([1], np.int64))
    graph.node("ReduceMean", [state, axes], ["mean"], keepdims=0)
    return graph.to_bytes({"tokens": (1, "length", bundle.dim)}, {"mean": (1, bundle.dim)})


def _layer(graph: Graph, bundle: Bundle, reach: Mapping[str, Floats], at: str, state: str) -> str:
    joint = np.concatenate([bundle.matrix(f"{at}.{part}.w") for part in "qkv"])
    bias = np.concatenate([bundle.floats(f"{at}.{part}.b") for part in "qkv"])
    sides = [f"{at}.{part}" for part in "qkv"]
    graph.node("Split", [_product(graph, reach, f"{at}.qkv", state, joint, bias)], sides, axis=-1, num_outputs=3)
    seen = graph.node("MultiHeadAttention", sides, [f"{at}.seen"], _OURS, num_heads=bundle.heads)
    state = _residual(graph, bundle, f"{at}.aln", _linear(graph, bundle, reach, f"{at}.ao", seen), state)
    wide = graph.node("Gelu", [_linear(graph, bundle, reach, f"{at}.fi", state)], [f"{at}.wide"], _OURS)
    return _residual(graph, bundle, f"{at}.oln", _linear(graph, bundle, reach, f"{at}.fo", wide), state)


def _linear(graph: Graph, bundle: Bundle, reach: Mapping[str, Floats], name: str, state: str) -> str:
    return _product(graph, reach, name, state, bundle.matrix(f"{name}.w"), bundle.floats(f"{name}.b"))


def _product(graph: Graph, reach: Mapping[str, Floats], name: str, state: str, weights: Floats, bias: Floats) -> str:
    """``state @ weights.T + bias`` in 8 bits; weights of shape (out, in)."""
    if name in reach:
        factor = drawn_in(reach[name])
        state = graph.node("Mul", [state, graph.constant(f"{name}.drawn", 1 / factor)], [f"{name}.near"])
        weights = weights * factor
    whole, step = quantised(weights)
    inputs = [state, graph.constant(f"{name}.w", whole), graph.constant(f"{name}.step", step), "", graph.constant(f"{name}.b", bias)]
    return graph.node("DynamicQuantizeMatMul", inputs, [name], _OURS)


def _residual(graph: Graph, bundle: Bundle, name: str, fresh: str, state: str) -> str:
    # two plain operators: the fused SkipLayerNormalization takes three times as long on the CPU
    both = graph.node("Add", [fresh, state], [f"{name}.sum"])
    return graph.node("LayerNormalization", [both, *_normal(graph, bundle, name)], [name], axis=-1, epsilon=bundle.epsilon)


def _normal(graph: Graph, bundle: Bundle, name: str) -> tuple[str, str]:
    return graph.constant(f"{name}.w", bundle.floats(f"{name}.w")), graph.constant(f"{name}.b", bundle.floats(f"{name}.b"))


def quantised(weights: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Weights of shape (out, in) as whole numbers of shape (in, out) and the step of each column, shape (out,)."""
    step = np.maximum(np.abs(weights).max(axis=1), np.float32(1e-12)) / np.float32(_LEVELS)
    return np.rint(weights / step[:, None]).astype(np.int8).T, step.astype(np.float32)
