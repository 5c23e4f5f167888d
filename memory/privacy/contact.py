"""Ways to reach or find a person: mail addresses, phones, number plates."""

from __future__ import annotations

from memory.privacy.numbers import Number, Run, runs
from memory.privacy.pattern import Spans, called, rx
from memory.privacy.plain import Plain

_MAIL = rx(r"[A-Za-z0-9][\w.+-]{0,63}(?: ?\[at\] ?| ?\(at\) ?| @ |\n@|@\n?)[A-Za-z0-9-]+(?:(?:\.| ?[\[(]dot[\])] ?)[A-Za-z0-9-]+){0,5}")
_DOMAIN = rx(r"(?:\.|dot[\])] ?)[A-Za-z]{2,}$")
_IN_WORD = rx(r"[\w.+-]")
_PUBLIC_MAIL = rx(r"^(?:no-?reply|support|service|info|help|contact|sales|press|feedback|admin|webmaster|hello|hr|jobs|git) ?[@\[(]")

_MOBILE_SHAPES = ((3, 4, 4), (3, 3, 5), (3, 8), (7, 4), (3, 2, 2, 2, 2), (2, 3, 4, 4), (2, 11), (4, 3, 4, 4))
_MOBILE = rx(r"^(?:00)?(?:86)?1[3-9]\d{9}$")
_LANDLINE = rx(r"(?<![\d.\w-])[(]?0(?:10|2\d|[3-9]\d{2})[)]?[- ]{0,2}\d{3,4}[- ]?\d{4}(?!\d)(?:(?:转|-)\d{1,5})?")
_BARE_LANDLINE = rx(r"^0(?:10|2\d|[3-9]\d{2})")
_FOREIGN = rx(
    r"(?<![\d.\w-])(?:\+(?!86)\d{1,3}[ -]?(?:\(?\d{1,5}\)?[ -]?){1,5}\d{2,5}|\(\d{3}\) ?\d{3}[-. ]\d{4}"
    r"|(?!400|800|888)\d{3}[-. ]\d{3}[-. ]\d{4}|0\d{4} ?\d{3} ?\d{3,4}|0\d{3} ?\d{3} ?\d{4}|\b555[- ]\d{4})"
    r"(?![\d.]{0,20}\d)"
)
_PUBLIC_PHONE = rx(
    r"热线|客服|总机|官方电话|服务电话|投诉|hotline|helpline|customer (?:service|care)|toll[- ]free"
    r"|support line|emergency"
)
_AMOUNT = rx(r" ?(?:元|块|万|亿|人民币|美元|日元|韩元|股|吨|次|人次|字节|条|件|份|yuan|rmb|usd|dollars?|euros?|bytes|%)")
_MONEY = rx(r"(?:金额|预算|营收|收入|销售额|总额|价格|总价|流水|[¥$€£]) ?[是为达:约]{0,3}$")
_OTHER_NUMBER = rx(
    r"订单|单号|发票|票号|快递单|运单|编号|流水|序列号|isbn|参赛|型号|金额|账单号|order|invoice|tracking"
    r"|ticket|serial|isbn|version|版本|part number|reference"
)
_NEAR = 20

_PLATE = rx(
    r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][ \-]?"
    r"[a-hj-z][ ·•・.\-]{0,2}(?=(?:[a-z][ \-]?){0,5}\d)(?:[a-hj-np-z\d][ \-]?){4,5}[a-hj-np-z\d挂学警港澳]"
    r"(?![a-z\d])"
)
_PLATE_EN = rx(
    r"(?:licen[sc]e plate|number plate|plate number|registration(?: number| plate)?|\bplate)"
    r"(?: ?(?:is|number|reads|of|:|,|my|the|our)){0,3} "
    r"?(?P<value>(?=[a-z \-]{0,6}\d)[a-z\d]{1,4}[ -]?[a-z\d]{2,5}(?:[ -][a-z\d]{1,4})?)(?![a-z\d])"
)


def mails(plain: Plain) -> Spans:
    """Mail addresses of persons, spelled with "[at]" too; a firm's support address is public."""
    text = plain.text
    if "@" not in text and "at]" not in plain.low and "at)" not in plain.low:
        return
    at = 0
    while (sign := _AT.search(plain.low, at)) is not None:
        at = sign.end()
        start = sign.start()
        while start > max(0, sign.start() - _LONGEST_NAME) and _IN_WORD.match(text, start - 1):
            start -= 1
        hit = _MAIL.match(text, start)
        if hit and _DOMAIN.search(hit.group()) and not _PUBLIC_MAIL.match(hit.group().lower()):
            yield hit.span()


_AT = rx(r"(?<=[\w.+-])(?: ?[\[(]at[\])]| ?@|\n@)")
_LONGEST_NAME = 64


def phones(plain: Plain) -> Spans:
    """Mobile and landline numbers, Chinese and foreign; public hotlines and order numbers are none."""
    if not plain.numbered:
        return
    low = plain.low
    for run in runs(low):
        for number in _mobiles(run):
            if _is_phone(low, number.start, number.end):
                yield number.start, number.end
    for pattern in (_LANDLINE, _FOREIGN):
        for hit in pattern.finditer(low):
            if _is_phone(low, *hit.span()) and (pattern is not _LANDLINE or _BARE_LANDLINE.match(hit.group().lstrip("("))):
                yield hit.span()


def plates(plain: Plain) -> Spans:
    """Chinese number plates, and what is called a plate in English."""
    yield from (hit.span() for hit in _PLATE.finditer(plain.low))
    yield from (hit.span("value") for hit in _PLATE_EN.finditer(plain.low))


def _mobiles(run: Run) -> list[Number]:
    whole = [number for number in run.whole(11, 15) if not number.separators & _POINTS]
    return [number for number in (*whole, *run.shaped(*_MOBILE_SHAPES)) if _MOBILE.match(number.digits)]


_POINTS = frozenset(".,/*~|")
"""Between any groups they make a version, an address of a machine or a sum; between groups of 3, 4, 4 a phone."""


def _is_phone(low: str, start: int, end: int) -> bool:
    before = low[max(0, start - _NEAR) : start]
    if _AMOUNT.match(low, end) or _DECIMALS.match(low, end) or _MONEY.search(before):
        return False
    if _PART_OF_MORE.search(before) and not _PHONE_WORD.search(before):
        return False
    return not _PUBLIC_PHONE.search(before) and not called(low, start, _OTHER_NUMBER, _NEAR)


_DECIMALS = rx(r"\.\d")
_PART_OF_MORE = rx(r"(?:\d\.|[a-z_]-?)$")
"""A decimal, or the end of a serial number ("SF139…")."""
_PHONE_WORD = rx(r"(?:tel|phone|mobile|cell|call|whatsapp|signal|wechat|vx|wx|(?<![a-z])[vq])-?$")
