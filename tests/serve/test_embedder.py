"""The embedders: any text is taken, one bad text does not fail the rest, a wrong dimension is refused, waiting callers share a round."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest

from memory.ports import Embedder, Floats
from schemas.errors import EmbedderMismatch, SettingsError, UpstreamFailed
from schemas.settings import Embedding
from serve.embedder import Rounds
from serve.embedders import build
from serve.embedders.cached import CachedEmbedder
from serve.embedders.openai_url import UrlEmbedder

ODD = ["", "   ", "a\0b", "\ud83d", "😀" * 5000, "长" * 200_000, "👨‍👩‍👧‍👦🇨🇳👍🏽𠮷", "\u202eabc"]
URL = Embedding(model="m", dim=4, url="http://embeddings.test/v1")


@pytest.fixture(scope="module")
def bundled() -> Embedder:
    return build(Embedding())


def test_any_string_is_embedded_to_unit_length(bundled: Embedder) -> None:
    for vectors in (bundled.passage(ODD), bundled.query(ODD)):
        assert vectors.shape == (len(ODD), 384)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)


def test_what_lies_behind_the_models_reach_changes_nothing(bundled: Embedder) -> None:
    long, longer = bundled.passage(["长" * 600, "长" * 200_000])
    assert float(long @ longer) > 0.999


def test_no_texts_give_no_rows(bundled: Embedder) -> None:
    assert bundled.query([]).shape == (0, 384)
    assert bundled.passage([]).shape == (0, 384)


def test_a_question_finds_its_answer_across_languages(bundled: Embedder) -> None:
    answers = bundled.passage(["我早上只喝无糖豆浆", "阳台上的薄荷长虫了"])
    asked = bundled.query(["What do I drink in the morning?", "我阳台的植物怎么了？"])
    assert (asked @ answers.T).argmax(axis=1).tolist() == [0, 1]


def test_text_after_a_nul_still_counts(bundled: Embedder) -> None:
    cut, whole, other = bundled.passage(["咖啡", "咖啡\0机坏了要修", "咖啡 机坏了要修"])
    assert float(whole @ other) > 0.999 > float(whole @ cut)


def test_threads_get_the_same_vectors_as_one_caller(bundled: Embedder) -> None:
    texts = [f"第{number}件事：{'买菜' if number % 2 else '跑步'}" for number in range(24)]
    alone = bundled.passage(texts)
    with ThreadPoolExecutor(4) as pool:
        together = np.concatenate(list(pool.map(lambda text: bundled.passage([text]), texts)))
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_a_model_that_is_not_bundled_is_refused_with_the_way_out() -> None:
    with pytest.raises(SettingsError, match=r"set `embedding\.url`"):
        build(Embedding(model="bge-m3"))


class Counting:
    """Vectors that say the text's length; counts what it is asked."""

    name, dim = "counting", 2

    def __init__(self) -> None:
        self.queries: list[list[str]] = []
        self.passages: list[list[str]] = []

    def query(self, texts: Sequence[str]) -> Floats:
        self.queries.append(list(texts))
        return np.array([[len(text), 0] for text in texts], np.float32).reshape(-1, 2)

    def passage(self, texts: Sequence[str]) -> Floats:
        self.passages.append(list(texts))
        return np.array([[0, len(text)] for text in texts], np.float32).reshape(-1, 2)


def test_a_question_asked_again_is_not_embedded_again() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, entries=2)
    assert cached.query(["a", "bb", "a"]).tolist() == [[1, 0], [2, 0], [1, 0]]
    assert cached.query(["bb", "ccc"]).tolist() == [[2, 0], [3, 0]]
    assert inner.queries == [["a", "bb"], ["ccc"]]
    cached.query(["a"])  # had to leave for ccc
    assert inner.queries[-1] == ["a"]


def test_a_cached_vector_can_not_be_spoilt_by_its_reader() -> None:
    cached = CachedEmbedder(Counting(), entries=2)
    cached.query(["a"])[:] = 9
    assert cached.query(["a"]).tolist() == [[1, 0]]


def served(
    answer: Callable[[list[str]], httpx.Response], settings: Embedding = URL
) -> tuple[UrlEmbedder, list[dict[str, object]], list[float]]:
    bodies: list[dict[str, object]] = []
    pauses: list[float] = []

    def handle(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        return answer(bodies[-1]["input"])  # type: ignore[arg-type]

    client = httpx.Client(transport=httpx.MockTransport(handle))
    return UrlEmbedder(settings, key="k", client=client, pause=pauses.append, jitter=lambda: 0.5), bodies, pauses


def vectors(texts: list[str], dim: int = 4) -> httpx.Response:
    rows = [{"index": row, "embedding": [float(len(text))] + [0.0] * (dim - 1)} for row, text in enumerate(texts)]
    return httpx.Response(200, json={"data": rows[::-1]})  # out of order, as servers may


def test_one_bad_text_does_not_fail_the_rest() -> None:
    def strict(texts: list[str]) -> httpx.Response:
        return httpx.Response(400, json={"error": "too long"}) if any(not text or len(text) > 512 for text in texts) else vectors(texts)

    embedder, bodies, _ = served(strict)
    found = embedder.passage(["短", "长" * 20_000, "", "   ", "😀" * 5000, "好"])
    assert np.linalg.norm(found, axis=1).tolist() == [1, 1, 0, 0, 1, 1]
    assert all(text.strip() for body in bodies for text in body["input"])  # type: ignore[attr-defined]


def test_nothing_but_model_and_input_is_sent() -> None:
    embedder, bodies, _ = served(vectors, Embedding(model="m", dim=4, url="http://e.test/v1", query_prefix="query: "))
    embedder.query(["你好"])
    assert bodies == [{"model": "m", "input": ["query: 你好"]}]


def test_long_lists_go_in_batches_and_keep_their_order() -> None:
    def numbered(texts: list[str]) -> httpx.Response:
        return httpx.Response(200, json={"data": [{"embedding": [1.0, float(text), 0.0, 0.0]} for text in texts]})

    embedder, bodies, _ = served(numbered)
    found = embedder.passage([str(number) for number in range(70)])
    assert [len(body["input"]) for body in bodies] == [32, 32, 6]  # type: ignore[arg-type]
    np.testing.assert_allclose(found[:, 1] / found[:, 0], range(70), rtol=1e-4)


def test_a_busy_server_is_asked_again_after_longer_and_longer_pauses() -> None:
    answers = iter([httpx.Response(429), httpx.Response(503), vectors(["好"])])
    embedder, _, pauses = served(lambda texts: next(answers))
    assert embedder.query(["好"]).shape == (1, 4)
    assert pauses == [0.2, 0.4]


def test_a_server_that_stays_away_is_named() -> None:
    def away(texts: list[str]) -> httpx.Response:
        raise httpx.ConnectError("refused")

    embedder, _, pauses = served(away)
    with pytest.raises(UpstreamFailed, match=r"http://embeddings\.test/v1/embeddings does not answer"):
        embedder.query(["好"])
    assert len(pauses) == 3


def test_vectors_of_another_length_are_refused() -> None:
    embedder, _, _ = served(lambda texts: vectors(texts, dim=5))
    with pytest.raises(EmbedderMismatch, match=r"gives 5 dimensions, `embedding.dim` says 4"):
        embedder.query(["好"])


class Gated(Counting):
    """Works only while the gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()

    def passage(self, texts: Sequence[str]) -> Floats:
        self.gate.wait(10)
        return super().passage(texts)


async def test_what_waits_together_is_embedded_together_and_questions_go_first() -> None:
    inner = Gated()
    rounds = Rounds(inner)
    first = asyncio.create_task(rounds.embed(["a"], "passage"))
    await asyncio.sleep(0)
    later = [asyncio.create_task(rounds.embed([text], "passage")) for text in ("bb", "ccc")]
    asked = asyncio.create_task(rounds.embed(["dddd"], "query"))
    await asyncio.sleep(0)
    inner.gate.set()
    assert [row.tolist() for row in await asyncio.gather(first, *later, asked)] == [[[0, 1]], [[0, 2]], [[0, 3]], [[4, 0]]]
    assert inner.passages == [["a"], ["bb", "ccc"]]
    assert inner.queries == [["dddd"]]


async def test_a_failure_is_its_own_callers_alone() -> None:
    class Failing(Counting):
        def query(self, texts: Sequence[str]) -> Floats:
            raise UpstreamFailed("no")

    rounds = Rounds(Failing())
    with pytest.raises(UpstreamFailed):
        await rounds.embed(["a"], "query")
    assert (await rounds.embed(["a"], "passage")).tolist() == [[0, 1]]


async def test_a_caller_that_left_is_passed_over() -> None:
    inner = Gated()
    rounds = Rounds(inner)
    first = asyncio.create_task(rounds.embed(["a"], "passage"))
    await asyncio.sleep(0)
    gone = asyncio.create_task(rounds.embed(["bb"], "passage"))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.sleep(0)
    inner.gate.set()
    await first
    await rounds.embed(["ccc"], "passage")
    assert inner.passages == [["a"], ["ccc"]]
