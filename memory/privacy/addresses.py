"""Addresses exact to the house and flat; a street or a city alone is not exact.

Chinese ones are found from their house number ("188号", "5幢"), looking back a bounded way for the name before it: so the cost is
the same for each character, whatever the text.
"""

from __future__ import annotations

from memory.privacy.pattern import Spans, rx
from memory.privacy.plain import Plain

_NUMBER = r"[\da-z一二三四五六七八九十百甲乙]{1,6}"
_UNIT_CHAR = rx(r"[号弄幢栋座期]|单元")
_BEFORE_UNIT = rx(rf"(?<![\da-z]){_NUMBER}(?:-\d{{1,4}})? ?$")
_CHAIN = rx(
    rf"{_NUMBER}(?:-\d{{1,4}})? ?(?:号楼|号院|号|弄|幢|栋|座|期|单元)(?:[甲乙之]\d?)?院?"
    r"(?:[ ,]{0,2}[\u4e00-\u9fff\da-z]{0,12}?(?:小区|花园|苑|公寓|家园|大厦|广场|新村|园区?|府|城|庭|居|里|湾|阁|轩|坊|邸|楼)"
    r"(?=[ ,]{0,2}[\da-z一二三四五六七八九十]))?"
    r"(?:[ ,]{0,2}[\da-z一二三四五六七八九十]{1,6}(?:期|号楼|号院|幢|栋|座|单元|楼|层|室|户|号|弄|门)){0,6}"
    r"(?:[ ,-]{0,2}\d{2,4}(?:室|户|号)?(?!\d))?"
)
_ROAD = rx(r"[\u4e00-\u9fff\d](?:路|街|大道|大街|巷|弄|胡同|道|里弄|公路|村|镇|新村|组|屯|庄) ?$")
_COMPOUND = rx(r"[\u4e00-\u9fff](?:小区|花园|苑|公寓|家园|大厦|新村|府|城|庭|居|湾|阁|轩|园|里|坊|邸) ?$")
_FLAT = rx(r"室|户|单元|\d{3,4}$|栋|幢|号楼|座")
_STANDALONE = rx(rf"^{_NUMBER} ?(?:号楼|幢|栋|座)[ ,]{{0,2}}(?:{_NUMBER}单元)?[ ,-]{{0,2}}\d{{2,4}}(?:室|户|号)?$")
_BORDER = rx(r"[^\u4e00-\u9fff\da-z ·\-]")
_LEAD = rx(r"^.{0,16}?(?:寄到|寄往|送到|送往|住在|搬到|住|在|到|是|为|地址|家)[: ]?(?=.{2})")
_HOME_CUE = rx(r"住|寄|收货|收件|地址|家|送|快递|门牌|搬|房子|租|宿舍|老家|上门")
_BACK = 40
_NEAR = 20

_STREETS = (
    r"(?:Street|St|Road|Rd|Lane|Ln|Avenue|Ave|Drive|Dr|Court|Ct|Close|Way|Place|Pl|Terrace|Boulevard"
    r"|Blvd|Crescent|Square|Sq|Gardens|Grove|Hill|Row|Mews|Walk|Parkway|Pkwy|Highway|Hwy|Circle|Trail)\b\.?"
)
_TOWN = r"(?:, [A-Z][a-z]+(?: [A-Z][a-z]+)?(?:,? (?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]{2}(?: \d{5}(?:-\d{4})?)?\b|\d{5}(?:-\d{4})?))?)?"
_FLAT_BEFORE = r"(?<![\w.$£€-])(?:(?:[Ff]lat|[Aa]pt\.?|[Aa]partment|[Uu]nit|[Ss]uite|[Rr]oom) \w{1,5}, ?)?"
_FLAT_BEHIND = r"(?:,? (?:Apt|Apartment|Flat|Unit|Suite|Ste|Room|Floor|#)\.? ?#?\w{1,6})"
_STREET_EN = rx(
    _FLAT_BEFORE
    + r"\d{1,5}[A-Za-z]? (?:(?:N|S|E|W|North|South|East|West)\.? )?(?:[A-Z][\w'’]{1,30} ){1,4}"
    + rf"{_STREETS}{_FLAT_BEHIND}?{_TOWN}"
)
_LOWER_CASE_EN = rx(
    _FLAT_BEFORE.lower() + r"\d{1,5}[a-z]? (?:(?!(?:a|the|of|and|or|to|on|in|is|are|was|more|other) )[a-z][\w'’]{1,30} ){1,3}"
    rf"{_STREETS.lower()}(?P<flat>{_FLAT_BEHIND.lower()})?"
)
_NUMBER_AND_WORD = rx(r"\d[a-z]? [a-z]")
_HOME_CUE_EN = rx(r"\b(?:live|lives|living|address|deliver\w*|ship|send|mail|parcels?|home|house|moved|move|reside\w*)\b")


def addresses(plain: Plain) -> Spans:
    """Chinese addresses by road or compound and house number, flats alone ("3栋2单元501"), English ones by number and street."""
    yield from _chinese(plain.low)
    if _NUMBER_AND_WORD.search(plain.low) is None:
        return
    for hit in _STREET_EN.finditer(plain.text):
        yield hit.span()
    for hit in _LOWER_CASE_EN.finditer(plain.low):
        if hit["flat"] or _HOME_CUE_EN.search(plain.low, max(0, hit.start() - 2 * _NEAR), hit.start()):
            yield hit.span()


def _chinese(low: str) -> Spans:
    done = 0
    for unit in _UNIT_CHAR.finditer(low):
        if unit.start() < done:
            continue
        window = low[max(done, unit.start() - 12) : unit.start()]
        number = _BEFORE_UNIT.search(window)
        if number is None:
            continue
        at = unit.start() - len(window) + number.start()
        chain = _CHAIN.match(low, at)
        if chain is None:
            continue
        left = low[max(done, at - _BACK) : at]
        borders = list(_BORDER.finditer(left))
        name = left[borders[-1].end() :] if borders else left
        start = at - len(name)
        lead = _LEAD.match(name)
        exact = _is_exact(low, name, chain.group(), start, chain.end())
        if exact:
            yield (at if exact == "flat" else start + (lead.end() if lead else 0)), chain.end()
            done = chain.end()


def _is_exact(low: str, name: str, chain: str, start: int, end: int) -> str | None:
    """``named`` where a road or compound stands before the number, ``flat`` where only building and flat are given."""
    flat = bool(_FLAT.search(chain))
    if _ROAD.search(name) and (flat or _HOME_CUE.search(low, max(0, start - _NEAR), end)):
        return "named"
    if _COMPOUND.search(name) and flat and any(char.isdigit() for char in chain):
        return "named"
    return "flat" if _STANDALONE.match(chain) else None
