"""What opens something because it is called so: passwords, passphrases, door and unlock codes, one-time codes."""

from __future__ import annotations

import re

from memory.privacy.pattern import Spans, rx
from memory.privacy.plain import Plain

_CUE = (
    r"(?:密码|口令|暗号|密匙|通行码|开门码|门禁码|取件密码|支付码|锁屏码|解锁码|提取码|(?<![a-z])pin(?:码| ?code)?"
    r"(?![a-z])|(?:pass(?:word|code|phrase|wd|key)s?|(?<![a-z])pwd)(?![a-z_(]))"
)
_FOR = r"(?: {1,2}(?:for|of|to|on) (?:my |the |our )?[\w ]{1,24}?)?"
_VERB = (
    r"(?:改成了?|改为了?|换成了?|设成了?|设为|设置为|重置为|改到|变成|是|为|叫|等于|=>|->|=|:|→"
    r"|\bis now|\bis still|\bis|\bto\b|\bwas|\bset to|\bchanged to|,)"
)
_OPEN = r"[ \n\"'“‘「『《`]{0,3}"
_LINK = rf"(?P<link>{_FOR}(?:[ \n]{{0,2}}(?:现在|已经|就|又|都|我){{0,2}} ?{_VERB}){{0,2}})"
_PASSWORD = rx(rf"{_CUE}{_LINK}{_OPEN}(?P<value>[!-~]{{4,64}})")
_FAR_PASSWORD = rx(rf"{_CUE}[^。;\n]{{1,24}}?(?:改成|换成|设成|新的|是|为|:|\bis\b|\bto\b)(?:是|:)?{_OPEN}(?P<value>[!-~]{{6,64}})")
_FAR_DIGITS = rx(
    rf"{_CUE}[^。;\n\d]{{1,12}}?(?:改成|换成|设成|设为|用的?是|是)了?[^。;,\n\d]{{0,4}}(?P<value>\d{{4,12}})(?![\d年月日号点:])"
)
_COUNTED = rx(rf"{_CUE}{_LINK}(?P<value>[一二三四五六七八九十\d]{{1,2}}个[零一二三四五六七八九\d])")
_QUOTED = rx(rf"{_CUE}{_LINK} ?(?:[\"'“‘「『`](?P<value>[^\"'”’」』`\n:=, ][^\"'”’」』`\n]{{1,79}})[\"'”’」』`])")
_PHRASE = rx(rf"{_CUE}{_LINK}{_OPEN}(?P<value>[a-z]{{2,}}(?:[ \-_.]{{1,2}}[a-z]{{2,}}){{1,11}})(?![a-z])")
_SPACED = rx(rf"{_CUE}{_LINK}{_OPEN}(?P<value>[a-z\d](?:[ \-,.\n]{{1,2}}[a-z\d]){{3,15}})(?![a-z\d])")
_HAN = rx(rf"(?:密码|口令|暗号){_LINK}{_OPEN}(?P<value>[\u4e00-\u9fff]{{4,16}})(?![\u4e00-\u9fff])")
_HAN_TALK = rx(
    r"什么|多少|哪|谁|啥|忘|错|不|没|我|你|他|她|它|的|了|用|跟|和|一样|生日|需|必|太|很|可以|应该|自己|请|重置|设置|改|保密|安全"
    r"|复杂|简单|位"
)
_LINKED = rx(r"[=:是为成到叫→,]|\b(?:is|to|was)\b")
_CALLED = rx(r"[=:是为叫→]|等于")
_DIGITS = rx(r"^\d{4,8}$")
_MARK = rx(r"^\[[^\]]*\]?$")
_PLAIN_WORDS = rx(
    r"^(?:wrong|correct|incorrect|expired|weak|strong|required|needed|protected|reset|manager|managers"
    r"|hint|policy|field|page|prompt|login|change|changed|again|every|and|but|or|the|that|this|too"
    r"|not|yesterday|today|tomorrow"
    r"|safe|secure|stored|saved|long|short|generator|hash|hashing|rules?|before|after|when|because"
    r"|please|never|ever|always|often|with|from|will|which|should|must|have|has|in|on|at|for|to|is"
    r"|it|my|your|our|me|remind|reset|only|a|an|so|very|same|as|of|i|we|you|be|been|was|can|cannot|no"
    r"|forgotten|hard|easy|case|sensitive|different|good|fine|okay|missing|invalid|valid|unknown|what|how|who|where|why"
    r"|empty|visible|hidden|encrypted|optional|there|here|works?|working|are|do|does|did|if|then|than|by|about|out|up)[.,;!?]*$"
)
_OTP = rx(
    r"(?:验证码|校验码|动态码|动态密码|动态口令|短信码|确认码|安全码|verification code|verify code"
    r"|one[- ]?time (?:code|password|passcode)|security code|login code|sign-?in code|sms code|auth"
    r"(?:entication|orization)? code|2fa code|confirmation code|\botp|\bcvv2?|\bcvc2?)"
    r"[^\d\n。;]{0,14}?\n?(?P<value>(?<![\d.])(?:[a-z]-)?\d(?:[ \-–—,.、\n]{0,3}\d){2,9})(?![\d.]{0,20}\d)"
)
_OTP_BEFORE = rx(
    r"(?<![\d.])(?P<value>\d(?:[ \-\n]{0,3}\d){3,7})(?![\d.]{0,20}\d) ?(?:,?(?:是|为|is|as)) ?(?:你的|您的|我的|本次|your|my|the|a)?"
    r" ?(?:[a-z]{1,16} )?(?:短信|登录|登陆|动态|支付){0,2}(?:验证码|校验码|动态码|verification code|one[- ]?time code|security code"
    r"|login code|otp\b)"
)


def passwords(plain: Plain) -> Spans:
    """What is given as a password: a value that is no plain word of the sentence, what stands in quotes, phrases of several words."""
    if _ANY_CUE.search(plain.low) is None:
        return
    text, low = plain.text, plain.low
    for hit in _PASSWORD.finditer(low):
        yield from _value(text, hit, linked=_LINKED.search(hit["link"]) is not None)
    for hit in _FAR_PASSWORD.finditer(low):
        value = text[slice(*hit.span("value"))]
        if re.search(r"\d", value) and re.search(r"[A-Za-z]", value):
            yield from _value(text, hit, linked=True)
    for pattern in (_FAR_DIGITS, _COUNTED):
        yield from (hit.span("value") for hit in pattern.finditer(low))
    yield from (hit.span("value") for hit in _QUOTED.finditer(low) if not _MARK.match(hit["value"]))
    for hit in _PHRASE.finditer(low):
        words = re.split(r"[ \-_.]+", hit["value"])
        named = hit.group().startswith("passphrase") or ":" in hit["link"] or "=" in hit["link"]
        common = sum(_PLAIN_WORDS.match(word) is not None for word in words)
        enough = len(words) >= (4 if common == 1 else 2 if named else 3)
        if _LINKED.search(hit["link"]) and enough and (common <= 1 or (named and 2 * common < len(words))):
            yield hit.span("value")
    for hit in _SPACED.finditer(low):
        if _LINKED.search(hit["link"]) or hit["value"][0].isdigit():
            yield hit.span("value")
    for hit in _HAN.finditer(low):
        if _CALLED.search(hit["link"]) and not _HAN_TALK.search(hit["value"]):
            yield hit.span("value")


def one_time_codes(plain: Plain) -> Spans:
    """Codes of three to ten digits that are called a verification code, or a card's security code."""
    if not plain.numbered:
        return
    for pattern in (_OTP, _OTP_BEFORE):
        yield from (hit.span("value") for hit in pattern.finditer(plain.low))


def asked_for(question: str, answer: str) -> tuple[int, int] | None:
    """The part of a folded, lower-case ``answer`` that is the secret which ``question`` asked for at its end."""
    if _ASKED.search(question) is None:
        return None
    value = _GIVEN.match(answer)
    return value.span("value") if value else None


_ANY_CUE = rx(_CUE)
_ASKED = rx(
    rf"(?:{_CUE}|验证码|校验码|动态码|身份证号?码?|证件号码?|银行卡号?码?|卡号|护照号码?|verification code|one[- ]?time code|otp"
    rf"|card number|id number|passport number)"
    r"[^。.!\n]{0,24}(?:[?:]|吗|呢|多少|什么|告诉我|发给我|发我|提供一?下|please)[^\n。.!，,]{0,6}\s*$"
)
_GIVEN = rx(r"(?:[^!-~]{0,8}|(?:it'?s|it is|sure,?|ok,?|是|好的?,?) ?)(?P<value>(?=[!-~]{0,63}\d)[!-~]{4,64}|\d(?:[ -]?\d){3,18})")


def _value(text: str, hit: re.Match[str], *, linked: bool) -> Spans:
    start, end = hit.span("value")
    value = text[start:end]
    value = value.rstrip(".,;?\"')]") if len(value) > 4 else value
    if _password_like(value, cue=hit.group()[:3], linked=linked):
        yield start, start + len(value)


def _password_like(value: str, *, cue: str, linked: bool) -> bool:
    if len(value) < 4 or _PLAIN_WORDS.match(value.lower()) or _MARK.match(value):
        return False
    if _DIGITS.match(value):
        return linked or len(value) >= 6 or cue.startswith("pin")
    mixed = bool(re.search(r"\d", value) and re.search(r"[A-Za-z]", value)) or bool(re.search(r"[#$%^&*!@_~+=]", value))
    return (
        mixed
        or (linked and bool(re.fullmatch(r"[A-Za-z-]{5,}", value)) and not value.islower() and not value.istitle())
        or (linked and bool(re.fullmatch(r"[a-z]{6,}(?:-[a-z]+)*", value)) and not value.endswith(("ed", "ing", "ly")))
    )
