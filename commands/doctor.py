"""doctor: what is wrong, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from commands.output import print_json, print_line, say
from commands.place import here
from schemas.errors import LaomaError

if TYPE_CHECKING:
    from schemas.doctor import Words

MARKS = {"ok": ("ok", "正常"), "fault": ("FAULT", "故障"), "skipped": ("skipped", "略过")}


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """What is wrong and what to do · 诊断

    The five classic faults, then disk, clock, keys, embedder, heads, versions, jobs, model. Exit 1 when there is a fault.
    Where laoma does not run, what needs it is skipped.

    \b
    Example:
      laoma doctor --json
    """
    from serve import cluster
    from serve.doctor.diagnose import diagnose, present

    place = here()
    settings = place.settings()
    if not place.home.is_dir():
        raise LaomaError(say(f"there is no home at {place.home}: `laoma up` makes one", f"{place.home} 还不存在：`laoma up` 会建立"))
    told = diagnose(place.home, settings, cluster.state(place.home, settings), present())
    if as_json:
        print_json(told.model_dump(mode="json"))
    else:
        if not told.online:
            print_line(say("laoma does not run: only what lies on disk is checked", "老马没有在运行：只检查磁盘上的内容"))
        for one in told.findings:
            print_line(f"{say(*MARKS[one.state])}  {_said(one.title)}{say(': ', '：')}{_said(one.found)}")
            if one.remedy:
                print_line(f"    → {_said(one.remedy)}")
    faults = sum(one.state == "fault" for one in told.findings)
    if faults:
        raise LaomaError(say(f"{faults} fault(s) found: each line above says what to do", f"发现 {faults} 处故障：处理方法见上"))


def _said(words: Words) -> str:
    return say(words.en, words.zh)
