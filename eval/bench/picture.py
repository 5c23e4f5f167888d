"""Benchmarks as a picture: medians as points, p95 as the end of a line, one row a contender, one panel a case."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eval.bench.frame import Outcome
from schemas.errors import InvalidRequest, LaomaError

_FORMATS = (".svg", ".png")


def draw(path: Path, title: str, subtitle: str, outcomes: Sequence[Outcome]) -> None:
    """Writes ``path`` (``.svg`` or ``.png``). Raises InvalidRequest for another ending, LaomaError where the extra is not installed."""
    if path.suffix not in _FORMATS:
        raise InvalidRequest(f"{path.name}: a picture ends in {' or '.join(_FORMATS)}")
    try:
        import altair as alt
        import vl_convert  # noqa: F401  altair needs it to write files
    except ImportError:
        raise LaomaError("pictures need the extra `bench`: pip install 'laoma[bench]'", code="extra_missing") from None
    rows = [
        {"case": outcome.case, "contender": times.name, "p50": times.p50, "p95": times.p95}
        for outcome in outcomes
        for times in outcome.times
    ]
    order = list(dict.fromkeys(times.name for outcome in outcomes for times in outcome.times))
    place = alt.Y("contender:N", sort=order, title=None)
    scale = alt.Scale(type="log")
    base: Any = alt.Chart.from_dict({"data": {"values": rows}, "mark": "point"})
    lines = base.mark_rule(strokeWidth=2, color="#9db4c0").encode(y=place, x=alt.X("p50:Q", scale=scale, title="ms (log)"), x2="p95:Q")
    points = base.mark_point(filled=True, size=70, color="#253237").encode(y=place, x=alt.X("p50:Q", scale=scale))
    words = base.mark_text(align="left", dx=8, dy=-8, fontSize=10).encode(y=place, x="p50:Q", text=alt.Text("p50:Q", format=".3~g"))
    panels = (
        alt.layer(lines, points, words)
        .properties(width=320, height=24 * len(order))
        .facet(facet=alt.Facet("case:N", sort=[outcome.case for outcome in outcomes], title=None), columns=2)
    )
    panels.properties(title=alt.TitleParams(title, subtitle=[subtitle, "point: median, line: to p95"])).save(str(path))
