"""What must never be stored is masked, and what only looks like it is left alone (R32)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.privacy import redact


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("打我13800000000就行", "打我[电话]就行"),
        ("邮箱是lin.xz@example.com", "邮箱是[邮箱]"),
        ("住在幸福小区3栋2单元501", "住在[地址]"),
        ("我的车牌是川A·D12345", "我的车牌是[车牌]"),
        ("把密码改成123456", "把密码改成[密码]"),
        ("密码是：Abc12345！", "密码是：[密码]"),
        ("my password is hunter", "my password is [password]"),
        ("PIN 1234", "PIN [password]"),
        ("验证码 123456，别告诉别人", "验证码 [验证码]，别告诉别人"),
        ("身份证110101199003079972", "身份证[身份证号]"),
        ("卡号 4111 1111 1111 1111", "卡号 [银行卡号]"),
        ("护照 E12345678", "护照 [护照号]"),
        ("use sk-proj-abcDEF1234567890 please", "use [key] please"),
        ("key -----BEGIN RSA PRIVATE KEY-----\nMIIabc", "key [private key]"),
        ("words: " + "abandon " * 11 + "about", "words: [seed phrase]"),
    ],
)
def test_secrets_and_contacts_are_masked(said: str, stored: str):
    assert redact(said).text == stored


@pytest.mark.parametrize(
    "said",
    [
        "拨打400-820-8820",
        "版本3.11.14",
        "订单号20250718123456789012",
        "Pump code is 4-4-1.",
        "password is wrong",
        "the password is required",
        "我的手机尾号7719",
        "我的密码忘了",
        "token计数是12000",
        "北京路很长",
        "我在T3航站楼",
        "192.168.1.1",
        "1380000元",
        "身份证号忘带了",
        "2024-05-01 12:30:45",
        "护照快过期了",
        "passport expires 2027-01-01",
        "我属虎。",
        "我的银行是南山支行，尾号 7719",
        "9 out of 10 people like it",
        "call me at nine",
        "",
    ],
)
def test_look_alikes_are_left_byte_for_byte(said: str):
    redaction = redact(said)
    assert (redaction.text, redaction.found) == (said, ())


@pytest.mark.parametrize(
    ("question", "answer", "stored"),
    [
        ("请告诉我你的路由器密码？", "abc12345", "[password]"),
        ("好的，验证码是多少？", "是 604917", "是 [密码]"),
        ("Sure. What is your password?", "it's hunter2!", "it's [password]"),
        ("And the PIN, please?", "4 8 2 1", "[password]"),
        ("你忘了密码？那就重置吧。", "windows10 怎么重置", "windows10 怎么重置"),
        ("你住几楼？", "12345", "12345"),
    ],
)
def test_the_answer_to_a_question_for_a_secret_is_one(question: str, answer: str, stored: str):
    assert redact(answer, question=question).text == stored


def test_kinds_that_are_never_stored_are_told_from_those_that_are_masked():
    assert redact("密码是Abc12345").never
    assert not redact("打我13800000000就行").never


@given(st.text())
def test_masking_survives_any_text_and_finds_nothing_new_in_its_own_marks(text: str):
    once = redact(text).text
    assert redact(once).text == once
