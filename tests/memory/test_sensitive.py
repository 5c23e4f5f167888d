"""Health, religion, politics and official matters are told by what a clause says of a person, not by a word in it (R32)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.privacy import SENSITIVE, agrees, names_a_secret, verdict, withhold
from memory.privacy.matters import ILLNESS


@pytest.mark.parametrize(
    ("said", "kept", "matter"),
    [
        ("我去年得了甲状腺癌，现在每天爬山", "[健康情况]，现在每天爬山", "health"),
        ("奶奶血压高，一直吃降压药，周末我去看她", "[健康情况]，[健康情况]，周末我去看她", "health"),
        ("我女儿五岁，诊断是自闭症。她喜欢火车", "我女儿五岁，[健康情况]。她喜欢火车", "health"),
        ("我对青霉素过敏", "[健康情况]", "health"),
        ("I was diagnosed with asthma in May, so no smoke please.", "[health matter], so no smoke please.", "health"),
        ("My wife is pregnant. We love hiking.", "[health matter]. We love hiking.", "health"),
        ("我是天主教徒，周日上午别约我", "[信仰]，周日上午别约我", "religion"),
        ("I'm a practicing Muslim, so no pork.", "[faith], so no pork.", "religion"),
        ("我去年入党了", "[政治立场]", "politics"),
        ("I voted for the Greens last year.", "[political view].", "politics"),
        ("我哥还在缓刑期", "[涉官事务]", "government"),
        ("My visa was denied twice.", "[official matter].", "government"),
        ("区里下月才宣布的搬迁方案，涉及三条街", "[未公开政务]", "state"),
        ("The agency's unreleased report blames the contractor.", "[non-public affair].", "state"),
    ],
)
def test_what_is_said_about_a_person_is_left_out_and_the_rest_stays(said: str, kept: str, matter: str) -> None:
    held = withhold(said)
    assert (held.text, held.matters) == (kept, {matter})


@pytest.mark.parametrize(
    "said",
    [
        "我对花生过敏",
        "I'm allergic to peanuts and lactose intolerant.",
        "糖尿病人能吃西瓜吗？",
        "What is the difference between a stroke and a heart attack?",
        "我在写一篇关于抑郁症的论文",
        "我是肿瘤科医生",
        "我家猫得了肾结石",
        "我有拖延症",
        "电脑中了病毒，帮我看看",
        "这车的老毛病又犯了",
        "提醒我周五去体检",
        "北京的教堂哪个值得看",
        "帮我查一下政务大厅几点开门",
        "我不投资股票",
        "我们公司下周才公布新品，先别外传",
        "the password policy is confidential",
        "今天我很累",
        "",
    ],
)
def test_mere_words_are_left_alone(said: str) -> None:
    assert withhold(said).text == said


def test_what_the_user_has_agreed_to_is_kept_but_never_affairs_of_state() -> None:
    said = "我得了痛风。局里还没公布的名单有老吴。我信佛"
    assert withhold(said, SENSITIVE - {"health"}).text == "我得了痛风。[未公开政务]。[信仰]"
    assert withhold(said, frozenset()).text == "我得了痛风。[未公开政务]。我信佛"


def test_hidden_characters_hide_no_illness() -> None:
    assert withhold("我得了糖\u200b尿\u00ad病").text == "[健康情况]"


@pytest.mark.parametrize(
    ("said", "gives"),
    [
        ("我同意你记住我的病：我有痛风", True),
        ("You may keep this: I have gout.", True),
        ("我不同意保存健康信息，我有痛风", False),
        ("I don't agree that you store this: I have gout.", False),
        ("我有痛风", False),
    ],
)
def test_leave_can_be_given_in_the_text_itself(said: str, gives: bool) -> None:
    assert agrees(said) is gives
    assert verdict(said).action == ("allow" if gives else "consent")


@pytest.mark.parametrize(
    ("masked", "none_kept"),
    [
        ("我的密码是小狗的名字", True),
        ("我的身份证号是[身份证号]", True),
        ("身份证 ABC12 的那个", False),
        ("my passport is E1", True),
        ("My passport expires in March.", False),
        ("我的银行卡是招商银行的", False),
        ("水电费每月从[银行卡号]扣，逢五号", False),
        ("密码是什么？", False),
        ("记住[密钥]", True),
        ("我喜欢喝茶", False),
    ],
)
def test_no_memory_is_made_of_a_secrets_slot(masked: str, none_kept: bool) -> None:
    assert names_a_secret(masked) is none_kept


@given(st.text(max_size=200))
def test_leaving_out_survives_any_text_and_is_done_once(text: str) -> None:
    once = withhold(text).text
    assert withhold(once).text == once


def test_ten_times_the_text_takes_about_ten_times_the_work() -> None:
    def work(length: int) -> float:
        began = time.process_time()
        withhold("我得了糖尿病，" * (length // 7))
        return time.process_time() - began

    work(2_000)
    short, long = max(min(work(4_000), work(4_000)), 1e-3), min(work(40_000), work(40_000))
    assert long / short < 40
    assert ILLNESS.search("市" * 1000) is None


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("怀孕三个月了，暂时不出差", "consent"),
        ("最近在看心理医生，每周二下午", "consent"),
        ("I was hospitalised for pneumonia last winter.", "consent"),
        ("我们处的涉密文件编号是甲007", "block"),
        ("Our police unit raids the warehouse on Friday, keep it quiet.", "block"),
        ("I'm working on a stroke-order app.", "allow"),
        ("I voted for pizza tonight", "allow"),
        ("公司的机密文件请别放桌上", "allow"),
        ("My dog has arthritis.", "allow"),
    ],
)
def test_what_becomes_of_a_text(said: str, action: str) -> None:
    assert verdict(said).action == action
