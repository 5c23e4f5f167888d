"""The tier of extraction that is always there: rules over clauses, no model, no network (R9)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memory.change_topic import is_bare
from memory.extract import en, events, filter, zh
from memory.extract.dates import absolute
from memory.extract.former import without_former
from memory.extract.general import GeneralReader, Sentence
from memory.extract.importance import STAYS_FROM, importance
from memory.extract.interests import interest
from memory.extract.notes import Note, note
from memory.extract.protocol import Passage
from memory.extract.relations import ZH, relation
from memory.extract.rule import Found, Rule, path_part, read
from memory.extract.split import Span, clauses, sentences
from memory.normalise import is_chinese, mirror, statement_key
from memory.ports import Embedder
from memory.statement import Statement
from memory.style import overreaches
from schemas.memory import GENERAL_SCENE

_OPENERS = re.compile(
    r"^(?:(?:对了|另外|还有|其实|哦|噢|喔|嗯+|呃|那|顺便(?:说一?下|提一?下|一提)?|话说|而且"
    r"|但是|但|不过|可是|所以|因为|就是|说起来|唉|哎|哈+|你好|您好|嗨|嘿|大家好|好的?|没错|对"
    r"|是的|不对|不是|错了|写错了|搞错了|更正(?:一下)?|纠正(?:一下)?|确认一下|说一下|告诉你"
    r"|跟你说|我跟你说|我想说|补充(?:一下)?|主要是|毕竟|反正)(?=[\s:：,，~!！。…]|我)"
    r"|hi|hey|hello|ok(?:ay)?|so|and|but|well|also|actually|by the way|btw|no|yes|oh|just so you know"
    r"|fyi|for the record|to be clear|as you know|you know|i should mention that|i have to say"
    r"|note that)[\s:：,，~!！。…]+|^(?:另外|还有|其实|而且|但是|不过|可是|所以|因为|顺便说一?下"
    r"|话说|说起来)(?=我)"
)
_CORRECTS = re.compile(
    r"^(?:不对|不是|错了|写错|搞错|弄错|记错|说错|更正|纠正)|改成|改为|改到|(?:不再|已经不)"
    r"|以前.*现在|no,|not .{2,30} any ?more|no longer|\bactually\b|\binstead\b|correction"
)
_FIRST_PERSON = re.compile(r"^我(?:们)?(?:的|家)?")
_NEW_SUBJECT = re.compile(r"^(?:我|你|他|她|它|这|那|咱|大家|今天|昨天|刚才|天气|请|帮|以后|今后|每|周|星期)")
_PARTICLES = re.compile(r"[\s,，.。!！;；:：~～…\"'”’]+$|(?:啊|呀|哦|噢|哈|嘛|呢|啦|喔|吧|哟|的说)+[!！~。]*$")
_POLITE_EN = re.compile(r"[\s,]+(?:please|thanks|thank you|ok|okay|by the way|btw|though|anyway)[\s!.]*$", re.IGNORECASE)
_PLACE_SCENES = re.compile(
    r"^我?(?:的话)?(?:平时|一般)?(?P<scene>在家里?|在公司|在单位|在办公室|在外面|在学校|工作日"
    r"|上班(?:时间|的时候|时)?|周末|下班后?|出差(?:时|的时候)?|早上|晚上|睡前|冬天|夏天|开会"
    r"(?:时|的时候)?|写(?:稿|代码)(?:时|的时候)?|工作上)"
)
_PLACE_SCENES_EN = re.compile(
    r"\b(?P<scene>at home|at work|at the office|in the office|on weekends?|on weekdays|while "
    r"(?:i )?work(?:ing)?|when (?:i'm )?travell?ing|in the (?:morning|evening)s?|in (?:summer"
    r"|winter))\b"
)
_LISTED = re.compile(r"^我?(?:的)?[\u4e00-\u9fff]{1,5}(?:是)?[:：]")
_HANGING = re.compile(r"^(?:(?:以后|今后|请|帮我|麻烦)[^我]{0,12})?(?:避开|注意(?:一下)?|别放|别点|不要放|备注(?:一下)?|都算上)$")
_HAN = re.compile(r"[\u3400-\u9fff]")
_MAX_HAN, _MAX_WORDS = 120, 60
_PLAYING = 6
"""A role that was taken on so many utterances ago is still played."""
_LONGEST_SENTENCE = 1000
"""Characters; what is longer is pasted, and no atomic statement (R8)."""


@dataclass(frozen=True)
class _Clause:
    """A clause ready to be read: ``text`` as said (openers and closing particles off), ``plain`` its mirror."""

    text: str
    plain: str
    closing: str
    corrects: bool


class OfflineExtractor:
    """Reads explicit statements (R6 a, c, d): the first rule that matches a clause fills a slot; sentences in which none does are shown to
    the heads of ``embedder`` (None: to nobody). A topic that comes back is an interest (R6 b).
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._general = GeneralReader(embedder) if embedder is not None else None

    @property
    def by_rules_alone(self) -> bool:
        """Whether what no rule reads stays unread, for want of heads for the embedder."""
        return self._general is None or not self._general.taught

    def extract(self, passage: Passage) -> list[Statement]:
        """Statements of the user's turn, in order, each once."""
        own = filter.own_words(passage.text, passage.before[-_PLAYING:])
        read: list[Statement] = []
        unread: list[Sentence] = []
        mirrored = mirror(own)
        for sentence in sentences(own):
            if sentence.end - sentence.start > _LONGEST_SENTENCE:
                continue
            statements = self._sentence(sentence, own, mirrored, passage)
            if not statements and not filter.within_quotes(own, sentence.start, sentence.end):
                unread.append(Sentence(_clause(sentence, sentence.closing).text, sentence.closing))
            read += statements
        if self._general is not None:
            read += self._general.read(unread, passage)
        if own and not read and (asked := interest(own, passage.before)) is not None:
            read.append(asked)
        found: dict[tuple[str, str, str], Statement] = {}
        for statement in read:
            found.setdefault((statement.subject, statement.key, statement.scene), statement)
        return [
            one for one in found.values() if one.importance >= STAYS_FROM and not (one.key.startswith("要求/") and overreaches(one.text))
        ]

    def _sentence(self, sentence: Span, own: str, mirrored: str, passage: Passage) -> list[Statement]:
        plain = mirrored[sentence.start : sentence.end]
        if filter.says_nothing_lasting(plain + sentence.closing):
            return []
        asked = note(mirrored, sentence.start, sentence.end)
        body = _part(sentence, own, asked) if asked else sentence
        statements = self._clauses(body, passage)
        if asked and not statements and not filter.quotes_others(plain):
            return [kept] if (kept := _kept_note(body.text.rstrip(" 。.!！"))) else []
        return [replace(one, importance=min(100, one.importance + 10)) for one in statements] if asked else statements

    def _clauses(self, sentence: Span, passage: Passage) -> list[Statement]:
        statements: list[Statement] = []
        subject = ""
        quoting = False
        pieces = [sentence] if _LISTED.match(mirror(sentence.text)) else clauses(sentence)
        rules = (*zh.RULES, *en.RULES) if _HAN.search(sentence.text) else en.RULES
        for index, piece in enumerate(pieces):
            clause = _clause(piece, piece.closing if index == len(pieces) - 1 else "")
            first = _FIRST_PERSON.match(clause.plain) or clause.plain.startswith(("i ", "i'm ", "my "))
            quoting = filter.quotes_others(clause.plain) or (quoting and not first)
            if quoting or filter.is_question(clause.plain, clause.closing):
                continue
            if statements and _is_tail(clause.plain):
                statements[-1] = replace(statements[-1], text=f"{statements[-1].text}，{clause.text}")
                continue
            one = self._read(clause, rules, passage) or (self._read(_inherit(clause, subject), rules, passage) if subject else None)
            if one:
                if index and not statements and is_bare(clause.plain):  # "the meeting has a new place, move it to the fifth floor"
                    start = pieces[index - 1].start - sentence.start
                    one = replace(one, text=_clause(replace(piece, text=sentence.text[start : piece.end - sentence.start]), "").text)
                statements.append(one)
                subject = _subject_of(clause, one) or subject
        return statements

    def _read(self, clause: _Clause, rules: tuple[Rule, ...], passage: Passage) -> Statement | None:
        for rule in (*rules, *events.RULES):
            if (found := read(rule, clause.text, clause.plain, _tidy, relation)) and _fits(found.value, clause.text):
                return _statement(found, clause, passage)
        return None


def _clause(piece: Span, closing: str) -> _Clause:
    text, corrects = piece.text, bool(_CORRECTS.search(mirror(piece.text)))
    while opener := _OPENERS.match(mirror(text)):
        text = text[opener.end() :].lstrip()
    text = _tidy(text)
    return _Clause(text, mirror(text).replace("’", "'"), closing, corrects)


def _tidy(text: str) -> str:
    before = None
    while before != text:
        before, text = text, _POLITE_EN.sub("", _PARTICLES.sub("", text)).strip(' \t\r\n\u3000"“”')
    return text


def _part(sentence: Span, own: str, asked: Note) -> Span:
    return Span(own[asked.start : asked.end].strip(), asked.start, asked.end, "")


def _inherit(clause: _Clause, subject: str) -> _Clause:
    """The clause with the subject of the one before it ("我住在臺北，喜歡滷肉飯"), if it has none of its own."""
    if _NEW_SUBJECT.match(clause.plain) or not is_chinese(clause.text):
        return replace(clause, text="", plain="")
    return replace(clause, text=subject + clause.text, plain=mirror(subject) + clause.plain)


def _subject_of(clause: _Clause, one: Statement) -> str:
    if one.subject != "user":
        who = re.match(rf"^我(?:们)?(?:的|家)?(?:{_RELATION})", clause.plain)
        return clause.text[: who.end()] if who else ""
    return "我" if clause.plain.startswith("我") else ""


def _is_tail(plain: str) -> bool:
    """Whether a clause ("尾号 7719", "以后推荐餐馆避开") is a detail of the statement before it, and none of its own."""
    return bool(_HANGING.match(plain) or re.match(r"^[\u4e00-\u9fff]{1,4}[ :：]?[\da-z][\da-z\-]*$", plain))


def _fits(value: str, text: str) -> bool:
    if is_chinese(text):
        return 0 < len(value) <= 160 and len(text) <= _MAX_HAN * 2
    return 0 < len(value.split()) <= _MAX_WORDS


def _statement(found: Found, clause: _Clause, passage: Passage) -> Statement | None:
    rule = found.rule
    correction = rule.correction or clause.corrects
    once = "plain" if rule.lasting or rule.kind == "profile" else filter.mood(clause.plain)
    day = absolute(clause.plain, passage.at.astimezone(passage.zone).date()) if rule.kind == "event" else None
    points = importance(
        personal=True, reusable=once != "once", explicit=True, asks=rule.asks, correction=correction, timebound=rule.timebound
    )
    dated = f"（{day}）" if is_chinese(clause.text) else f" ({day})"
    return Statement(
        kind=rule.kind, key=found.key, text=without_former(clause.text) + (dated if day else ""),
        value=found.value, cue=rule.cue, scene=_scene(clause.plain, rule), subject=found.subject, importance=points,
        priority=rule.priority, polarity=found.polarity, correction=correction, mood=once, only_if_known=rule.only_if_known,
    )  # fmt: skip


def _scene(plain: str, rule: Rule) -> str:
    if rule.kind != "preference" or rule.key == "习惯/通勤":
        return GENERAL_SCENE
    hit = _PLACE_SCENES.search(plain) or _PLACE_SCENES_EN.search(plain)
    return hit["scene"] if hit else GENERAL_SCENE


def _kept_note(text: str) -> Statement | None:
    """A note in the user's own words, where no rule knows its slot; orders that would work on every answer with a link in them are none."""
    plain = mirror(text)
    if len(statement_key(text)) < 2 or (
        re.search(r"https?://|www\.", plain) and re.search(r"each|every|always|must|每|都|必须|from now on", plain)
    ):
        return None
    points = importance(personal=True, reusable=True, explicit=True, asks=True)
    return Statement("fact", f"备忘/{path_part(statement_key(text))}", text, text, "记住", importance=points)


_RELATION = ZH
