"""The five classic faults of an assistant that remembers, each judged from figures."""

from __future__ import annotations

from collections.abc import Sequence

from lake.symptoms import DAYS, Symptoms
from schemas.doctor import Finding, Words

ENOUGH = 20
"""Replies below which nothing can be said of them."""
SAME = 3
"""Corrections of one topic by one user that are one too many."""
WORSE = 0.10
"""Rise of the share of replies that went wrong which is no chance, of [0,1]."""
CLIMB, CLIMB_MB = 1.5, 300
"""RAM climbs when it grew by this factor and by as many MiB since the start."""
SAMPLES = 4
"""Readings of RAM below which nothing can be said."""

NO_EFFECT = Words(en="memory has no effect", zh="记忆不起作用")
MIXED = Words(en="replies mix memories", zh="回答混淆记忆")
RETURNS = Words(en="the same error returns", zh="同样的错误反复出现")
WORSENED = Words(en="worse after an update", zh="更新后变差")
CLIMBS = Words(en="RAM climbs", zh="运行内存不断上升")


def no_effect(seen: Symptoms) -> Finding:
    """Nothing is recalled for people who have memories, or what they say isn't read for memories."""
    found = Words(
        en=f"{seen.replies_with_memory} of {seen.replies} replies of the last {DAYS} days used a memory; "
        f"{seen.unread} turns were not read for memories",
        zh=f"最近 {DAYS} 天 {seen.replies} 条回答中有 {seen.replies_with_memory} 条用到记忆；{seen.unread} 条话轮未能提取记忆",
    )
    remedy = Words(
        en="`laoma recall QUERY` with something that you told it; `X-Laoma-Memory: off` in the client, or an embedder mismatch below, "
        "keep memories out; "
        "turns that failed are read again after `laoma down`, `laoma up`",
        zh="用你告诉过它的事试 `laoma recall QUERY`；客户端发送 `X-Laoma-Memory: off` 或下面的向量模型不一致都会使记忆失效；"
        "提取失败的话轮会在 `laoma down`、`laoma up` 之后重读",
    )
    silent = seen.replies >= ENOUGH and seen.replies_with_memory == 0
    return _judged("memory_no_effect", NO_EFFECT, silent or seen.unread > 0, found, remedy)


def mixed(seen: Symptoms) -> Finding:
    """A reply was given a memory of somebody else, or one that had ended."""
    found = Words(
        en=f"recalled in the last {DAYS} days: {seen.crossed} memories of another user, {seen.stale} that had ended",
        zh=f"最近 {DAYS} 天召回了其他用户的记忆 {seen.crossed} 条、已失效的记忆 {seen.stale} 条",
    )
    remedy = Words(
        en="`laoma memories` shows what is held: correct or forget what is wrong; "
        "memories of another user in a reply are a fault of laoma: "
        "stop it (`laoma down`) and report it",
        zh="用 `laoma memories` 查看并更正或删除有误的记忆；若回答用到其他用户的记忆，那是老马的缺陷：请先 `laoma down`，再报告",
    )
    return _judged("replies_mixed", MIXED, seen.crossed + seen.stale > 0, found, remedy)


def returns(seen: Symptoms) -> Finding:
    """One user corrects one topic again and again."""
    found = Words(
        en=f"one topic was corrected up to {seen.corrected} times by one user in {DAYS} days",
        zh=f"{DAYS} 天内同一用户对同一话题最多更正了 {seen.corrected} 次",
    )
    remedy = Words(
        en="say how it is with `laoma remember`, or correct the memory behind it (`laoma memories`)",
        zh="用 `laoma remember` 直接说明，或更正背后的那条记忆（`laoma memories`）",
    )
    return _judged("error_returns", RETURNS, seen.corrected >= SAME, found, remedy)


def worsened(seen: Symptoms) -> Finding:
    """More replies go wrong under the present policy and model than under those before."""
    if seen.before is None or seen.after is None or min(seen.before[0], seen.after[0]) < ENOUGH:
        return _skipped(
            "worse_after_update",
            WORSENED,
            Words(en=f"no two versions with {ENOUGH} replies each to compare", zh=f"没有两个各有 {ENOUGH} 条回答的版本可比"),
        )
    before, after = seen.before[1], seen.after[1]
    found = Words(
        en=f"replies that were broken off or corrected: {before:.0%} before, {after:.0%} now",
        zh=f"被打断或更正的回答：之前 {before:.0%}，现在 {after:.0%}",
    )
    remedy = Words(
        en="go back: `laoma model use` the former model, or `laoma snapshot list` and `laoma snapshot restore`",
        zh="退回：`laoma model use` 换回原模型，或 `laoma snapshot list` 后 `laoma snapshot restore`",
    )
    return _judged("worse_after_update", WORSENED, after - before >= WORSE, found, remedy)


def climbs(readings: Sequence[float]) -> Finding:
    """``readings``: MiB (PSS) of all processes since this start, oldest first. A fault where they grew much and are at their height."""
    if len(readings) < SAMPLES:
        return _skipped(
            "ram_climbs",
            CLIMBS,
            Words(
                en=f"{len(readings)} readings since this start, {SAMPLES} are needed: run it again later",
                zh=f"本次启动以来只有 {len(readings)} 次读数，需要 {SAMPLES} 次：请稍后再运行",
            ),
        )
    first, last = readings[0], readings[-1]
    found = Words(en=f"{first:.0f} MB at first, {last:.0f} MB now", zh=f"最初 {first:.0f} MB，现在 {last:.0f} MB")
    remedy = Words(
        en="`laoma status` names the process; `laoma down`, `laoma up` frees it",
        zh="`laoma status` 可看出是哪个进程；`laoma down`、`laoma up` 可释放",
    )
    high = last >= 0.95 * max(readings)
    return _judged("ram_climbs", CLIMBS, high and last >= CLIMB * first and last - first >= CLIMB_MB, found, remedy)


def _judged(check: str, title: Words, fault: bool, found: Words, remedy: Words) -> Finding:
    return Finding(check=check, title=title, state="fault" if fault else "ok", found=found, remedy=remedy if fault else None)


def _skipped(check: str, title: Words, why: Words) -> Finding:
    return Finding(check=check, title=title, state="skipped", found=why)
