"""Runs suites on several cores: a small Ray of its own, loopback only, gone when it is done. The outcome is that of one core."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from eval.cached_embedder import CachedEmbedder, configured
from eval.suite import Case, Part, Parted, Suite, SuiteResult, measured
from memory.embedding_text import pieces
from memory.privacy import redact
from schemas.errors import LaomaError
from schemas.settings import Settings
from serve.ray_head import environment

Tell = Callable[[str, int, int], None]
"""What is under way, how much of it is done, of how much."""
_CHUNK = 32
"""Texts that one task embeds."""


@dataclass(frozen=True)
class Order:
    """What a run needs: where its data and its cache lie, and the settings that it measures."""

    data: Path
    cache: Path
    settings: Settings


def run(suites: Sequence[Suite], order: Order, workers: int, tell: Tell) -> list[SuiteResult]:
    """The outcome of each suite. FileNotFoundError where the data is absent; LaomaError where a part could not be measured."""
    for suite in suites:
        suite.require(order.data)
    parts = {suite.name: suite.parts(order.data, order.settings) for suite in suites if isinstance(suite, Parted)}
    texts = _texts([part for of_suite in parts.values() for part in of_suite], order.settings)
    work: list[tuple[Suite, Part | None]] = []
    for suite in suites:
        work += [(suite, part) for part in parts[suite.name]] if suite.name in parts else [(suite, None)]
    chunks = [texts[start : start + _CHUNK] for start in range(0, len(texts), _CHUNK)]
    with _pool(min(workers, len(work)), order) as pool:
        pool.each(_embed, chunks, lambda done: tell("embedding", min(done * _CHUNK, len(texts)), len(texts)))
        outcomes = pool.each(_measure, work, lambda done: tell("measuring", done, len(work)))
    return [_outcome(suite, [one for (owner, _), one in zip(work, outcomes, strict=True) if owner is suite]) for suite in suites]


def _outcome(suite: Suite, outcomes: Sequence[Any]) -> SuiteResult:
    if not isinstance(suite, Parted):
        whole: SuiteResult = outcomes[0]
        return whole
    cases: list[Case] = [case for part in outcomes for case in part]
    return suite.summary(cases)


def _texts(parts: Sequence[Part], settings: Settings) -> list[tuple[str, str]]:
    """(side, text) of what the parts will embed, each once, passages cut as the shard cuts them, long ones first."""
    limit = settings.embedding.max_chars
    passages = {piece for part in parts for text in part.passages for piece in pieces(redact(text).text, limit)}
    questions = {question for part in parts for question in part.questions}
    found = [("passage", text) for text in passages] + [("query", text) for text in questions]
    return sorted(found, key=lambda one: (-len(one[1]), one))


def _embed(chunk: Sequence[tuple[str, str]], order: Order) -> int:
    embedder = _embedder(order.settings.model_dump_json(), order.cache)
    for side, text in chunk:
        embedder.passage([text]) if side == "passage" else embedder.query([text])
    return len(chunk)


def _measure(work: tuple[Suite, Part | None], order: Order) -> Any:
    suite, part = work
    embedder = _embedder(order.settings.model_dump_json(), order.cache)
    return suite.run(order.data, embedder, order.settings) if part is None else measured(part, embedder, order.settings)


@cache
def _embedder(settings: str, folder: Path) -> CachedEmbedder:
    """One a process: loading the model takes longer than most parts."""
    return configured(Settings.model_validate_json(settings).embedding, folder)


@dataclass(frozen=True)
class _Here:
    """One core: no Ray."""

    order: Order

    def each(self, work: Callable[..., Any], items: Sequence[Any], done: Callable[[int], None]) -> list[Any]:
        """``work`` on each item, in order."""
        outcomes: list[Any] = []
        for item in items:
            done(len(outcomes))
            outcomes.append(work(item, self.order))
        done(len(outcomes))
        return outcomes


@dataclass(frozen=True)
class _Tasks:
    """Ray tasks, one core each."""

    order: Order

    def each(self, work: Callable[..., Any], items: Sequence[Any], done: Callable[[int], None]) -> list[Any]:
        """``work`` on each item; outcomes in the order of the items."""
        import ray

        order, task = ray.put(self.order), ray.remote(num_cpus=1, max_retries=0)(work)
        refs = [task.remote(item, order) for item in items]
        waiting = list(refs)
        while waiting:
            done(len(refs) - len(waiting))
            ready, waiting = ray.wait(waiting, num_returns=1)
            _get(ready[0])  # a failure ends the run at once
        done(len(refs))
        return [_get(ref) for ref in refs]


def _get(ref: Any) -> Any:
    import ray

    try:
        return ray.get(ref)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause if isinstance(error.cause, Exception) else error
        if isinstance(cause, (LaomaError, FileNotFoundError)):
            raise cause from None
        raise LaomaError(f"a task failed: {type(cause).__name__}: {cause}", code="task_failed") from error


@contextmanager
def _pool(workers: int, order: Order) -> Iterator[_Here | _Tasks]:
    """One worker works here; several are a Ray that this process starts and ends."""
    if workers <= 1:
        yield _Here(order)
        return
    folder = tempfile.mkdtemp(prefix="laoma-eval-ray-", dir="/tmp")  # short: sockets lie in it
    before = dict(os.environ)
    os.environ.pop("RAY_ADDRESS", None)  # never the cluster that serves
    os.environ.update(environment(Path(folder), order.settings) | {"OMP_NUM_THREADS": "1", "RAY_DISABLE_MEMORY_MONITOR": "1"})
    import ray

    # LanceDB warns of forks; starting a program, as Ray does here, uses nothing of it in the child
    warnings.filterwarnings("ignore", "lancedb fork support", RuntimeWarning)
    try:
        ray.init(
            address="local",
            num_cpus=workers,
            include_dashboard=False,
            object_store_memory=order.settings.cluster.object_store_mb * 1024 * 1024,
            log_to_driver=False,
            logging_level=logging.ERROR,
            _node_ip_address="127.0.0.1",
            _temp_dir=folder,
        )
        yield _Tasks(order)
    finally:
        ray.shutdown()
        os.environ.clear()
        os.environ.update(before)
        shutil.rmtree(folder, ignore_errors=True)
