"""What becomes of a text (R32): kept as it is, kept with masks, kept out of memory, or kept only once the user has agreed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memory.privacy.pattern import rx
from memory.privacy.plain import Plain
from memory.privacy.redact import MARKS, redact
from memory.privacy.sensitive import SENSITIVE, Sensitive, agrees, withhold

Action = Literal["allow", "redact", "block", "consent"]

_KEYS = [mark for category in ("private_key", "seed_phrase", "api_key", "password", "otp") for mark in MARKS[category]]
_DOCUMENTS = [mark for category in ("id_card", "bank_card", "passport") for mark in MARKS[category]]
_DOCUMENT = (
    r"身份证(?:号码?)?|身分证(?:号码?)?|证件号码?|银行卡(?:号码?)?|信用卡(?:号码?)?|储蓄卡(?:号码?)?|工资卡(?:号码?)?|卡号|账号"
    r"|护照(?:号码?)?|通行证号?|社保号"
    r"|id (?:card|number)|identity (?:card|number)|passport(?: number| no\.?)?|(?:bank |credit |debit )?card(?: number| no\.?)?"
    r"|account number|ssn"
    r"|social security(?: number)?"
)
_KEY_WORD = (
    r"密码|口令|暗号|验证码|私钥|助记词|密钥|令牌|pass(?:word|phrase|code)s?|pin(?: code)?|secret key|api key|access token|private key"
    r"|seed phrase"
)
_IS = r" ?(?:是|为|叫|改成|换成|=|:|\bis now\b|\bis\b|\bare\b|→) ?"
_SLOT_VALUE = rx(rf"(?:{_KEY_WORD}){_IS}|(?:{_DOCUMENT}){_IS}[\[\"'“]?(?:\[|[a-z]{{0,3}}[ -]?\d)")
_POINT = rx(rf"(?:(?:{_DOCUMENT}|号码?|number|no\.?|card) ?(?:是|为|叫|=|:|,|\bis\b)?|[:=]|是|\bis\b) ?$")
_TALK = rx(r"什么|多少|哪|忘|丢|不见|过期|到期|快|重置|复杂|简单|\b(?:lost|expire\w*|wrong|forgotten|required|reset|missing)\b")


@dataclass(frozen=True)
class Verdict:
    """``text`` is what may be stored; ``asks`` the matters that the user has not agreed to yet."""

    action: Action
    text: str
    asks: frozenset[Sensitive] = frozenset()


def verdict(text: str, agreed: frozenset[Sensitive] = frozenset()) -> Verdict:
    """What becomes of a text of a user who has ``agreed`` to some matters; leave that the text itself gives counts for it."""
    masked = redact(text).text
    held = withhold(masked, SENSITIVE - agreed if not agrees(text) else frozenset())
    if "state" in held.matters:
        return Verdict("block", held.text)
    asks = frozenset(matter for matter in held.matters if matter != "state")
    if asks:
        return Verdict("consent", held.text, asks)
    if names_a_secret(masked):
        return Verdict("block", masked)
    return Verdict("allow" if masked == text else "redact", masked)


def names_a_secret(text: str) -> bool:
    """Whether a masked text is about a secret itself, so that no memory is made of it: what fills the slot of a password, a card, an
    identity paper, whatever it looks like; a document's number that is the point of the sentence; any key."""
    low = Plain(text).low
    if any(mark in text for mark in _KEYS):
        return True
    for mark in _DOCUMENTS:
        at = text.find(mark)
        while at >= 0:
            point = _POINT.search(Plain(text[:at]).low[-24:]) is not None
            if not _says_more(text, mark) and (point or len(text.replace(mark, "").strip(" ,.，。!！?？")) < _LEAST_BESIDE):
                return True
            at = text.find(mark, at + 1)
    slot = _SLOT_VALUE.search(low)
    return slot is not None and not _TALK.search(low, slot.start())


def _says_more(text: str, mark: str) -> bool:
    """Whether a clause beside the number's own says something worth keeping, and not just that the number be kept and used."""
    clauses = [clause for clause in _CLAUSE.findall(text) if mark not in clause and not _KEEP_AND_USE.search(clause.lower())]
    return any(len(_HAN.findall(clause)) >= 5 or len(clause.split()) >= 4 for clause in clauses)


_CLAUSE = rx(r"[^,，。;；!！?？\n]+")
_HAN = rx(r"[\u4e00-\u9fff]")
_KEEP_AND_USE = rx(
    r"记|存|保存|填|用|转账|下次|以后|下回|报销|登记|号码|证件|实名|别忘|收好|\b(?:save|remember|keep|store|note|use|later|handy|record"
    r"|fill|form|next time)\b"
)
_LEAST_BESIDE = 4
"""Characters beside a number that make more than the number of a text."""
