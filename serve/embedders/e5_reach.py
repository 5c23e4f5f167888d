"""How far the states of the encoder reach, channel by channel: what 8 bits have to span.

A few channels reach ten times as far as the rest, mostly at the text's first mark. One scale for all would leave the rest few steps, so
those are drawn in before they are quantised, and their weights are drawn out by as much: SmoothQuant (arXiv 2211.10438), for outliers only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory.ports import Floats
from serve.embedders.e5_bundle import Bundle

EXAMPLES = (
    "passage: 今天天气不错，我们去公园走走吧。",
    "passage: The meeting was moved to Friday, please tell the others.",
    "query: 我喜欢喝什么咖啡？",
    "query: How do I fix a leaking tap?",
)
"""Short texts of each kind: the far channels are the same in all texts."""
_ORDINARY = 0.9
"""Share of the channels that stay as they are."""
_STEPS = 4
"""To a factor of two."""
_EASED = 0.7
"""Exponent of the excess: wholly drawn in (1) the weights would lose what the states gain."""


def drawn_in(reach: Floats) -> Floats:
    """What to divide each channel by, at least 1; ``reach`` is the largest value of each channel.

    In steps: float32 sums differ in their last digits with the number of threads, the graph must not.
    """
    factor = np.maximum(1, reach / np.quantile(reach, _ORDINARY)) ** _EASED
    return np.asarray(2 ** (np.round(np.log2(factor) * _STEPS) / _STEPS), np.float32)


def reaches(bundle: Bundle, texts: Sequence[Floats]) -> dict[str, Floats]:
    """The largest values of the inputs of each product but the attention's last, by the name of the product.

    ``texts`` are embedded tokens as the graph takes them, each of shape (length, dim). Everything is float32.
    """
    out: dict[str, Floats] = {}
    states = [_normalised(bundle, "emb.ln", text) for text in texts]
    for layer in range(bundle.layers):
        at = f"l{layer}"
        matrices = {name: bundle.matrix(f"{at}.{name}.w").T for name in ("q", "k", "v", "ao", "fi", "fo")}

        def product(name: str, state: Floats, at: str = at, matrices: dict[str, Floats] = matrices) -> Floats:
            return np.asarray(state @ matrices[name] + bundle.floats(f"{at}.{name}.b"), np.float32)

        out[f"{at}.qkv"] = _largest(states)
        seen = [_attended(product("q", state), product("k", state), product("v", state), bundle.heads) for state in states]
        states = [_normalised(bundle, f"{at}.aln", state + product("ao", context)) for state, context in zip(states, seen, strict=True)]
        out[f"{at}.fi"] = _largest(states)
        wide = [_gelu(product("fi", state)) for state in states]
        out[f"{at}.fo"] = _largest(wide)
        states = [_normalised(bundle, f"{at}.oln", state + product("fo", far)) for state, far in zip(states, wide, strict=True)]
    return out


def _largest(states: Sequence[Floats]) -> Floats:
    return np.asarray(np.abs(np.concatenate(states)).max(axis=0), np.float32)


def _attended(query: Floats, key: Floats, value: Floats, heads: int) -> Floats:
    q, k, v = (part.reshape(len(part), heads, -1).swapaxes(0, 1) for part in (query, key, value))
    weights = np.exp(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]))
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.asarray((weights @ v).swapaxes(0, 1).reshape(query.shape), np.float32)


def _normalised(bundle: Bundle, name: str, state: Floats) -> Floats:
    centred = state - state.mean(axis=-1, keepdims=True)
    scale = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + bundle.epsilon)
    return np.asarray(centred / scale * bundle.floats(f"{name}.w") + bundle.floats(f"{name}.b"), np.float32)


def _gelu(state: Floats) -> Floats:
    """By its usual approximation: only the large values matter here."""
    return np.asarray(state / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (state + 0.044715 * state**3))), np.float32)
