"""eval: measures recall, turn search and the rules on labelled data, offline."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.output import print_line, print_note, print_table, say, stepping
from commands.place import Place, here, release
from schemas.errors import LaomaError

if TYPE_CHECKING:
    from eval.suite import SuiteResult

FAILURES_SHOWN = 10
"""Failures of a suite that are printed; the JSON file holds all."""
DIGITS = 4


def evaluate(
    suites: Annotated[list[str], typer.Argument(metavar="SUITE...", help="facts, locomo, realtalk, memorybank_cn …")],
    data: Annotated[
        Path, typer.Option("--data", envvar="LAOMA_DATA", help="Folder with the data of the suites, or a suite's own file or folder.")
    ] = Path("."),
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the outcome, all failures included.")] = None,
    compare: Annotated[
        Path | None, typer.Option("--compare", metavar="FILE", help="Hold against an earlier --json; exit 1 where a measure fell.")
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option("--tolerance", min=0, help="A measure may be this much worse; default: config.yaml's, 0.01.")
    ] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Cores to use; default: config.yaml's, 2.")] = None,
    failures: Annotated[int, typer.Option("--failures", min=0, help="Failures of each suite to print.")] = FAILURES_SHOWN,
) -> None:
    """Measure it on labelled data · 评测

    Offline, in a temporary lake; live memory is never touched. Figures also go to the view evals of laoma sql.

    \b
    Examples:
      laoma eval facts --data ../data
      laoma eval facts locomo memorybank_cn --data ../data --json now.json --compare before.json
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: sums of one order, and no threads that fight over cores
    from eval.suites import SUITES

    unknown = [name for name in suites if name not in SUITES]
    if unknown:
        raise typer.BadParameter(f"{', '.join(unknown)}: there are {', '.join(SUITES)}", param_hint="SUITE")
    from eval.compare import read

    place = here()
    earlier = None if compare is None else read(compare)
    results = [result.rounded(DIGITS) for result in _run(list(dict.fromkeys(suites)), data, place, workers)]
    if json_file is not None:
        _write_json(json_file, results)
    _print(results, failures)
    _log(place, results)
    if earlier is not None:
        _compare(earlier, results, place.settings().evaluation.tolerance if tolerance is None else tolerance)


def _run(names: Sequence[str], data: Path, place: Place, workers: int | None) -> list[SuiteResult]:
    from eval.parallel import Order, run
    from eval.suites import SUITES

    settings = place.settings()
    # absolute: tasks run in folders of their own
    order = Order(data.expanduser().absolute(), place.home / "cache", settings)
    with stepping(say("starting", "正在启动")) as tell:
        try:
            return run([SUITES[name] for name in names], order, workers or settings.evaluation.workers, tell)
        except FileNotFoundError as error:
            raise LaomaError(str(error), code="no_data") from None
        except (json.JSONDecodeError, KeyError) as error:
            raise LaomaError(f"the data at {data} cannot be read: {type(error).__name__}: {error}", code="bad_data") from None


def _write_json(path: Path, results: Sequence[SuiteResult]) -> None:
    """One suite is an object, several are a list."""
    dumped = [result.model_dump() for result in results]
    try:
        path.write_text(json.dumps(dumped[0] if len(dumped) == 1 else dumped, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise LaomaError(f"cannot write {path}: {error.strerror or error}") from None


def _print(results: Sequence[SuiteResult], most: int) -> None:
    for result in results:
        print_line(f"{result.suite} (n={result.n})")
        rows = [("all", result.metrics), *result.by.items()]
        names = list(dict.fromkeys(name for _, row in rows for name in row))
        print_table(("", *names), [(part, *(f"{row[name]:.3f}" if name in row else None for name in names)) for part, row in rows])
        for failure in result.failures[:most]:
            print_line(f"✗ {failure.id}  {' '.join(failure.query.split())}")
            for word, lines in (("wanted", failure.wanted or ["nothing"]), ("got", failure.got or ["nothing"])):
                print_line(f"    {word}: " + "\n            ".join(lines))
        if len(result.failures) > most:
            print_note(
                say(
                    f"({len(result.failures)} failures: --json FILE holds all)", f"（共 {len(result.failures)} 个失败：--json FILE 含全部）"
                )
            )


def _log(place: Place, results: Sequence[SuiteResult]) -> None:
    from datetime import UTC, datetime

    from uuid6 import uuid7

    from lake.measured import append
    from lake.place import Place as LakePlace
    from schemas.measured import EvalFigure

    home, at, run = LakePlace(place.home), datetime.now(UTC), str(uuid7())
    home.create()
    embedder, version = place.settings().embedding.model, release()
    figures = [
        EvalFigure(run=run, at=at, suite=result.suite, n=result.n, part=part, measure=name, value=value, embedder=embedder, version=version)
        for result in results
        for part, row in [("", result.metrics), *result.by.items()]
        for name, value in row.items()
    ]
    append(home.logs, "evals", figures, at.astimezone(place.zone).date())


def _compare(earlier: Sequence[SuiteResult], results: Sequence[SuiteResult], tolerance: float) -> None:
    from eval.compare import compare

    rows = compare(earlier, results, tolerance)
    print_table(
        ("suite", "measure", "before", "now", "change", ""),
        [(row.suite, row.measure, _number(row.before), _number(row.now), _change(row.before, row.now), row.verdict) for row in rows],
    )
    sizes = {result.suite: result.n for result in earlier}
    for result in results:
        if sizes.get(result.suite, result.n) != result.n:
            print_note(f"{result.suite}: {sizes[result.suite]} cases before, {result.n} now: the data changed")
    fell = [f"{row.suite} {row.measure}" for row in rows if row.fell]
    if fell:
        raise LaomaError(f"worse by more than {tolerance:g}: {', '.join(fell)}", code="fell")


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}"


def _change(before: float | None, now: float | None) -> str | None:
    return None if before is None or now is None else f"{now - before:+.4f}"
