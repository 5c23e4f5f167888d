"""Credentials: private keys, seed phrases, API keys, passwords, one-time codes. Each finder gets a text and its mirror, and gives spans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from mnemonic import Mnemonic

Spans = Iterator[tuple[int, int]]


def _rx(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Words and boundaries are ASCII ones, so that a number right after a Chinese character begins there."""
    return re.compile(pattern, flags | re.ASCII)


_PEM = _rx(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)", re.DOTALL)
_TOKENS = _rx(
    r"(?<![\w-])(?:sk-[A-Za-z0-9_-]{12,}|(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|gh[pousr]_[A-Za-z0-9]{20,}"
    r"|github_pat_\w{20,}"
    r"|glpat-[\w-]{16,}|hf_[A-Za-z0-9]{16,}|xox[abposr]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[\w-]{30,}"
    r"|ya29\.[\w-]{20,}|npm_\w{30,}"
    r"|pypi-[\w-]{30,}|SG\.[\w-]{16,}\.[\w-]{16,}|LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{12,}|eyJ[\w-]{8,}\.[\w-]{8,}"
    r"(?:\.[\w-]*)?)"
)
_TOKEN_REST = _rx(r"[A-Za-z0-9_+/=~%.:-]*(?<![.:])")
_RANDOM = _rx(r"(?<![A-Za-z0-9+/_=.:-])[A-Za-z0-9+/_=-]{20,}")
_KEY_PAIR = _rx(r"key pair|secret|credentials?|密钥|秘钥|凭证")
_NAMED_TOKEN = _rx(
    r"(?:api[ _-]?key|access[ _-]?key|secret(?:[ _-]?key)?|access[ _-]?token|auth[ _-]?token|\btoken"
    r"|bearer|webhook|密钥|秘钥|令牌|访问密钥|appsecret|app ?secret)"
    r"(?:\s*(?:is|are|=|:|：|为|是|改成|换成|to|：|,|，)|\s)*[\s\"'“`]*(?P<value>[A-Za-z0-9_\-./+=]{12,})"
)
_VALUE = r"(?P<value>[!-~]{4,64})"
_PASSWORD = _rx(
    r"(?:密码|口令|暗号|密匙|通行码|开门码|门禁码|取件密码|支付码|锁屏码|(?<![a-z])pin(?:码| ?code)?"
    r"(?![a-z])|pass(?:word|code|phrase|wd)|(?<![a-z])pwd)(?:s)?"
    r"(?P<link>(?:\s*(?:for|of|to|on)\s+(?:my |the |our )?[\w ]{1,24}?)?(?:\s*(?:现在|已经|就|又|都"
    r"|我)?\s*(?:改成了?|改为了?|换成了?|设成了?|设为|设置为|重置为|改到|变成|是|为|=|:|：|→|\bis now"
    r"|\bis still|\bis|\bto|\bwas|,|，))?[\s\"'“「`]*)" + _VALUE
)
_DIGITS_AFTER = _rx(r"^\d{4,8}$")
_PLAIN_WORDS = _rx(
    r"^(?:wrong|correct|incorrect|expired|weak|strong|required|needed|protected|reset|manager|managers"
    r"|hint|policy|field|page|prompt|login|change|changed|again|every|and|but|or|the|that|this|too"
    r"|not|yesterday|today|tomorrow"
    r"|safe|secure|stored|saved|long|short|generator|hash|hashing|rules?|before|after|when|because"
    r"|please|never|ever|always|often|with|from|will|which|should|must|have|has|in|on|at|for|to|is"
    r"|it|my|your|our|me|remind|reset|only"
    r"|forgotten|hard|easy|case|sensitive|different|same|good|fine|okay|missing|invalid|valid|unknown"
    r"|empty|visible|hidden|encrypted|optional|there|here)[.,;!?]*$"
)
_OTP = _rx(
    r"(?:验证码|校验码|动态码|动态密码|动态口令|短信码|确认码|安全码|verification code|verify code"
    r"|one[- ]?time (?:code|password|passcode)|security code|login code|sign-?in code|sms code|auth"
    r"(?:entication|orization)? code|2fa code|confirmation code|\botp|\bcvv2?|\bcvc2?)"
    r"[^\d\n。;；]{0,14}?(?P<value>(?<![\d.])(?:[a-z]-)?\d{3}[ -]?\d{0,5}(?![\d.]*\d))"
)
_OTP_BEFORE = _rx(
    r"(?<![\d.])(?P<value>\d{4,8})(?![\d.]*\d)\s*(?:是|为|is)\s*(?:你的|您的|我的|your|my|the)?\s*"
    r"(?:短信)?(?:登录)?(?:验证码|校验码|动态码|verification code|one[- ]?time code|security code"
    r"|login code)"
)
_WORDS = _rx(r"(?<![A-Za-z])[A-Za-z]+(?:[\s,，、\d.)]+[A-Za-z]+){11,}")
_WORD = _rx(r"[A-Za-z]+")
_SHORTEST_PHRASE = 12
_CHINESE_PHRASE = _rx(r"助记词[^\u4e00-\u9fff]{0,4}(?:是|为)?[:： ]*(?P<value>[\u4e00-\u9fff](?:[\s,，、]*[\u4e00-\u9fff]){11,23})")


def private_keys(text: str, plain: str) -> Spans:
    """PEM blocks, cut ones to the end of the text."""
    yield from (hit.span() for hit in _PEM.finditer(text))


def seed_phrases(text: str, plain: str) -> Spans:
    """Twelve or more words in a row of the BIP-39 list, and what is called a seed phrase in Chinese."""
    yield from (hit.span("value") for hit in _CHINESE_PHRASE.finditer(text))
    known = _bip39()
    for run in _WORDS.finditer(plain):
        row: list[re.Match[str]] = []
        for word in _WORD.finditer(plain, *run.span()):
            if word.group() in known:
                row.append(word)
                continue
            yield from _phrase(row)
            row = []
        yield from _phrase(row)


def api_keys(text: str, plain: str) -> Spans:
    """Tokens of known make, what is called a key or token and looks random, and random strings beside such a one."""
    found = [(hit.start(), _token_end(text, hit.end())) for hit in _TOKENS.finditer(text)]
    found += [hit.span("value") for hit in _NAMED_TOKEN.finditer(plain) if _random_looking(text[slice(*hit.span("value"))])]
    yield from found
    if found or _KEY_PAIR.search(plain):
        yield from (hit.span() for hit in _RANDOM.finditer(text) if _kinds(hit.group()) == 3)


def passwords(text: str, plain: str) -> Spans:
    """What is given as a password: four or more ASCII characters that are no plain word of the sentence."""
    for hit in _PASSWORD.finditer(plain):
        start, end = hit.span("value")
        value = text[start:end].rstrip(".,;!?\"'”）)") if len(text[start:end]) > 4 else text[start:end]
        linked = bool(re.search(r"[=:：是为成到→,，]|\bis\b|\bto\b|\bwas\b", hit["link"]))
        if _password_like(value, cue=hit.group()[:3], linked=linked):
            yield start, start + len(value)


def one_time_codes(text: str, plain: str) -> Spans:
    """Codes of three to eight digits that are called a verification code, or a card's security code."""
    for pattern in (_OTP, _OTP_BEFORE):
        for hit in pattern.finditer(plain):
            if len(re.sub(r"\D", "", hit["value"])) >= 3:
                yield hit.span("value")


def _phrase(row: list[re.Match[str]]) -> Spans:
    if len(row) >= _SHORTEST_PHRASE:
        yield row[0].start(), row[-1].end()


@cache
def _bip39() -> frozenset[str]:
    return frozenset(Mnemonic("english").wordlist)


def _token_end(text: str, end: int) -> int:
    rest = _TOKEN_REST.match(text, end)
    return rest.end() if rest else end


def _kinds(value: str) -> int:
    return sum(bool(re.search(kind, value)) for kind in (r"[a-z]", r"[A-Z]", r"\d"))


def _random_looking(value: str) -> bool:
    return bool(re.search(r"\d", value)) and _kinds(value) >= 2 and not re.fullmatch(r"[\d.\-/]+", value)


def _password_like(value: str, *, cue: str, linked: bool) -> bool:
    if len(value) < 4 or _PLAIN_WORDS.match(value.lower()):
        return False
    if _DIGITS_AFTER.match(value):
        return linked or len(value) >= 6 or cue.startswith("pin")
    mixed = bool(re.search(r"\d", value) and re.search(r"[A-Za-z]", value)) or bool(re.search(r"[#$%^&*!@_~+=]", value))
    return (
        mixed
        or (linked and bool(re.fullmatch(r"[A-Za-z-]{5,}", value)) and not value.islower() and not value.istitle())
        or (linked and bool(re.fullmatch(r"[a-z]{6,}(?:-[a-z]+)*", value)) and not value.endswith(("ed", "ing", "ly")))
    )
