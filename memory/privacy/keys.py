"""Keys that open something by themselves: private keys, seed phrases, API keys and tokens, credentials inside addresses and headers."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from functools import cache

from mnemonic import Mnemonic

from memory.privacy.pattern import Spans, rx
from memory.privacy.plain import Plain

_PEM = rx(r"-{2,5} ?BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?")
PEM_END = rx(r"-{2,5} ?END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)? ?-{0,5}")
_EXTENDED_KEY = rx(r"\b[xyztuvYZUV]prv[1-9A-HJ-NP-Za-km-z]{70,}|\bAGE-SECRET-KEY-1[A-Z0-9]{20,}")
_WIF = rx(r"(?<![1-9A-HJ-NP-Za-km-z])[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51}(?![1-9A-HJ-NP-Za-km-z])")
_HEX_KEY = rx(r"(?:私钥|私匙|private key|secret key|priv ?key)[^\n。;]{0,16}?(?P<value>(?:0x)?[0-9a-f]{64})(?![0-9a-f])")

_TOKENS = rx(
    r"sk-[A-Za-z0-9_-]{12,}|(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|gh[pousr]_[A-Za-z0-9]{20,}"
    r"|github_pat_\w{20,}|laoma-[A-Za-z0-9_-]{16,}|glpat-[\w-]{16,}|hf_[A-Za-z0-9]{16,}|gsk_[A-Za-z0-9]{16,}|r8_[A-Za-z0-9]{16,}"
    r"|xox[abposr]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|npm_\w{30,}|whsec_[A-Za-z0-9+/=]{16,}"
    r"|pypi-[\w-]{30,}|SG\.[\w-]{16,}\.[\w-]{16,}|LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{12,}|shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{16,}"
    r"|dop_v1_[a-f0-9]{32,}|dapi[a-f0-9]{32}|xai-\w{20,}|pplx-\w{20,}|tvly-[\w-]{16,}|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"
    r"|\d{8,10}:AA[\w-]{30,}"
)
_TOKEN_REST = rx(r"[A-Za-z0-9_+/=~%.:-]*(?<![.:])")
_RANDOM = rx(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_KEY_PAIR = rx(r"key pair|secret|credentials?|密钥|秘钥|凭证")
_LINK = r"[ \n\"'“`]{0,3}(?:(?:is|are|=|:|为|是|改成|换成|to|,)[ \n\"'“`]{0,3}){0,3}"
_NAMED = rx(
    r"(?:api[ _-]?key|access[ _-]?key|secret(?:[ _-]?key)?|access[ _-]?token|auth[ _-]?token|\btoken"
    r"|bearer|webhook|密钥|秘钥|令牌|appsecret|app ?secret|授权码|激活码|session(?:[ _-]?id)?)s?(?![a-z0-9_-])"
    + _LINK
    + r"(?P<value>[a-z0-9_\-./+=]{12,})"
)
_ASSIGNED = rx(
    r"(?:[a-z0-9]_key|token|secret|credentials?|api-?key|auth|cookie)s?[\"']?[ ]{0,2}[=:][ ]{0,2}[\"']?"
    r"(?P<value>[!-~]{6,})"
)
_FIELD = rx(r"[\"'](?:[\w-]{0,24}(?:password|passwd|secret|token|api_?key|private_?key))[\"'] ?: ?[\"'](?P<value>[^\"'\n]{1,200})[\"']")
_HEADER = rx(
    r"authorization[\"']?[ ]{0,2}[:=][ ]{0,2}[\"']?(?:(?:basic|bearer|digest|token|apikey|negotiate)[ ]{1,2})?(?P<value>[!-~]{6,})"
)
_BASIC = rx(r"\bbasic[ \n]{1,2}(?P<value>[A-Za-z0-9+/_-]{6,}={0,2})", re.IGNORECASE)
_IN_URL = rx(r"://[^\s/:@\"']{0,64}:(?P<value>[^\s/@\"']{1,128})@")
_IN_QUERY = rx(r"[?&;](?:access_token|token|key|api_?key|sig|signature|secret|password|passwd|pwd|auth|code)=(?P<value>[^\s&\"'#]{6,})")
_COMMAND = rx(
    r"(?:\bcurl\b[^\n]{0,120}? (?:-u|--user)[ =]?|\bwget\b[^\n]{0,120}? --password=|\bmysql\w*\b[^\n]{0,80}? -p|sshpass -p ?"
    r"|\bredis-cli\b[^\n]{0,80}? -a ?|--password[ =])[\"']?(?:[^\s:\"']{1,64}:)?(?P<value>[^\s\"']{3,})"
)
_WORDS = rx(r"(?<![A-Za-z])[A-Za-z]{3,8}(?:[\s,、\d.)(:;|/_-]{1,6}[A-Za-z]{3,8}){11,}")
_WORD = rx(r"[A-Za-z]+")
_SHORTEST_PHRASE = 12
_CHINESE_PHRASE = rx(r"助记词[^\u4e00-\u9fff]{0,4}(?:是|为)?[: ]{0,2}(?P<value>[\u4e00-\u9fff](?:[\s,、]{0,2}[\u4e00-\u9fff]){11,23})")
_NOT_SECRET = rx(r"^(?:\[[^\]]*\]|\*+|x+|\.+|none|null|true|false|<[^>]*>|\$\{?\w+\}?|required|optional|string)[\"',;)]*$")


def private_keys(plain: Plain) -> Spans:
    """PEM blocks, cut ones to the end of the text; extended, WIF and hex keys of wallets."""
    text = plain.text
    at = 0
    while (begin := _PEM.search(text, at)) is not None:
        end = PEM_END.search(text, begin.end())
        at = end.end() if end else len(text)
        yield begin.start(), at
    yield from (hit.span() for hit in _EXTENDED_KEY.finditer(text))
    yield from (hit.span() for hit in _WIF.finditer(text) if _valid_wif(hit.group()))
    yield from (hit.span("value") for hit in _HEX_KEY.finditer(plain.low))


def seed_phrases(plain: Plain) -> Spans:
    """Twelve or more words in a row of the BIP-39 list, and what is called a seed phrase in Chinese."""
    yield from (hit.span("value") for hit in _CHINESE_PHRASE.finditer(plain.text))
    known = _bip39()
    for run in _WORDS.finditer(plain.low):
        row: list[re.Match[str]] = []
        for word in _WORD.finditer(plain.low, *run.span()):
            if word.group() in known:
                row.append(word)
                continue
            yield from _phrase(row)
            row = []
        yield from _phrase(row)


def api_keys(plain: Plain) -> Spans:
    """Tokens of known make, what is called a key or token and looks random, credentials in headers, commands and addresses, and
    random strings beside such a one."""
    if not plain.wordy:
        return
    text, low = plain.text, plain.low
    found = [(hit.start(), _token_end(text, hit.end())) for hit in _TOKENS.finditer(text) if not _inside_word(text, hit.start())]
    found += [hit.span("value") for hit in _NAMED.finditer(low) if _random_looking(text[slice(*hit.span("value"))])]
    for pattern in (_HEADER, _IN_URL, _IN_QUERY, _FIELD, _COMMAND):
        found += [hit.span("value") for hit in pattern.finditer(low) if not _NOT_SECRET.match(hit["value"])]
    for hit in _ASSIGNED.finditer(low):
        value = text[slice(*hit.span("value"))]
        if not _NOT_SECRET.match(hit["value"]) and _secret_looking(value):
            found.append(hit.span("value"))
    found += [hit.span("value") for hit in _BASIC.finditer(text) if _is_user_and_password(hit["value"])]
    yield from found
    if found or _KEY_PAIR.search(low):
        yield from (hit.span() for hit in _RANDOM.finditer(text) if _kinds(hit.group()) == 3)


def _phrase(row: list[re.Match[str]]) -> Spans:
    if len(row) >= _SHORTEST_PHRASE:
        yield row[0].start(), row[-1].end()


@cache
def _bip39() -> frozenset[str]:
    return frozenset(Mnemonic("english").wordlist)


def _inside_word(text: str, start: int) -> bool:
    return start > 0 and text[start - 1].isascii() and (text[start - 1].isalpha() or text[start - 1] in "_-")


def _token_end(text: str, end: int) -> int:
    rest = _TOKEN_REST.match(text, end)
    return rest.end() if rest else end


def _kinds(value: str) -> int:
    return sum(bool(re.search(kind, value)) for kind in (r"[a-z]", r"[A-Z]", r"\d"))


def _random_looking(value: str) -> bool:
    return bool(re.search(r"\d", value)) and _kinds(value) >= 2 and not re.fullmatch(r"[\d.\-/]+", value)


def _secret_looking(value: str) -> bool:
    return bool(re.search(r"\d", value)) or _kinds(value) >= 2 or bool(re.search(r"[#$%^&*!@~+]", value))


def _is_user_and_password(value: str) -> bool:
    """Whether it is the base64 of printable ``user:password``."""
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), altchars=b"-_" if set("-_") & set(value) else None)
    except (binascii.Error, ValueError):
        return False
    return b":" in decoded and decoded.decode("utf-8", "replace").isprintable() and b"\xef\xbf\xbd" not in decoded


def _valid_wif(value: str) -> bool:
    """Base58 with a double SHA-256 checksum."""
    number = 0
    for char in value:
        number = number * 58 + _BASE58.index(char)
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return len(raw) in (37, 38) and hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
