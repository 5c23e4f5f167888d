"""The scenarios of the gate and what it says (E9)."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolution.scenarios import FILE, Outcome, Scenario, built_in, gate, scenarios
from schemas.errors import SettingsError


def test_twenty_come_with_laoma_in_both_languages_and_a_home_adds_its_own(tmp_path: Path) -> None:
    assert len(built_in()) == 20
    assert {one.lang for one in built_in()} == {"zh", "en"}
    (tmp_path / FILE).write_text('{"id": "mine", "ask": "我家的狗叫什么", "must_include": [["豆豆"]]}\n\n', encoding="utf-8")
    assert [one.id for one in scenarios(tmp_path)][20:] == ["mine"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 1: this is no JSON object"),
        ('{"id": "a"}', "line 1: ask: Field required"),
        ('{"id": "a", "ask": "x", "must": []}', "line 1: must"),
        ('{"id": "zh-name", "ask": "x"}', "two scenarios have the same id"),
    ],
)
def test_a_scenario_that_is_none_is_named_by_its_line(tmp_path: Path, line: str, words: str) -> None:
    (tmp_path / FILE).write_text(line, encoding="utf-8")
    with pytest.raises(SettingsError, match=words):
        scenarios(tmp_path)


def test_an_answer_passes_with_one_spelling_of_each_group_none_of_the_forbidden_and_not_too_long() -> None:
    one = Scenario(id="a", ask="?", must_include=[["500元", "500 元"], ["每月", "monthly"]], must_not_include=["Fahrenheit"], max_chars=20)
    assert one.faults("每月５００ 元。") == []
    assert one.faults("500元") == ["lacks 每月/monthly"]
    assert one.faults("每月500元, FAHRENHEIT") == ["says Fahrenheit"]
    assert one.faults("每月500元" + "。" * 20) == ["26 characters, 20 at most"]
    assert one.faults(" ")[0] == "no answer"
    units = Scenario(id="a", ask="?", must_include=[[" C"]])
    assert units.faults("About 4 C.") == []
    assert units.faults("Ice") == ["lacks  C"]


def outcomes(before: str, after: str) -> list[Outcome]:
    return [Outcome(f"s{n}", a == "+", b == "+", "" if b == "+" else "lacks x") for n, (a, b) in enumerate(zip(before, after, strict=True))]


def test_the_pass_rate_must_not_fall() -> None:
    same = gate(outcomes("++-", "++-"))
    assert (same.verdict, same.cases, same.said) == ("passed", (), "2 of 3 scenarios passed, 2 before")
    fell = gate(outcomes("+++", "+-+"))
    assert (fell.verdict, fell.cases) == ("failed", ("s1: lacks x",))
    moved = gate(outcomes("+-", "-+"))
    assert (moved.verdict, moved.cases) == ("passed", ("s0: lacks x",))


def test_a_model_that_passes_less_than_half_beforehand_tells_nothing() -> None:
    weak = gate(outcomes("+---", "++++"))
    assert (weak.verdict, weak.said) == ("not_testable", "1 of 4 scenarios passed before it: this model can't tell")
    assert gate(outcomes("++--", "++--")).verdict == "passed"
    assert gate([]).verdict == "not_testable"
