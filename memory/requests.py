"""What a user asks of their memory in the chat (R29, R30): told apart from talk that merely mentions remembering and forgetting.

Only a message that is nothing but such a request counts: all else is for the model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from memory.normalise import mirror
from memory.privacy import Sensitive

Kind = Literal["tell", "forget", "forget_all", "forget_all_surely", "unsay", "allow", "forbid"]
_LONGEST = 120
"""Characters of a message that is a request and nothing else."""


@dataclass(frozen=True)
class Request:
    """``about``: what is to be forgotten, in the user's words; ``matter``: what leave is given or withdrawn for."""

    kind: Kind
    about: str = ""
    matter: Sensitive | None = None


_MATTERS: tuple[tuple[Sensitive, str], ...] = (
    ("health", r"健康|病情|病史|身体|疾病|health|medical|illness"),
    ("religion", r"宗教|信仰|religio\w*|faith"),
    ("politics", r"政治|politic\w*"),
    ("government", r"政务|涉官|官司|案件|办事|government|official|legal"),
)
_ASK = r"^(?:请|麻烦|那|对了|嗨|嘿|老马|laoma|hey|ok|okay|please|can you|could you|would you|[,，。\s])*"
_TELL = re.compile(
    _ASK + r"(?:"
    r"(?:你)?(?:都|还|现在|目前)?(?:记得|记住|记录|知道|了解|存|记)(?:了|着|下)?(?:些|过)?(?:关于|有关)?我(?:的)?(?:些)?(?:什么|哪些"
    r"|啥|多少)(?:事情?|信息|东西|内容|情况|资料)?"
    r"|(?:你)?(?:都|还|现在|目前)?(?:记得|记住|记录|知道|了解|存|记)(?:了|着|下)?(?:些|过)?(?:什么|哪些|啥)(?:关于|有关)我的?(?:事情?"
    r"|信息|东西|内容)?"
    r"|(?:关于|有关)我(?:的)?[,，]?你(?:都|还)?(?:记得|记住|知道|了解|记录|存|记)(?:了|着|下)?(?:些)?(?:什么|哪些|啥)(?:事情?|信息|东西)?"
    r"|(?:列出|列一下|说说|告诉我|给我看看?|看看)(?:你)?(?:所有|全部)?(?:关于我的|对我的|我的)(?:所有|全部)?记忆"
    r"|what (?:all )?(?:do|did|have) you (?:know|remember|stor(?:e|ed)|sav(?:e|ed)|remembered|recorded|kept|keep|recall"
    r"|got)(?: (?:down|on record))? (?:about|on|of) me"
    r"|(?:tell|show) me (?:everything |all |what )?(?:you (?:know|remember|have)|that you (?:know|remember)) (?:about|on) me"
    r"|(?:list|show)(?: me)? (?:all )?(?:your|my|the) memories(?: (?:about|of) me)?"
    r")(?:呢|吗|啊|呀|了|吧)?[?？!！。.\s]*$"
)
_ALL = (
    r"(?:一切|所有(?:的)?(?:事情?|记忆|东西)?|全部(?:的)?(?:记忆)?|everything(?: about me)?|all (?:of it|your memories|memories|about me))"
)
_FORGET_ALL = re.compile(
    _ASK + rf"(?P<sure>确认|我确认|yes,? )?(?:把)?(?:忘掉|忘了|忘记|清空|删除|删掉|清除|forget|delete|erase)(?:关于我的|对我的"
    rf"|我的)? ?{_ALL}(?:关于我的)?(?:吧|都忘了)?[。.!！\s]*$"
)
_THAT = (
    r"(?:这个|这件事|这事|这条|这句(?:话)?|那个|那件事|那事|刚才(?:说)?的?(?:话|事|那句|那件事|内容)?|刚刚(?:说)?的?(?:话|事|那句)?"
    r"|我刚(?:才|刚)?说的(?:话|事)?|上一(?:句|条)"
    r"|that|this|it|what i (?:just )?(?:said|told you)|the last (?:thing|message)(?: i said)?|my last message)"
)
_UNSAY = re.compile(
    _ASK + r"(?:"
    rf"(?:把)?{_THAT}(?:都)?(?:就)?(?:别|不要|不用)(?:再)?(?:记|记住|存|保存|记录)(?:了|下来|着)?"
    rf"|(?:别|不要|不用|不必)(?:再|帮我|给我)?(?:记住|记下|记|存|保存|记录){_THAT}"
    rf"|(?:把)?{_THAT}(?:给我)?(?:忘了|忘掉|删了|删掉|忘记)|(?:忘了|忘掉|忘记|删掉|删除){_THAT}"
    r"|当我没说(?:过)?|别记了|不要记了"
    rf"|(?:don'?t|do not|no need to) (?:remember|save|store|keep|record|note) {_THAT}(?: down)?|(?:forget|delete|erase"
    rf"|scratch) {_THAT}|off the record"
    r")(?:吧|啊|哦|please|[,， ])*[。.!！\s]*$"
)
_FORGET = re.compile(
    _ASK + r"(?:"
    r"(?:忘掉|忘了|忘记|删掉|删除|抹掉)(?:你)?(?:记(?:得|住)的)?(?:关于|有关)?(?P<zh>[^?？]{1,60}?)(?:的)?(?:这件事|那件事|这条"
    r"|的事情?|的记忆|的信息|这回事|记忆)?"
    r"|把(?:关于|有关)?(?P<ba>[^?？]{1,60}?)(?:的)?(?:这件事|那件事|的事情?|的记忆|的信息|记忆)?(?:给我|都|全)?(?:忘掉|忘了|忘记|删掉"
    r"|删除|抹掉)"
    r"|(?:please )?(?:forget|delete|erase|remove)(?: (?:about|that|what i (?:said|told you) about|(?:the|your|any) memor(?:y"
    r"|ies) (?:of|about|that)))? (?P<en>(?!it\b)[^?]{1,80}?)(?: from (?:your )?memory)?"
    r")(?:吧|啊|哦|好吗|please|[,， ])*[。.!！\s]*$"
)
_NOT_MEANT = re.compile(
    r"别忘|不要忘|没忘|不会忘|忘不了|忘(?:了|记)(?:带|拿|说|买|关|吃|告诉|密码|怎么|今天|时间|做|回|交|写|充|锁|在)|以上|上面|指令"
    r"|规则|提示词|设定|instructions?|prompt|rules?|previous|above|file|folder|line|row|column|文件|这一?行|第.{1,3}[行段句页列条]|列"
    r"|代码|函数|段落"
)
_ALLOW = re.compile(
    _ASK + r"(?:我)?(?:以后)?(?:可以|同意|允许|授权|准许)(?:你)?(?:以后)?(?:都)?(?:记|记住|记录|保存|存)[^?？]{0,20}$"
    r"|"
    + _ASK
    + r"(?:yes,? )?(?:you (?:may|can)|i (?:agree|consent|allow)(?: that)?(?: you| to you)?(?: to)?|feel free to) (?:remember|keep"
    r"|store|save|record)[^?]{0,60}$"
)
_FORBID = re.compile(
    _ASK + r"(?:以后)?(?:(?:别|不要|不许|停止|不准)(?:你)?(?:再)?(?:记|记住|记录|保存|存)|(?:撤回|取消|收回)(?=[^?？]{0,16}(?:授权"
    r"|同意)))[^?？]{0,16}$"
    r"|" + _ASK + r"(?:stop|don'?t|do not|never|withdraw|revoke)(?: ever)? (?:remember|keep|stor|sav|record|my)[^?]{0,60}$"
)
_YES = re.compile(
    r"^(?:可以|好的?|行|同意|记吧|记住吧|嗯+|没问题|当然|允许|是的?|yes|yeah|yep|sure|ok(?:ay)?|please do|go ahead|of course"
    r"|you may)(?=$|[\s,，。.!！~吧啊呀的])"
)
_NO = re.compile(r"^(?:不(?:用|要|可以|行|必|同意|了)?|别|算了|no|nope|don'?t|please don'?t|rather not)(?=$|[\s,，。.!！~了吧记])")


def requested(text: str) -> Request | None:
    """The request that ``text`` makes, if it is one."""
    plain = mirror(text[: 2 * _LONGEST]).strip().replace("’", "'")
    if not plain or len(plain) > _LONGEST or "\n" in plain or len(text) > 2 * _LONGEST:
        return None
    if _TELL.match(plain):
        return Request("tell")
    if (all_of_it := _FORGET_ALL.match(plain)) is not None:
        return Request("forget_all_surely" if all_of_it["sure"] else "forget_all")
    if _UNSAY.match(plain):
        return Request("unsay")
    matter = _matter(plain)
    if matter is not None and _FORBID.match(plain) and not plain.startswith(("forget", "忘")):
        return Request("forbid", matter=matter)
    if matter is not None and _ALLOW.match(plain):
        return Request("allow", matter=matter)
    found = _FORGET.match(plain)
    if found is None or _NOT_MEANT.search(plain):
        return None
    name = next(name for name in ("zh", "ba", "en") if found[name])
    about = text.strip()[slice(*found.span(name))].strip(" ,，。.的")
    return Request("forget", about) if about else None


def answer_to_asking(text: str) -> bool | None:
    """Whether ``text`` begins with a yes or a no; None: with neither."""
    plain = mirror(text[:_LONGEST]).strip()
    return True if _YES.match(plain) else False if _NO.match(plain) else None


def _matter(plain: str) -> Sensitive | None:
    return next((matter for matter, words in _MATTERS if re.search(words, plain)), None)
