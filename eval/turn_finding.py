"""Measures turn search over dialogues: each question against the turns of its own dialogue (R35)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from eval.dialogues import Dialogue, DialogueQuestion, read_dialogues
from eval.metrics import means, ndcg_at, recall_at
from eval.suite import Failure, SuiteResult, find
from memory.embedding_text import joined, pieces
from memory.ports import Embedder
from memory.turn_index import TurnIndex
from memory.turn_search import TurnQuestion, search
from schemas.settings import Settings
from schemas.turn import Turn

_DEPTH = 10


def index_of(turns: Sequence[Turn], embedder: Embedder, settings: Settings) -> TurnIndex:
    """An index of turns, embedded as in service: in pieces, joined."""
    index = TurnIndex(embedder.name, embedder.dim)
    for turn in turns:
        parts = pieces(turn.content, settings.embedding.max_chars)
        index.put(turn, joined(embedder.passage(parts)) if parts else None)
    return index


def ranked_turns(index: TurnIndex, turns: Sequence[Turn], asked: Sequence[str], embedder: Embedder, settings: Settings) -> list[list[str]]:
    """The ids that search finds for each question, asked when the last turn was said."""
    zone, at = ZoneInfo(settings.zone), max(turn.at for turn in turns)
    vectors = embedder.query([index.question_text(text) for text in asked])
    return [
        [found.turn.id for found in search(index, TurnQuestion(text, vector, at, zone, _DEPTH), settings.turn_search)]
        for text, vector in zip(asked, vectors, strict=True)
    ]


@dataclass(frozen=True)
class DialogueSuite:
    """``locomo`` reads ``locomo10.json``, ``realtalk`` a folder of ``Chat_*.json``.

    The measures are unweighted means over the questions' categories (as published rows are); ``micro_…`` weigh each question alike.
    """

    name: str
    source: str
    zone: str = "UTC"

    def run(self, data: Path, embedder: Embedder, settings: Settings) -> SuiteResult:
        """Measures all dialogues of the source."""
        local = settings.model_copy(update={"zone": self.zone})
        cases = [case for dialogue in read_dialogues(find(data, self.source)) for case in _cases(dialogue, embedder, local)]
        return _result(self.name, cases)


@dataclass(frozen=True)
class _Case:
    question: DialogueQuestion
    ranked: list[str]
    row: dict[str, float]


def _cases(dialogue: Dialogue, embedder: Embedder, settings: Settings) -> Iterable[_Case]:
    if not dialogue.questions:
        return
    index = index_of(dialogue.turns, embedder, settings)
    ranked = ranked_turns(index, dialogue.turns, [question.text for question in dialogue.questions], embedder, settings)
    for question, ids in zip(dialogue.questions, ranked, strict=True):
        row = {"ndcg_at_10": ndcg_at(ids, question.evidence, 10)}
        row |= {f"recall_at_{k}": recall_at(ids, question.evidence, k) for k in (5, 10)}
        yield _Case(question, ids, row)


def _result(name: str, cases: Sequence[_Case]) -> SuiteResult:
    categories = sorted({case.question.category for case in cases})
    by = {category: means([case.row for case in cases if case.question.category == category]) for category in categories}
    micro = means([case.row for case in cases])
    failures = [
        Failure(id=case.question.id, query=case.question.text, wanted=sorted(case.question.evidence), got=case.ranked)
        for case in cases
        if case.row["recall_at_10"] == 0
    ]
    metrics = means(list(by.values())) | {f"micro_{measure}": value for measure, value in micro.items()}
    return SuiteResult(suite=name, n=len(cases), metrics=metrics, by=by, failures=failures)
