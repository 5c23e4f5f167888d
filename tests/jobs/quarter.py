"""Twelve simulated weeks of one user and one assistant: what happened in each, and a picture of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

from evolution.scenarios import built_in
from tests.serve.house import House

WEEKS, A_WEEK = 12, 4
CONCLUSION, LONG = "先用一句话给出结论", "回答篇幅长一些，多举例子。"
_ABOUT = (
    "求和",
    "排序",
    "筛选重复行",
    "合并两列",
    "冻结首行",
    "隐藏一列",
    "按月分组",
    "加下拉框",
    "转置",
    "画折线图",
    "打印在一页",
    "加密码",
)
_FORMS = ("表格怎么{}", "怎么给表格{}", "我想在表格里{}", "这个表格要{}，怎么弄")
_OTHER = ("今天穿什么", "晚饭吃什么", "推荐一本小说", "怎么午睡不头疼", "讲讲唐朝", "周末去哪儿散步")
_STEPS = "首先打开文件，其次选中区域，然后点菜单，再等一会儿，最后检查一遍，这样就可以了。"


@dataclass
class Week:
    """Questions about tables, how many of them the user had to ask again, and what the house did."""

    number: int
    asked: int = 0
    again: int = 0
    versions: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Share of the questions that had to be asked again."""
        return self.again / self.asked


def answer(body: dict[str, Any]) -> str:
    """The assistant: it obeys the rules of its prompt, and has a bad habit where none keeps it from it."""
    system, question = str(body["messages"][0]["content"]), str(body["messages"][-1]["content"])
    padding = "。再举一个例子" * 60 if LONG in system else ""
    for one in built_in():
        if question.endswith(one.ask):
            return (" ".join(group[0] for group in one.must_include) or "好的") + padding
    if "表格" in question and CONCLUSION not in system:
        return _STEPS + padding
    return "可以，一步就好。" + padding


def complaint(reply: str) -> str | None:
    """The user: what they say to a reply that they can't use."""
    if len(reply) > 300:
        return "太长了，说重点"
    return "结论呢？别绕弯子" if reply.startswith("首先") else None


async def live(house: House, week: Week) -> None:
    """A week of questions; each has a conversation of its own, in which the user complains or goes on."""
    for number in range(A_WEEK):
        house.clock.pass_(hours=30)
        question = _FORMS[number].format(_ABOUT[week.number % len(_ABOUT)])
        for text, counts in ((question, True), (_OTHER[(week.number + number) % len(_OTHER)], False)):
            if not counts and number % 2:
                continue
            talk = f"w{week.number}-{number}-{counts}"
            said = await house.chat("ming", {"role": "user", "content": text}, headers={"X-Laoma-Conversation": talk})
            turn = (await house.as_("ming").get(f"/v1/turns/{said.headers['X-Laoma-Turn']}")).json()
            week.versions.add(turn["policy_version"])
            unhappy = complaint(said.json()["choices"][0]["message"]["content"])
            week.asked += counts
            week.again += counts and unhappy is not None
            if unhappy is not None:
                await house.chat("ming", {"role": "user", "content": unhappy}, headers={"X-Laoma-Conversation": talk})


def drawn(weeks: list[Week]) -> str:
    """An SVG: the share of questions that had to be asked again, a bar a week, with what happened in it."""
    width, left, top, height, step = 760, 60, 50, 200, 56
    marks = []
    for place, week in enumerate(weeks):
        x, bar = left + place * step, height * week.rate
        marks.append(f'<rect x="{x}" y="{top + height - bar:.0f}" width="36" height="{max(bar, 1):.0f}" fill="#4477aa"/>')
        marks.append(f'<text x="{x + 18}" y="{top + height - bar - 5:.0f}" text-anchor="middle">{week.rate:.0%}</text>')
        marks.append(f'<text x="{x + 18}" y="{top + height + 18}" text-anchor="middle">{week.number}</text>')
        for line, note in enumerate(word for said in week.notes for word in said.split()):
            marks.append(
                f'<text x="{x + 18}" y="{top + height + 38 + 15 * line}" text-anchor="middle" font-size="11">{escape(note)}</text>'
            )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top + height + 90}" font-family="sans-serif" font-size="12">',
            f'<text x="{left}" y="24" font-size="14">Questions about tables that had to be asked again, by week (simulated)</text>',
            f'<line x1="{left - 10}" y1="{top + height}" x2="{width - 20}" y2="{top + height}" stroke="#666"/>',
            *marks,
            "</svg>\n",
        ]
    )
