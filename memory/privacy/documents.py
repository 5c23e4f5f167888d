"""Numbers of documents: identity cards (mainland, Hong Kong, Taiwan), social security, passports and travel permits."""

from __future__ import annotations

import re

from stdnum.cn import ric
from stdnum.exceptions import ValidationError
from stdnum.us import ssn

from memory.privacy.numbers import runs
from memory.privacy.pattern import Spans, called, rx
from memory.privacy.plain import Plain

_ID_CUE = rx(
    r"身份证|身分证|证件号|公民身份|居民证|证号|\bid (?:card|number|no)|identity (?:card|number)|national id"
    r"|social security|\bssn\b|\bhkid\b"
)
_PROVINCE = rx(r"^(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3])")
_OTHER_NUMBER = rx(
    r"订单|单号|发票|票号|快递|运单|编号|流水|序列号|isbn|型号|案号|设备|版本|order|invoice|tracking|ticket|serial|model|version|part"
)
_LAST_X = rx(r"[ \-_.,/·\n]{0,3}x")
_SSN = rx(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")
_HK = rx(r"(?<![a-z\d])(?P<letters>[a-z]{1,2}) ?(?P<digits>\d{6}) ?(?:\((?P<check>[\da])\)|(?P<bare>[\da])(?![a-z\d]))")
_TAIWAN = rx(r"(?<![a-z\d])[a-z][ -]?[1289](?:[ -]?\d){8}(?![ -]?\d)")
_PASSPORT = rx(
    r"(?:护照|passport|通行证|港澳证|台胞证|回乡证|旅行证|travel permit)[^\n。;；]{0,24}?(?<![a-z\d])"
    r"(?P<value>(?:[a-z][ -]?){1,2}\d(?:[ -]?\d){5,8}|[a-z]\d{2}[a-z]\d{5}|\d(?:[ -]?\d){8})(?![ -]?\d)(?![a-z\d])"
)
_TAIWAN_LETTERS = "abcdefghjklmnpqrstuvxywzio"


def identity_numbers(plain: Plain) -> Spans:
    """Numbers with a right checksum, whatever stands between their digits; others only where they are called an identity number."""
    if not plain.numbered:
        return
    low = plain.low
    named = _ID_CUE.search(low) is not None
    for run in runs(low):
        for number in run.of_length(18, _dated):
            if _valid_id(number.digits) or (len(number.shape) <= 5 and called(low, number.start, _ID_CUE)):
                yield number.start, number.end
        for number in run.of_length(17, _dated):
            end = _LAST_X.match(low, number.end)
            if end and (_valid_id(number.digits + "X") or called(low, number.start, _ID_CUE)):
                yield number.start, end.end()
        if not named:
            continue
        for number in run.of_length(15, lambda digits: _PROVINCE.match(digits) is not None):
            if called(low, number.start, _ID_CUE):
                yield number.start, number.end
        for number in run.of_length(9, str.isdigit):
            if called(low, number.start, _SOCIAL_SECURITY):
                yield number.start, number.end
    for hit in _SSN.finditer(low):
        if ssn.is_valid(hit.group()) and not called(low, hit.start(), _OTHER_NUMBER):
            yield hit.span()


_SOCIAL_SECURITY = rx(r"social security|\bssn\b")


def regional_numbers(plain: Plain) -> Spans:
    """Identity cards of Hong Kong (bracketed check digit, or called so) and Taiwan (checksum)."""
    if not plain.numbered:
        return
    low = plain.low
    for hit in _HK.finditer(low):
        check = hit["check"] or hit["bare"]
        if called(low, hit.start(), _ID_CUE) or (hit["check"] and _valid_hk(hit["letters"], hit["digits"], check)):
            yield hit.span()
    for hit in _TAIWAN.finditer(low):
        if _valid_taiwan(re.sub("[ -]", "", hit.group())) and not called(low, hit.start(), _OTHER_NUMBER):
            yield hit.span()


def passports(plain: Plain) -> Spans:
    """What is called a passport (or travel permit) number."""
    yield from (hit.span("value") for hit in _PASSPORT.finditer(plain.low))


def _dated(number: str) -> bool:
    return number[6:8] in ("19", "20") and "01" <= number[10:12] <= "12" and "01" <= number[12:14] <= "31"


def _valid_id(number: str) -> bool:
    if not (_dated(number) and _PROVINCE.match(number)):
        return False
    try:
        ric.get_birth_date(number)
        return ric.calc_check_digit(number) == number[-1]
    except (ValidationError, ValueError):
        return False


def _valid_hk(letters: str, digits: str, check: str) -> bool:
    """Weights 9 to 1 over two letters (a missing first one counts 36) and the digits, mod 11; 10 is written A."""
    values = [36] * (2 - len(letters)) + [ord(letter) - ord("a") + 10 for letter in letters] + [int(digit) for digit in digits]
    total = sum(weight * value for weight, value in zip(range(9, 1, -1), values, strict=True))
    return (total + (10 if check == "a" else int(check))) % 11 == 0


def _valid_taiwan(number: str) -> bool:
    """The letter counts as two digits (10 to 35 in the order of the counties), weights 1, 9 to 1, 1, mod 10."""
    code = _TAIWAN_LETTERS.index(number[0]) + 10
    digits = [int(digit) for digit in number[1:]]
    return (code // 10 + code % 10 * 9 + sum(d * w for d, w in zip(digits, (8, 7, 6, 5, 4, 3, 2, 1, 1), strict=True))) % 10 == 0
