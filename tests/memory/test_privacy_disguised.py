"""A secret stays one however it is written: hidden characters, other digits, other widths, cut in pieces (R32)."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.normalise import squeeze
from memory.privacy import redact, redact_all
from memory.privacy.plain import Plain

NUMBERS = {
    "identity card": ("身份证 ", "110101199003079972"),
    "identity card, unnamed": ("存一下 ", "110101199003079972"),
    "bank card": ("卡号 ", "4111111111111111"),
    "mobile": ("手机 ", "13800138000"),
    "one-time code": ("验证码是 ", "604917"),
    "social security": ("my ssn is ", "536228726"),
}
WORDS = {
    "password": ("密码是 ", "Abc12345xyz"),
    "phrase": ("my password is ", "purple monkey dishwasher"),
    "key": ("use ", "sk-proj-abcDEF1234567890"),
    "own key": ("", "laoma-AbCdEf0123456789AbCdEf0123456789xyzAB"),
    "mail": ("写信到 ", "lin.xz@example.com"),
    "basic": ("Authorization: Basic ", "dXNlcjpwYXNzd29yZA=="),
    "iban": ("", "GB82WEST12345698765432"),
    "wallet": ("", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"),
    "taiwan": ("", "A123456789"),
    "hong kong": ("身份证 ", "A123456(3)"),
}
HIDDEN = ["\u200b", "\u200d", "\u00ad", "\u2060", "\ufeff", "\u202e", "\ufe0f"]
BETWEEN_DIGITS = [*HIDDEN, "\u00a0", " ", "-", "\t", "\n", "\u3000", "\u2009", " - "]
DIGITS = ["0123456789", "０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "𝟘𝟙𝟚𝟛𝟜𝟝𝟞𝟟𝟠𝟡", "零一二三四五六七八九", "〇壹贰叁肆伍陆柒捌玖"]


def with_digits(script: str) -> Callable[[str], str]:
    return lambda text: "".join(script[int(char)] if char in "0123456789" else char for char in text)


def wide(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def readable(text: str) -> str:
    return squeeze(Plain(text).text)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(NUMBERS)), st.sampled_from(DIGITS), st.sampled_from(BETWEEN_DIGITS), st.sampled_from([1, 2, 3, 4, 6]))
def test_a_number_in_any_digits_and_any_grouping_is_masked_exactly(kind: str, script: str, between: str, size: int) -> None:
    before, number = NUMBERS[kind]
    said = between.join(with_digits(script)(number[i : i + size]) for i in range(0, len(number), size))
    kept = redact(f"{before}{said}。谢谢").text
    assert readable(number) not in readable(kept)
    assert not any(char in kept.removeprefix(before).removesuffix("。谢谢") for char in said if char.isalnum()), kept
    assert kept.startswith(before)
    assert kept.endswith("。谢谢")


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(NUMBERS | WORDS)), st.sampled_from(HIDDEN), st.integers(1, 5), st.booleans())
def test_hidden_characters_and_full_width_hide_nothing(kind: str, hidden: str, every: int, full_width: bool) -> None:
    before, secret = (NUMBERS | WORDS)[kind]
    said = hidden.join(secret[i : i + every] for i in range(0, len(secret), every))
    kept = redact(f"{before}{wide(said) if full_width else said} 好").text
    assert readable(secret) not in readable(kept)
    assert readable(secret)[:-2] not in readable(kept)
    assert kept.endswith(" 好")


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(NUMBERS)), st.lists(st.integers(1, 17), min_size=1, max_size=3, unique=True))
def test_a_number_cut_over_messages_is_masked_in_each_of_them(kind: str, cuts: list[int]) -> None:
    before, number = NUMBERS[kind]
    places = [0, *sorted(cut for cut in cuts if cut < len(number)), len(number)]
    pieces = [number[a:b] for a, b in pairwise(places)]
    pieces[0] = before + pieces[0]
    kept = "".join(one.text for one in redact_all(pieces))
    assert not any(char.isdigit() for char in kept), kept


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("身份证号码 110101199003079972abc", "身份证号码 [身份证号]abc"),
        ("code: verification code is six zero four nine one seven", "code: verification code is [code]"),
        ("服务器 https://bob:hunter22@localhost/x", "服务器 https://bob:[密钥]@localhost/x"),
        ("curl -u bob:hunter2 https://x.y", "curl -u bob:[key] https://x.y"),
        ('{"password": "hunter"}', '{"password": "[key]"}'),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENGbPxRfiCY", "AWS_SECRET_ACCESS_KEY=[key]"),
        ("我的密码是 correct horse battery staple", "我的密码是 [密码]"),
        ("口令：天王盖地虎", "口令：[密码]"),
        ("密码忘了，新的是abc12345", "密码忘了，新的是[密码]"),
        ("lin [at] example [dot] com", "[mail address]"),
        ("parcels to 48 fernhollow lane, apt 3b please", "parcels to [address] please"),
        ("1️⃣3️⃣8️⃣0️⃣0️⃣1️⃣3️⃣8️⃣0️⃣0️⃣0️⃣ 找我", "[电话] 找我"),
        ("密碼是Abc12345", "密碼是[密码]"),
        ("use sk‐proj‐abcDEF1234567890", "use [key]"),
        ("wechat password => qwe123", "wechat password => [password]"),
        ("密码我设成了生日19900307", "密码我设成了生日[密码]"),
        ("13800138000sk-proj-abcDEF1234567890", "[key]"),
        ("密码hunter2x9", "密码[密码]"),
        ("我的密码是六个八", "我的密码是[密码]"),
        ("I live at 221B Baker Street, London NW1 6XE", "I live at [address]"),
    ],
)
def test_forms_that_were_missed_once(said: str, stored: str) -> None:
    assert redact(said).text == stored


@pytest.mark.parametrize(
    "said",
    [
        "密码是什么？",
        "password is required for the login page",
        "my password is wrong again",
        "下午3点、5点、7点各一次",
        "1、2、3、4、5、6、7",
        "服务器192.168.100.100",
        "固件升级到138.2.55.21了",
        "取件码 8-2-4417",
        "2024-05-01, 2024-06-01, 2024-07-01",
        "一二三四五，上山打老虎",
        "见 https://example.com/a?page=3&key=2",
        "北京路12号线地铁站",
        "第3期培训班",
        "营收 1,380,013,800 元",
        "家庭👨‍👩‍👧‍👦一家四口",
        "def password_ok(p): return len(p) >= 8",
        "快递柜取件码 3-5-8821",
        "彩票号码 03 11 17 22 28 33 + 09",
        "MAC 00:1B:44:11:3A:B7",
        "基金代码 000001，股票 600519",
    ],
)
def test_look_alikes_of_the_disguised_are_left_alone(said: str) -> None:
    assert redact(said).text == said


@pytest.mark.parametrize(
    "unit", ["市", "号", "1号", "路1号", "1 ", "1\u200b", "密码", "password ", "a@", "aB3+", "+1 2 3 ", "one two ", "\n"]
)
def test_ten_times_the_text_takes_about_ten_times_the_work(unit: str) -> None:
    def work(length: int) -> float:
        text = unit * (length // len(unit))
        began = time.process_time()
        redact(text)
        return time.process_time() - began

    work(2_000)
    short, long = max(min(work(4_000), work(4_000)), 1e-3), min(work(40_000), work(40_000))
    assert long / short < 40


@given(st.text(max_size=300), st.text(max_size=300))
@settings(deadline=None)
def test_offsets_of_the_folded_text_lead_back_to_the_original(first: str, second: str) -> None:
    original = f"{first}4111111111111111{second}"
    plain = Plain(original)
    for index in range(len(plain.text)):
        start, end = plain.span(index, index + 1)
        assert 0 <= start < end <= len(original)
    at = plain.text.find("4111111111111111")
    if at >= 0:
        start, end = plain.span(at, at + 16)
        assert "4111111111111111" in original[start:end]


def test_a_key_block_longer_than_a_window_is_masked_to_its_end() -> None:
    block = "-----BEGIN RSA PRIVATE KEY-----\n" + ("MIIabcdefgh0123456789\n" * 900) + "-----END RSA PRIVATE KEY-----"
    assert redact(f"see {block} ok").text == "see [private key] ok"
    assert redact("x" * 8_180 + " sk-" + "a1" * 3000 + " ok").text.endswith(" [key] ok")
