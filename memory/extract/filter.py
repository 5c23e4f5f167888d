"""What is never remembered (R6): which part of a turn is the user's own word, and which clauses of it say nothing lasting.

All patterns match on :func:`memory.normalise.mirror` of the text (lower case, simplified script).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.extract.protocol import Said
from memory.normalise import mirror
from memory.statement import Mood

_ROLEPLAY = re.compile(
    r"角色扮演|演(?:一?出|一?场|个)(?:戏|短剧|小品)?|[你我](?:来)?扮|扮演|假装(?:你|我)|(?:你|我)当(?:面试官|客户|老师|医生)[，,]"
    r"|模拟(?:面试|对话|一下)|练习(?:一下)?(?:面试|对话)"
    r"|role-?play|pretend (?:to be|you|i|that)|let'?s (?:practi[sc]e|pretend|act)|you(?:'re"
    r"| are) the (?:interviewer|customer|teacher|doctor)"
    r"|act as (?:a|an|my|the)\b|in character"
)
_NOT_TO_BE_KEPT = re.compile(
    r"(?:别|不要|不用|不必|无需)(?:再|给我|帮我)?(?:记(?!错|混|成|得)|保存|存(?:下|着|了|$))"
    r"|当我没说|随口(?:一)?(?:问|说)"
    r"|(?:don'?t|do not|no need to|never) (?:save|remember|store|keep|record|note)\b|off the record"
)
_ORDERS_TO_THE_MODEL = re.compile(
    r"ignore (?:all|any|the|previous|above|prior|everything).{0,40}(?:rule|instruction|prompt"
    r"|above|before)|disregard (?:all|any|previous|the above)"
    r"|(?:忽略|无视|忘掉|忘记)(?:以上|上面|之前|前面|所有|全部).{0,12}(?:规则|指令|指示|要求"
    r"|提示|设定)|^\s*(?:system|assistant|developer)\s*[:：]"
    r"|system prompt|系统提示词?[:：]|越狱|jailbreak|developer mode"
)
_TASK_ON_TEXT = re.compile(
    r"(?:翻译|翻成|译成|译为|校对|润色|改写|总结|概括|摘要|归纳|缩写|扩写|续写|仿写|改(?:一?下"
    r"|写)?(?:语病|错别字)|(?:看看|分析|解释|朗读)(?:一下)?(?:这|下面|以下)"
    r"|这(?:段|句|篇|封|个网页|份)|以下(?:是|内容|文字)|下面(?:是|这)|文档|原文|全文"
    r"|\btranslat\w*|\bproofread\w*|\bsummari[sz]\w*|\brewrit\w*|\bparaphras\w*|\bpolish\b|\bedit "
    r"(?:this|the)|\bcorrect (?:this|the)|\bfix (?:this|the)|\bconvert (?:this|the)"
    r"|\bthis (?:text|sentence|paragraph|review|email|letter|article|page|passage)|\bthe following)"
    r"[^。！？\n]{0,40}?[:：“\"「『\n]"
)
_CODE = re.compile(r"```.*?(?:```|$)|^[ \t]*>.*$", re.DOTALL | re.MULTILINE)

_LONG_QUOTE = re.compile(r"“[^”]{10,}(?:”|$)|「[^」]{10,}(?:」|$)|\"[^\"]{25,}(?:\"|$)|《[^》]{25,}》", re.DOTALL)

_QUESTION_ZH = re.compile(
    r"(?:吗|嘛|呢|么)[^\w]*$|什么|怎么|怎样|咋|为啥|为何|哪(?!怕)|多(?:少|大|久|长|宽|高|重|远|快)(?!了|的(?:孩子|人))|几(?:点|号|天|个|岁|月)"
    r"|谁(?!都|也)|是不是|能不能|要不要|有没有|可不可以|会不会|该不该|对不对|好不好"
    r"|你(?:觉得|猜|知道|说呢|认为|还记得)|是否|难道|请问"
)
_QUESTION_EN = re.compile(
    r"^(?:so |and |but |well,? |hey,? )*(?:do|does|did|is|are|am|was|were|can|could|would|what"
    r"|who|whose|when|where|why|how|which|should|shall|will|have|has|any)\b"
    r"(?!.*\bi (?:am|live|prefer)\b.*\.$)"
)
_HYPOTHETICAL = re.compile(
    r"如果|要是|假如|假设|假使|倘若|若是|万一|的话|设想|想象|比方说|打个比方|下辈子|就好了"
    r"|\bif (?:i|we|my|you|only|it)\b|\bsuppos(?:e|ing)\b|\bimagine\b|\bhypothetical|\bwere i\b"
    r"|\bi(?:'d| would) (?:be|have|love|like|rather|call|live|move)\b|\bwish i\b|\bwhat if\b"
)
_OTHERS = (
    r"(?:我(?:们)?(?:的|家)?(?:室友|同事|领导|老板|上司|朋友|同学|邻居|客户|妈|妈妈|爸|爸爸"
    r"|老婆|老公|媳妇|爱人|对象|妻子|丈夫|儿子|女儿|孩子|姐|姐姐|哥|哥哥|弟弟|妹妹|老师|闺蜜"
    r"|表哥|表姐|表弟|表妹)"
    r"|他们?|她们?|人家|别人|有人|有的人|网友|网上|朋友|同事|领导|老板|老师|专家|电影里|书里|书上|歌里|小说里|新闻)"
)
_QUOTED_ZH = re.compile(_OTHERS + r"[^，,。]{0,6}?(?:说|讲|觉得|认为|以为|嚷|念叨|表示|写|问我|希望我|建议|劝)")
_QUOTED_EN = re.compile(
    r"\b(?:my (?!name)\w+(?: \w+)?|he|she|they|someone|people|everyone|somebody|the (?:article"
    r"|book|movie|song|doctor|guy|teacher|boss)|\w+) "
    r"(?:always |keeps? |just |once |often )*(?:says?|said|saying|thinks?|thought|claims?|claimed"
    r"|told me|tells me|insists?|swears?|reckons?|believes?|suggest(?:s|ed))\b"
)
_SARCASM = re.compile(
    r"巴不得|最(?:喜欢|爱)[^，,。]{0,8}(?:被|吵醒|加班|堵车|排队|挨骂|挨批|返工)|可真(?:行|棒|好|会|是)|真(?:行|棒|有你的)啊?[，,]|呵呵|才怪|谢谢您嘞|多亏了你|我可太"
    r"(?:喜欢|爱)|太(?:喜欢|爱)[^，。]{0,12}了(?:呢|呀)?[，,。]?(?:才怪|呵呵)"
    r"|\bjust what i (?:needed|wanted)\b|\byeah,? right\b|\boh (?:great|joy|sure|wonderful|fantastic"
    r"|lovely)\b|\bas if\b|\bsure,? because\b|\bnothing i love more\b|\bi (?:just |absolutely )?love "
    r"(?:it )?(?:when|how|being)\b"
)
_OUTBURST = re.compile(
    r"烦死|气死|累死|困死|饿死|疯了|受够|去死|滚|妈的|他妈|tmd|谁也别|谁都别|见鬼|个鬼|崩溃|不想活|绝交|老子"
    r"|\bfed up\b|\bi'?m done\b|\bi quit\b|\bi give up\b|\bugh+\b|\bdamn|\bhell\b|\bfuck|\bshit\b"
    r"|\bi hate (?:everything|everyone|my life|this|you|it)\b|\bnever again\b|\bleave me alone\b"
)
_ONCE = re.compile(
    r"今天|今晚|今早|今夜|今儿|今日|这一?(?:次|回|顿|条|趟|周|个月(?!起|开始|来?.{0,2}(?:天天|每天|都|一直))|几天|两天|阵子|首|段|份|篇"
    r"|封)|本周|本次|刚才|刚刚|刚(?=买|吃|喝)|待会|等会|一会儿?|眼下|明天|后天|明早|明晚|下次长途"
    r"|暂时|先不"
    r"|\b(?:today|tonight|tomorrow|this (?:time|week|once|morning|afternoon|evening|month|one)"
    r"|right now|for now|just (?:this|once|for)|at the moment|for once)\b"
)
_HEDGED = re.compile(
    r"可能|也许|或许|说不定|大概率?|考虑|打算(?!控制)|没想好|不确定|还没定|想(?:试|开始|要开始"
    r"|着)|要不(?!要)|要开始|试试|不想再|估计"
    r"|\b(?:might|maybe|perhaps|possibly|thinking (?:of|about)|considering|not sure|not decided"
    r"|i guess|probably|might want)\b"
)


def own_words(text: str, before: Sequence[Said]) -> str:
    """The part of a turn that the user says in their own name, code and pasted text blanked out; empty where nothing may be kept."""
    plain = mirror(text)
    played = any(said.role == "user" and _ROLEPLAY.search(mirror(said.text)) for said in before)
    if played or _ROLEPLAY.search(plain) or _NOT_TO_BE_KEPT.search(plain) or _ORDERS_TO_THE_MODEL.search(plain):
        return ""
    task = _TASK_ON_TEXT.search(plain)
    own = text[: task.start()] if task else text
    return _CODE.sub(lambda code: " " * len(code.group()), own)


def within_quotes(text: str, start: int, end: int) -> bool:
    """Whether a long quotation of the turn reaches into a piece of it: somebody else's words, whatever is to be done with them."""
    return any(found.start() < end and found.end() > start for found in _LONG_QUOTE.finditer(text))


def says_nothing_lasting(sentence: str) -> str | None:
    """Why nothing of a whole sentence is kept, or None. ``sentence``: mirrored, with its closing mark."""
    for reason, pattern in (("hypothesis", _HYPOTHETICAL), ("sarcasm", _SARCASM), ("outburst", _OUTBURST)):
        if pattern.search(sentence):
            return reason
    return None


def is_question(clause: str, closing: str) -> bool:
    """Whether a mirrored clause asks; ``closing`` is the mark at its end, if it ends its sentence."""
    return "?" in closing or "？" in closing or bool(_QUESTION_ZH.search(clause) or (_QUESTION_EN.search(clause) and "." not in closing))


def quotes_others(clause: str) -> bool:
    """Whether a mirrored clause reports what somebody else says or thinks."""
    return bool(_QUOTED_ZH.search(clause) or _QUOTED_EN.search(clause))


def mood(clause: str) -> Mood:
    """Whether a mirrored clause holds from now on, for once, or is only considered."""
    return "hedged" if _HEDGED.search(clause) else "once" if _ONCE.search(clause) else "plain"
