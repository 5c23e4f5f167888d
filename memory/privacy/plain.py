"""A text as detection reads it: one spelling for what looks the same, with the way back to the original's offsets.

Hidden characters go, any script's digits and spelled-out ones become ASCII digits, width, script and white space are folded.
Whoever searches here can't be fooled by a soft hyphen inside a card number, and cuts exactly from the original all the same.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable

from memory.normalise import simplified

_HIDDEN = frozenset({"Cf", "Mn", "Me", "Cc"})
_SPACES = frozenset("\t\v\f\x1c\x1d\x1e\x1f\x85")
_HYPHENS = "\u2010\u2011\u2012\u2013\u2212\u2043"
_BLANK = "\u3164\uffa0\u115f\u1160\u2800"
"""Letters and signs by category that show nothing: Hangul fillers, the empty Braille cell."""
_NUMERALS = "零〇○一二三四五六七八九幺壹贰叁肆伍陆柒捌玖弌弍弎洞两拐勾"
_NUMERAL_DIGITS = str.maketrans(_NUMERALS, "000" + "123456789" + "1" + "123456789" + "123" + "0279")
_SPELLED = re.compile(rf"[\d{_NUMERALS}](?:[ \-–—,、./\n]{{0,3}}[\d{_NUMERALS}]){{3,}}", re.ASCII)
_DIGIT_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_WORDS = {word: str(digit) for digit, word in enumerate(_DIGIT_WORDS)} | {"oh": "0"}
_WORD = "|".join(_WORDS)
_SPELLED_EN = re.compile(rf"\b(?:{_WORD})(?:[ ,\-]{{1,3}}(?:{_WORD})\b){{3,}}", re.IGNORECASE | re.ASCII)
_EACH_WORD = re.compile(_WORD, re.IGNORECASE)


_NUMBERED = re.compile(r"\d(?:[ \-—,.、/()\n]{0,3}\d){2}", re.ASCII)
_WORDY = re.compile(r"[!-~]{6}")


class _Fold(dict[int, str]):
    """Code point to what it counts as: usually one character, none for hidden ones, several for ligatures. Filled as met."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _folded(chr(code))
        return folded


def _folded(char: str) -> str:
    category = unicodedata.category(char)
    if char == "\n" or char == "\r":
        return "\n"
    if char in _SPACES or category in ("Zs", "Zl", "Zp"):
        return " "
    if char in _HYPHENS:
        return "-"
    if category in _HIDDEN or char in _BLANK:
        return ""
    if (digit := unicodedata.digit(char, None)) is not None:
        return str(digit)
    if category == "Nl" and unicodedata.numeric(char, -1.0) in range(10):
        return str(int(unicodedata.numeric(char)))  # the numerals of Suzhou, Roman ones
    wide = unicodedata.normalize("NFKC", char).translate(simplified())
    return "".join(one for one in wide if len(one.lower()) == 1 and unicodedata.category(one) not in _HIDDEN)


_FOLD = _Fold()


class Plain:
    """``text`` is the folded text in its own case, ``low`` the same in lower case and of the same length.

    ``numbered``: it holds three digits near each other, ``wordy``: six ASCII signs in a row. Without them most finders need not look.
    """

    __slots__ = ("_ends", "_starts", "low", "numbered", "text", "wordy")

    def __init__(self, original: str) -> None:
        self._starts: array[int] | None = None
        self._ends: array[int] | None = None
        self.text = self._fold(original)
        self.text = _SPELLED.sub(lambda run: run.group().translate(_NUMERAL_DIGITS), self.text)
        if _SPELLED_EN.search(self.text):
            self._spell_out()
        self.low = self.text.lower()
        self.numbered = _NUMBERED.search(self.text) is not None
        self.wordy = _WORDY.search(self.text) is not None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The part of the original that ``[start, end)`` stands for; ``start < end``."""
        if self._starts is None or self._ends is None:
            return start, end
        return self._starts[start], self._ends[end - 1]

    def _fold(self, original: str) -> str:
        odd = {char for char in set(original) if len(_FOLD[ord(char)]) != 1}
        if not odd:
            return original.translate(_FOLD)
        starts, ends = array("L"), array("L")
        for index, char in enumerate(original):
            width = len(_FOLD[ord(char)]) if char in odd else 1
            for _ in range(width):
                starts.append(index)
                ends.append(index + 1)
            if width == 0 and ends:
                ends[-1] = index + 1  # a hidden mark belongs to what it follows
        self._starts, self._ends = starts, ends
        return original.translate(_FOLD)

    def _spell_out(self) -> None:
        """Four English digit words in a row or more become digits: "six zero four nine"."""
        text, pieces, starts, ends = self.text, list[str](), array("L"), array("L")
        at = 0
        place: Callable[[int, int], tuple[int, int]] = self.span

        def keep(until: int) -> None:
            pieces.append(text[at:until])
            for index in range(at, until):
                start, end = place(index, index + 1)
                starts.append(start)
                ends.append(end)

        for run in _SPELLED_EN.finditer(text):
            keep(run.start())
            for word in _EACH_WORD.finditer(text, *run.span()):
                pieces.append(_WORDS[word.group().lower()])
                start, end = place(*word.span())
                starts.append(start)
                ends.append(end)
            at = run.end()
        keep(len(text))
        self.text, self._starts, self._ends = "".join(pieces), starts, ends
