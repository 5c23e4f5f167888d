"""Bank cards (Luhn), their expiry dates, account numbers that are called so, and IBANs."""

from __future__ import annotations

import re

from stdnum import iban, luhn

from memory.privacy.numbers import Number, runs
from memory.privacy.pattern import Spans, called, rx
from memory.privacy.plain import Plain

_ISSUERS = rx(r"^(?:4|5[1-5]|2[2-7]|3[47]|62|60|65|35|9[0-9]|8[1]|30|36|38)")
_SHAPES = ((4, 4, 4, 4), (4, 4, 4, 4, 1), (4, 4, 4, 4, 2), (4, 4, 4, 4, 3), (4, 6, 5), (6, 13), (4, 4, 4, 4, 4, 1), (8, 8))
_CARD_CUE = rx(
    r"银行卡|信用卡|储蓄卡|借记卡|工资卡|社保卡|卡号|这张卡|那张卡|还款卡|收款账号|银行账号|银行账户"
    r"|账户号|账号|户头|visa|master ?card|unionpay|银联|credit card|debit card|bank card|my card|card "
    r"(?:number|no)|account (?:number|no)|\biban\b"
)
_CUE_BEHIND = rx(r"[^\d]{0,2}(?:这张卡|那张卡|卡号|信用卡|银行卡)")
_OTHER_NUMBER = rx(
    r"订单|单号|发票|票号|快递|运单|编号|流水|序列号|isbn|条码|条形码|合同号|会员|工号|学号|参赛|批号"
    r"|型号|案号|商品|设备|order|invoice|tracking|ticket|serial|isbn|barcode|reference|booking|imei"
    r"|shipment|parcel"
)
_EXPIRY = rx(r"(?:expir\w*|exp\.?|valid (?:thru|until)|有效期(?:到|至)?|到期)[ ::]*(?P<value>\d{1,2} ?/ ?\d{2,4})")
_IBAN = rx(r"(?<![a-z\d])[a-z]{2}\d{2}(?:[ -]?[a-z\d]{2,4}){3,8}(?:[ -]?[a-z\d])?(?![a-z\d])")
_AMOUNT_MARK = rx(r"\.\d")


def cards(plain: Plain) -> Spans:
    """Numbers that pass Luhn and begin like a card, unless called something else; with them their expiry date."""
    if not plain.numbered:
        return
    low, found = plain.low, False
    for run in runs(low):
        for number in (*run.whole(12, 19), *run.shaped(*_SHAPES)):
            if _is_card(low, number):
                found = True
                yield number.start, number.end
    if found:
        yield from (hit.span("value") for hit in _EXPIRY.finditer(low))


def ibans(plain: Plain) -> Spans:
    """International account numbers with a right checksum, in groups or not."""
    if not plain.numbered:
        return
    for hit in _IBAN.finditer(plain.low):
        words = re.split("[ -]", hit.group())
        for count in range(len(words), 0, -1):  # the word after the number may have been taken for its last group
            number = "".join(words[:count])
            if len(number) >= 15 and iban.is_valid(number):
                yield hit.start(), hit.start() + len(number) + count - 1
                break


def _is_card(low: str, number: Number) -> bool:
    digits, length = number.digits, len(number.digits)
    thousands = number.shape[0] <= 3 and set(number.shape[1:]) == {3}
    if not 12 <= length <= 19 or _AMOUNT_MARK.match(low, number.end) or thousands or called(low, number.start, _OTHER_NUMBER):
        return False
    named = called(low, number.start, _CARD_CUE) or _CUE_BEHIND.match(low, number.end) is not None
    right = luhn.is_valid(digits)
    if named:
        return length >= 15 or right or number.shape in _SHAPES
    return length >= 15 and right and _ISSUERS.match(digits) is not None
