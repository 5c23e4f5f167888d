"""Numbers of documents: Chinese identity cards (checksum), bank cards (Luhn), passports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stdnum import luhn
from stdnum.cn import ric
from stdnum.exceptions import ValidationError

Spans = Iterator[tuple[int, int]]


def _rx(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Words and boundaries are ASCII ones, so that a number right after a Chinese character begins there."""
    return re.compile(pattern, flags | re.ASCII)


_ID = _rx(r"(?<![\d.])\d{6}[ -]?(?:19|20)\d{2}[ -]?\d{2}[ -]?\d{2}[ -]?\d{3}[\dx](?![\d.]*\d)(?![a-z])")
_OLD_ID = _rx(r"(?<!\d)\d{15}(?!\d)")
_ID_CUE = _rx(r"身份证|证件号|公民身份|\bid (?:card|number|no)|identity (?:card|number)")
_PROVINCE = _rx(r"^(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3])")
_CARD = _rx(r"(?<![\d.,])\d(?:[ -]?\d){11,18}(?![\d,]*\d)(?!\.\d)")
_ISSUERS = _rx(r"^(?:4|5[1-5]|2[2-7]|3[47]|62|60|65|35|9[0-9]|8[1]|30|36|38)")
_CARD_CUE = _rx(
    r"银行卡|信用卡|储蓄卡|借记卡|工资卡|社保卡|卡号|这张卡|那张卡|还款卡|收款账号|银行账号|银行账户"
    r"|账户号|账号|户头|visa|master ?card|unionpay|银联|credit card|debit card|bank card|my card|card "
    r"(?:number|no)|account (?:number|no)|\biban\b"
)
_OTHER_NUMBER = _rx(
    r"订单|单号|发票|票号|快递|运单|编号|流水|序列号|isbn|条码|条形码|合同号|会员|工号|学号|参赛|批号"
    r"|型号|案号|商品|设备|order|invoice|tracking|ticket|serial|isbn|barcode|reference|booking|imei"
    r"|shipment|parcel"
)
_EXPIRY = _rx(r"(?:expir\w*|exp\.?|valid (?:thru|until)|有效期(?:到|至)?|到期)[ :：]*(?P<value>\d{1,2} ?/ ?\d{2,4})")
_PASSPORT = _rx(
    r"(?:护照|passport|通行证|港澳证|台胞证)[^\n。;；]{0,24}?(?<![a-z\d])(?P<value>(?:[a-z]{1,2}\d{6,9}"
    r"|[a-z]\d{2}[a-z]\d{5}|\d{9}))(?![\da-z])"
)
_NEAR = 24


def identity_numbers(text: str, plain: str) -> Spans:
    """Eighteen-digit numbers with a right checksum, birth date and province; others only where they are called an identity number."""
    for hit in _ID.finditer(plain):
        number = re.sub(r"[ -]", "", hit.group()).upper()
        if _valid_id(number) or _called(plain, hit.start(), _ID_CUE):
            yield hit.span()
    for hit in _OLD_ID.finditer(plain):
        if _PROVINCE.match(hit.group()) and _called(plain, hit.start(), _ID_CUE):
            yield hit.span()


def cards(text: str, plain: str) -> Spans:
    """Numbers that pass Luhn and begin like a card, unless called something else; with them their expiry date."""
    found = False
    for hit in _CARD.finditer(plain):
        digits = re.sub(r"\D", "", hit.group())
        called = _called(plain, hit.start(), _CARD_CUE) or _CARD_CUE.match(plain[hit.end() : hit.end() + 4]) is not None
        other = _called(plain, hit.start(), _OTHER_NUMBER)
        grouped = re.fullmatch(r"\d{4}(?:[ -]\d{4}){3}(?:[ -]\d{1,3})?|\d{4}[ -]\d{6}[ -]\d{5}", hit.group()) is not None
        luhn_card = len(digits) >= 15 and bool(_ISSUERS.match(digits)) and luhn.is_valid(digits)
        if (luhn_card and not other) or (called and not other and (len(digits) >= 15 or luhn.is_valid(digits))) or (grouped and called):
            found = True
            yield hit.span()
    if found:
        yield from (hit.span("value") for hit in _EXPIRY.finditer(plain))


def passports(text: str, plain: str) -> Spans:
    """What is called a passport (or travel permit) number."""
    yield from (hit.span("value") for hit in _PASSPORT.finditer(plain))


def _valid_id(number: str) -> bool:
    try:
        ric.get_birth_date(number)
        return bool(_PROVINCE.match(number)) and ric.calc_check_digit(number) == number[-1]
    except (ValidationError, ValueError):
        return False


def _called(plain: str, start: int, cue: re.Pattern[str]) -> bool:
    """Whether the cue stands shortly before ``start``, in the same clause or the one before."""
    return cue.search(plain[max(0, start - _NEAR) : start]) is not None
