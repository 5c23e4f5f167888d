"""Measures turn search over dialogues: each question against the turns of its own dialogue (R35)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.dialogues import Dialogue, DialogueQuestion, read_dialogues
from eval.house import open_house
from eval.metrics import means, ndcg_at, recall_at
from eval.occupants import ingest, search, settle
from eval.suite import Case, Failure, Grouped, Parted, SuiteResult, failures, find, shown
from memory.ports import Embedder
from memory.sentences import sentences
from schemas.recall import FoundTurn
from schemas.settings import Settings
from schemas.turn import Turn

DEPTH = 10


async def found_turns(
    turns: Sequence[Turn], questions: Iterable[str], home: Path, embedder: Embedder, settings: Settings
) -> list[list[FoundTurn]]:
    """Posts turns of one user, waits for their vectors, and searches for each question as of the last turn."""
    user, at = turns[0].user, max(turn.at for turn in turns)
    async with open_house(home, embedder, settings) as house:
        await ingest(house, turns)
        await settle(house, user)
        return [await search(house, user, question, at, DEPTH) for question in questions]


def unanswered(id: str, question: str, evidence: Iterable[str], found: Sequence[FoundTurn], turns: Sequence[Turn]) -> Failure:
    """A question whose evidence was not found, with the words of both."""
    said = {turn.id: _said(turn.speaker, turn.content) for turn in turns}
    return Failure(
        id=id,
        query=question,
        wanted=[shown(one, said[one]) for one in sorted(evidence)],
        got=[shown(turn.id, _said(turn.speaker, turn.content), turn.score) for turn in found],
    )


@dataclass(frozen=True)
class DialoguePart:
    """One dialogue with its questions; ``zone`` is where its dates are local."""

    dialogue: Dialogue
    zone: str

    @property
    def name(self) -> str:
        """The dialogue's id."""
        return self.dialogue.id

    @property
    def passages(self) -> list[str]:
        """What was said, in the sentences that are embedded."""
        return [sentence for turn in self.dialogue.turns for sentence in sentences(turn.content)]

    @property
    def questions(self) -> list[str]:
        """None: what of a question is embedded depends on the speakers that the index knows."""
        return []

    async def measure(self, home: Path, embedder: Embedder, settings: Settings) -> list[Case]:
        """``ndcg_at_10``, ``recall_at_5``, ``recall_at_10`` of each question; one that found none of its evidence failed."""
        local = settings.model_copy(update={"zone": self.zone})
        turns, asked = self.dialogue.turns, self.dialogue.questions
        found = await found_turns(turns, [question.text for question in asked], home, embedder, local)
        return [_case(question, hits, turns) for question, hits in zip(asked, found, strict=True)]


@dataclass(frozen=True)
class DialogueSuite(Parted):
    """``locomo`` reads ``locomo10.json``, ``realtalk`` a folder of ``Chat_*.json``.

    The measures are unweighted means over the questions' categories (as published rows are); ``micro_…`` weigh each question alike.
    """

    name: str
    source: str
    holds: str = ""
    zone: str = "UTC"

    def require(self, data: Path) -> None:
        """See :class:`eval.suite.Suite`."""
        find(data, self.source, holds=self.holds)

    def parts(self, data: Path, settings: Settings) -> Sequence[DialoguePart]:
        """A part a dialogue."""
        path = find(data, self.source, holds=self.holds)
        return [DialoguePart(dialogue, self.zone) for dialogue in read_dialogues(path, self.holds) if dialogue.questions]

    def summary(self, cases: Sequence[Case]) -> SuiteResult:
        """``by`` category."""
        grouped = Grouped.of(cases)
        metrics = means(list(grouped.by.values())) | {f"micro_{measure}": value for measure, value in grouped.overall.items()}
        return SuiteResult(suite=self.name, n=len(cases), metrics=metrics, by=grouped.by, failures=failures(cases))


def _case(question: DialogueQuestion, found: Sequence[FoundTurn], turns: Sequence[Turn]) -> Case:
    ids = [turn.id for turn in found]
    row = {"ndcg_at_10": ndcg_at(ids, question.evidence, 10)}
    row |= {f"recall_at_{k}": recall_at(ids, question.evidence, k) for k in (5, 10)}
    failure = unanswered(question.id, question.text, question.evidence, found, turns) if row["recall_at_10"] == 0 else None
    return Case(question.id, question.category, row, failure)


def _said(speaker: str | None, text: str) -> str:
    return f"{speaker}: {text}" if speaker else text
