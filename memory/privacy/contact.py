"""Ways to reach or find a person: mail addresses, phones, exact addresses, number plates."""

from __future__ import annotations

import re
from collections.abc import Iterator

Spans = Iterator[tuple[int, int]]


def _rx(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Words and boundaries are ASCII ones, so that a number right after a Chinese character begins there."""
    return re.compile(pattern, flags | re.ASCII)


_MAIL = _rx(r"(?<![\w.+-])[A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}")
_PUBLIC_MAIL = _rx(r"^(?:no-?reply|support|service|info|help|contact|sales|press|feedback|admin|webmaster|hello|hr|jobs|git)@")
_MOBILE = _rx(
    r"(?<![\d.\w-])(?:\+?86[- ]?)?1[3-9]\d(?:[- ]?\d{4}){2}(?![\d.]*\d)(?!-\d)|(?<![\d.\w-])(?:\+?86[- ]?)?1[3-9]\d[- ]\d{3}[- ]\d{5}"
    r"(?!\d)"
)
_LANDLINE = _rx(r"(?<![\d.\w-])[(（]?0(?:10|2\d|[3-9]\d{2})[)）]?[- ]\d{7,8}(?!\d)(?:(?:转|-)\d{1,5})?")
_FOREIGN = _rx(
    r"(?<![\d.\w-])(?:\+(?!86)\d{1,3}[ -]?(?:\(?\d{1,5}\)?[ -]?){1,5}\d{2,5}|\(\d{3}\) ?\d{3}[-. ]\d{4}"
    r"|(?!400|800|888)\d{3}[-. ]\d{3}[-. ]\d{4}|0\d{4} ?\d{3} ?\d{3,4}|0\d{3} ?\d{3} ?\d{4}|\b555[- ]\d{4})"
    r"(?![\d.]*\d)"
)
_PUBLIC_PHONE = _rx(
    r"热线|客服|总机|官方电话|服务电话|投诉|hotline|helpline|customer (?:service|care)|toll[- ]free"
    r"|support line|emergency"
)
_AMOUNT = _rx(r" ?(?:元|块|万|亿|人民币|美元|日元|韩元|股|吨|次|人次|字节|条|件|份|yuan|rmb|usd|dollars?|euros?|bytes|%)")
_MONEY = _rx(r"(?:金额|预算|营收|收入|销售额|总额|价格|总价|流水|[¥￥$€£]) ?[是为达:：约]*$")
_OTHER_NUMBER = _rx(
    r"订单|单号|发票|票号|快递单|运单|编号|流水|序列号|isbn|参赛|型号|金额|账单号|order|invoice|tracking"
    r"|ticket|serial|isbn|version|版本|part number|reference"
)

_ROAD = r"[\u4e00-\u9fff\d]{1,10}?(?:路|街|大道|大街|巷|弄|胡同|道|里弄|公路|村|镇|新村)"
_REGION = (
    r"(?:[\u4e00-\u9fff]{2,8}?(?:省|自治区))?(?:[\u4e00-\u9fff]{2,8}?(?:市|州|盟))?(?:[\u4e00-\u9fff]{1,8}?"
    r"(?:区|县|旗|市))?(?:[\u4e00-\u9fff]{1,8}?(?:街道|镇|乡))?"
)
_UNIT = (
    r"(?:[\u4e00-\u9fff\da-z]{0,12}?(?:小区|花园|苑|公寓|家园|大厦|广场|新村|园区?|府|城|庭|居|里"
    r"|湾|阁|轩|坊|邸|楼))?(?:\s*(?<![\da-z])[\da-z一二三四五六七八九十]{1,6}(?:期|号楼|号院|幢|栋|座|单元|楼|层|室"
    r"|户|号|弄|门))+(?:\s*\d{2,4}(?:室|户|号)?)?"
)
_STREET_ZH = _rx(rf"{_REGION}{_ROAD}\s*[\d一二三四五六七八九十百甲乙]+(?:-\d+)?(?:弄|号)(?:[甲乙之]\d?)?(?:院)?(?P<unit>{_UNIT})?")
_COMPOUND_ZH = _rx(
    rf"{_REGION}[\u4e00-\u9fff]{{1,10}}?(?:小区|花园|苑|公寓|家园|大厦|新村|府|城|庭|居|湾|阁|轩)\s*"
    rf"(?:(?<![\da-z])[\da-z一二三四五六七八九十]{{1,6}}(?:期|号楼|号院|幢|栋|座|单元|楼|层|室|户|号|门)\s*){{1,5}}(?:\d{{2,4}}"
    rf"(?:室|户)?)?"
)
_UNIT_ZH = _rx(
    r"(?<![\da-z])[\da-z一二三四五六七八九十]{1,6}(?:号楼|幢|栋|座)\s*(?:[\da-z一二三四五六七八九十]{1,6}单元)?\s*\d{2,4}(?:室|户|号)?"
)
_HOME_CUE = _rx(r"住|寄|收货|收件|地址|家|送|快递|门牌|搬|房子|租|宿舍|老家|上门")
_STREET_EN = _rx(
    r"(?<![\w.$£€-])(?:(?:flat|apt\.?|apartment|unit|suite|room) \w{1,5}, ?)?\d{1,5}[A-Za-z]? (?:"
    r"(?:N|S|E|W|North|South|East|West)\.? )?(?:[A-Z][\w'’]+ ){1,4}"
    r"(?:Street|St|Road|Rd|Lane|Ln|Avenue|Ave|Drive|Dr|Court|Ct|Close|Way|Place|Pl|Terrace|Boulevard"
    r"|Blvd|Crescent|Square|Sq|Gardens|Grove|Hill|Row|Mews|Walk|Parkway|Pkwy|Highway|Hwy|Circle|Trail)\b\.?"
    r"(?:,? (?:Apt|Apartment|Flat|Unit|Suite|Ste|Room|Floor|#)\.? ?#?\w{1,6})?(?:, [A-Z][A-Za-z]+"
    r"(?: [A-Z][A-Za-z]+)?(?:,? [A-Z]{2})?(?: (?:\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}))?)?",
)
_PLATE = _rx(
    r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼]"
    r"[a-hj-z][ ·•・.\-]?(?=[a-z]{0,5}\d)[a-hj-np-z\d]{4,5}[a-hj-np-z\d挂学警港澳]"
    r"(?![a-z\d])"
)
_PLATE_EN = _rx(
    r"(?:licen[sc]e plate|number plate|plate number|registration(?: number| plate)?|\bplate)(?:\s+"
    r"(?:is|number|reads|of)|[ :,]|\s(?:my|the|our)\s)*\s*(?P<value>(?=[a-z \-]{0,6}\d)[a-z\d]{1,4}[ -]?[a-z\d]{2,5}"
    r"(?:[ -][a-z\d]{1,4})?)(?![a-z\d])"
)
_NEAR = 20


def mails(text: str, plain: str) -> Spans:
    """Mail addresses of persons; a firm's support address is public."""
    yield from (hit.span() for hit in _MAIL.finditer(text) if not _PUBLIC_MAIL.match(hit.group().lower()))


def phones(text: str, plain: str) -> Spans:
    """Mobile and landline numbers, Chinese and foreign; public hotlines and order numbers are none."""
    for pattern in (_MOBILE, _LANDLINE, _FOREIGN):
        for hit in pattern.finditer(plain):
            before = plain[max(0, hit.start() - _NEAR) : hit.start()]
            if _AMOUNT.match(plain, hit.end()) or _MONEY.search(before):
                continue
            if not _PUBLIC_PHONE.search(before) and not _OTHER_NUMBER.search(before):
                yield hit.span()


def addresses(text: str, plain: str) -> Spans:
    """Addresses exact to the house and flat; a street or a city alone is not exact."""
    for hit in _STREET_ZH.finditer(plain):
        if hit["unit"] or _HOME_CUE.search(plain[max(0, hit.start() - _NEAR) : hit.end()]):
            yield _from_region(plain, hit)
    for pattern in (_COMPOUND_ZH, _UNIT_ZH):
        for hit in pattern.finditer(plain):
            if re.search(r"\d", hit.group()) and re.search(r"室|户|单元|\d{3,4}$|栋|幢|号楼", hit.group()):
                yield _from_region(plain, hit)
    yield from (hit.span() for hit in _STREET_EN.finditer(text))


def plates(text: str, plain: str) -> Spans:
    """Chinese number plates, and what is called a plate in English."""
    yield from (hit.span() for hit in _PLATE.finditer(plain))
    yield from (hit.span("value") for hit in _PLATE_EN.finditer(plain))


def _from_region(plain: str, hit: re.Match[str]) -> tuple[int, int]:
    """The span without the verb that the lazy region part swallowed ("寄到", "我家在")."""
    lead = re.match(r"^.{0,12}?(?:寄到|送到|住在|住|搬到|在|到|是|为|地址|家)", hit.group())
    start = hit.start() + (lead.end() if lead and lead.end() < len(hit.group()) - 4 else 0)
    return start, hit.end()
