"""The scenarios (E9): what the configured model answers, with what is remembered and how it is told to behave, by the code that serves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from eval.house import House, open_house
from eval.suite import Case, Failure, Grouped, Part, Parted, SuiteResult, failures, find
from evolution.policies import told
from evolution.scenarios import Outcome, Scenario, parse
from memory.extract.answer import BadAnswer, without_thinking
from memory.extract.protocol import Extractor
from memory.ports import Embedder
from memory.prompt import text_of
from schemas.dialogue import Message
from schemas.errors import LaomaError, Unavailable, UpstreamFailed
from schemas.exchange import Opening, Spoken
from schemas.policy import Policy
from schemas.settings import Settings
from serve.chat_model import ChatModel, build
from serve.chat_model.protocol import BACKGROUND
from serve.exchange import prompted

_NIGHT = timedelta(hours=18)
"""So long after what was told beforehand the question comes."""
_DETERMINED = {"temperature": 0.0, "seed": 7}


@dataclass(frozen=True)
class Behaviour:
    """The versions that are in force: the base of all and a user's overlay, None where nothing was ever changed."""

    base: Policy | None = None
    own: Policy | None = None


async def answered(
    scenario: Scenario, behaviours: Sequence[Behaviour], model: ChatModel, home: Path, embedder: Embedder, settings: Settings,
    extractor: Extractor | None = None,
) -> list[str]:  # fmt: skip
    """The model's answer under each behaviour; each has a user of its own, who told the same beforehand, in the empty folder ``home``.

    Raises UpstreamFailed, Unavailable.
    """
    answers = []
    async with open_house(home, embedder, settings, extractor) as house:
        for number, behaviour in enumerate(behaviours):
            answers.append(await _answer(house, f"u{number}", scenario, behaviour, model, settings))
    return answers


async def _answer(house: House, user: str, scenario: Scenario, behaviour: Behaviour, model: ChatModel, settings: Settings) -> str:
    for number, text in enumerate(scenario.setup):
        await house.say(user, [Message(role="user", content=text)], conversation=f"{user}-{number}")
        house.clock.at += timedelta(minutes=30)
    house.clock.at += _NIGHT
    asked = Spoken(role="user", text=scenario.ask)
    opening = Opening(messages=[asked], ids=[f"{user}-ask"], conversation_id=f"{user}-ask", store=True, at=house.clock())
    opened = await house.service.open_exchange(user, opening)
    await house.service.abandon_exchange(user, opened)
    if opened.answer is not None:
        return opened.answer
    opened = opened.model_copy(update={"policy": told(behaviour.base, behaviour.own), "manner": "", "first_question": ""})
    body: dict[str, Any] = {"messages": [{"role": "user", "content": scenario.ask}], **_DETERMINED}
    completion = await model.complete(await prompted(settings, opened, body), priority=BACKGROUND)
    said = next((text_of((choice.get("message") or {}).get("content")) for choice in completion.get("choices") or []), "")
    try:
        return without_thinking(said)
    except BadAnswer:
        return ""


async def tried(
    scenario: Scenario, before: Behaviour, after: Behaviour, model: ChatModel, home: Path, embedder: Embedder, settings: Settings
) -> Outcome:
    """A scenario before and after a change."""
    first, second = await answered(scenario, [before, after], model, home, embedder, settings)
    faults = scenario.faults(second)
    return Outcome(scenario.id, not scenario.faults(first), not faults, "; ".join(faults))


@dataclass(frozen=True)
class _One:
    """One scenario of the suite, in a lake of its own."""

    scenario: Scenario

    @property
    def name(self) -> str:
        """See :class:`eval.suite.Part`."""
        return f"scenarios {self.scenario.id}"

    @property
    def passages(self) -> Sequence[str]:
        """See :class:`eval.suite.Part`."""
        return self.scenario.setup

    @property
    def questions(self) -> Sequence[str]:
        """See :class:`eval.suite.Part`."""
        return [self.scenario.ask]

    async def measure(self, home: Path, embedder: Embedder, settings: Settings) -> list[Case]:
        """See :class:`eval.suite.Part`."""
        model = build(home, settings.model)
        try:
            [answer] = await answered(self.scenario, [Behaviour()], model, home, embedder, settings)
        except (UpstreamFailed, Unavailable) as error:
            raise LaomaError(f"the model gave no answer: {error.message}", code="no_model") from None
        finally:
            await model.close()
        faults = self.scenario.faults(answer)
        failure = Failure(id=self.scenario.id, query=self.scenario.ask, wanted=faults, got=[answer]) if faults else None
        return [Case(self.scenario.id, self.scenario.lang, {"pass_rate": float(not faults)}, failure)]


class ScenariosSuite(Parted):
    """``scenarios.jsonl``: with the configured model, whose ``url`` must be known: the suite runs beside the cluster, not in it."""

    name = "scenarios"

    def require(self, data: Path) -> None:
        """See :class:`eval.suite.Suite`."""
        find(data, "scenarios.jsonl", inside="evalsets")

    def parts(self, data: Path, settings: Settings) -> Sequence[Part]:
        """A part a scenario. Raises LaomaError where there is no model that can be asked."""
        if not (settings.model.enabled and settings.model.url):
            raise LaomaError(
                "scenarios need a model at an URL: `laoma model use URL`; one that the cluster serves is tried by `laoma job submit gate`",
                code="no_model",
            )
        file = find(data, "scenarios.jsonl", inside="evalsets")
        return [_One(one) for one in parse(file.read_text(encoding="utf-8"), str(file))]

    def summary(self, cases: Sequence[Case]) -> SuiteResult:
        """``pass_rate``; ``by`` language."""
        grouped = Grouped.of(cases)
        return SuiteResult(suite=self.name, n=len(cases), metrics=grouped.overall, by=grouped.by, failures=failures(cases))


__all__ = ["Behaviour", "ScenariosSuite", "answered", "tried"]
