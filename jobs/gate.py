"""gate: the scenarios before and after each proposal that waits, against the configured model, in parallel (E9).

A proposal that lowers the pass rate is refused with the cases that fell; one that does not is ready for a person. Without a model that was
chosen nothing is tested, and nothing passes. What was judged before a kill stays judged: submitting it again does the rest.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from eval.scenarios import Behaviour, tried
from evolution.scenarios import Outcome, Scenario, gate, scenarios
from jobs.frame import Task
from jobs.parallel import spread
from memory.ports import Embedder
from schemas.errors import Conflict, LaomaError, NotFound, Unavailable
from schemas.job import Report
from schemas.policy import NO_MODEL, GateResult, Trial
from schemas.settings import Settings
from serve.chat_model import build
from serve.embedders import build as build_embedder
from serve.shard.service import ShardService


@dataclass(frozen=True)
class _Play:
    """A scenario before and after one proposal, as it travels to a task."""

    scenario: Scenario
    trial: Trial
    home: Path
    settings: Settings


async def run(task: Task) -> Report:
    """``gate [ID…]``: all proposals that wait, or these. One row an outcome."""
    counts = await try_all(task, task.arguments)
    return Report(columns=["gate", "proposals"], rows=[[name, count] for name, count in sorted(counts.items())] or [["nothing waits", 0]])


async def try_all(task: Task, ids: Sequence[str] = ()) -> dict[str, int]:
    """Outcomes and how many proposals had them. Raises NotFound for ids that are no proposals, Unavailable where the model can't be asked,
    SettingsError for scenarios that can't be read."""
    trials = [trial for found in await task.shards.each(ShardService.trials, list(ids)) for trial in found]
    if len({trial.revision.id for trial in trials}) < len(set(ids)):
        raise NotFound("There is no such proposal that waits: `laoma revisions list` shows them.")
    counts: Counter[str] = Counter()
    if not task.settings.model.is_chosen:
        for trial in trials:
            if trial.revision.gate != "not_testable" or ids:
                await _store(task, trial, NO_MODEL, counts)
        return dict(counts)
    if not trials:
        return {}
    cases = scenarios(task.home)
    await _require_model(task)
    total, done = len(trials) * len(cases), 0
    outcomes: list[Outcome] = []
    plays = (_Play(case, trial, task.home, task.settings) for trial in trials for case in cases)
    async for outcome in spread(_played, plays):
        if isinstance(outcome, str):
            raise Unavailable(f"the model gave no answer: {outcome}")
        outcomes.append(outcome)
        done += 1
        task.progress(done, total, "scenarios")
        if len(outcomes) == len(cases):
            trial, found = trials[done // len(cases) - 1], gate(outcomes)
            result = GateResult(gate=found.verdict, cases=list(found.cases), said=found.said)
            await _store(task, trial, result, counts)
            outcomes = []
    return dict(counts)


async def _store(task: Task, trial: Trial, result: GateResult, counts: Counter[str]) -> None:
    try:
        await task.shards.call(ShardService.gated, trial.revision.user, trial.revision.id, result)
    except (Conflict, NotFound):
        task.say(f"{trial.revision.id}: it was decided meanwhile")
        return
    task.say(f"{trial.revision.id}: {result.gate}, {result.said}")
    counts[result.gate] += 1


async def _require_model(task: Task) -> None:
    model = build(task.home, task.settings.model)
    try:
        state = await model.ready()
    finally:
        await model.close()
    if state.state != "ready":
        raise Unavailable(f"the model {state.name} is {state.state}: submit it again when it answers (`laoma status`)")


def _played(play: _Play) -> Outcome | str:
    """On a core of the cluster; an error of the model's as its words, which travel where exceptions lose their class."""
    return asyncio.run(_play(play))


async def _play(play: _Play) -> Outcome | str:
    settings, trial = play.settings, play.trial
    model = build(play.home, settings.model)
    try:
        with tempfile.TemporaryDirectory(prefix="laoma-gate-") as folder:
            before, after = Behaviour(trial.base, trial.own), Behaviour(trial.base_after, trial.own_after)
            return await tried(play.scenario, before, after, model, Path(folder), _embedder(settings.model_dump_json()), settings)
    except LaomaError as error:
        return error.message
    finally:
        await model.close()


@cache
def _embedder(settings: str) -> Embedder:
    """One a process: loading it takes longer than a scenario."""
    return build_embedder(Settings.model_validate_json(settings).embedding)
