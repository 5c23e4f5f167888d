"""What the form of a question tells about whom it concerns: the user's own life, or the world at large (R23).

A question that shares its topic with a memory ("how does a vaccine work", beside the cat's vaccination) is as near to it as one about the
memory itself; whether it says "my", plans something, or asks for a definition tells them apart. Kinds of words only, no topics.
"""

from __future__ import annotations

import re

from memory.normalise import mirror

_READ_CHARS = 500
"""Longer questions carry a text with them: their beginning tells."""
_OWN = re.compile(
    r"我(?!国)|咱|俺|自己|本人|家里|家人|爸|妈|老婆|老公|媳妇|对象|宝宝|儿子|女儿|娃(?!娃)|外婆|奶奶|爷爷|领导|老板|客户"
    r"|同事|室友|邻居|房东|师傅"
    r"|提醒|帮忙|上次|上回|之前(?:说|聊|定|提)|来着|老(?:样子|规矩|时间|地方)|照旧|平时|口味|忌口|看得惯|哪位"
    r"|今晚|明天|明早|后天|这周|下周|周末|下班|待会|等会"
    r"|那(?:家|位|边|个人|份|条|次|件)"
    r"|(?:订|约|安排|准备|打包|寄|送|穿|点)(?:一?[份桌张间个些]|什么|哪|几点)"
    r"|\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|us|our|ours|let's|usual|again|remind|tonight|tomorrow|last time|everyone"
    r"|this (?:weekend|week|evening)|next (?:week|weekend|month)"
    r"|the (?:kids?|boss|client|dentist|doctor|team|office|landlord|guests?|neighbou?rs?))\b"
    r"|^(?:please )?(?:book|order|reserve|schedule|pack|pick|plan|draft|set|call|send|buy|cook|invite)\b"
)
_WORLD = re.compile(
    r"什么是|什么叫|是(?:什么|啥)(?!时候)|什么意思|含义|定义|区别|不同|(?:由|被|是)?谁(?:先|最早|第一个)?(?:发明|写|画|提出|发现|建|导演|唱|创|定|做)"
    r"|作者|发明|起源|由来|来历|历史|原理|原产|为什么|为何|怎么形成|如何形成|怎么[^，,？?]{0,8}的[？?]?$"
    r"|怎么(?:来|产生|制|造|算|读|写|翻译|工作|起作用|换算|判断|表述)|什么时候(?:开始|出现|兴起|实施|发明|成立|上市)"
    r"|首都|面积|人口|朝代|世界|古代|传统上|直径|海拔|时差|全长|时速|平均|标准|比例|成分|种类|含[^，,]{0,6}量"
    r"|(?:由|用|受)什么[^，,]{0,6}(?:组成|构成|做|造成|引起|决定)|由[^，,]{0,8}(?:组成|构成|决定)|[有起]什么(?:作用|用处|影响|好处)"
    r"|[能会]?[有长]多[高长大远深重快宽厚老久]|(?:有|分|共|一队|一局|一届|要)(?:哪|几|多少)|多少(?:公里|千米|米|度|年|颗|种|人|吨|个|块|级|次)"
    r"|哪(?:一年|个国家|个洲|国|个朝代|种动物|条河|里起源)|翻[译成]|译成|用英[语文]|写一?[首篇个段副]|[讲编]一?个|解释|介绍一下|科普|公式|等于|单位|属于"
    r"|一般|通常|普遍"
    r"|^(?:so |and |but )?(?:what|why|how|at what|(?:who|when|where) (?:did|was|were|do|does|first|invented|wrote|made|built|founded"
    r"|painted|composed|discovered))\b"
    r"|^which (?:\w+ )?(?:country|countries|year|planet|language|city|animal|element|century|\w+s? (?:has|have|is|are|do|does) )"
    r"|^(?:are|do|does|can|could) (?!you\b|the\b)"
    r"|\b(?:in general|generally|on average|typically|usually|meaning of|difference between|capital of|history of|origin of|stand for"
    r"|explain|define|definition|invented|discovered|translate|convert|write (?:a|an|me a)|poem|haiku|essay|tell me a|summari[sz]e|list the"
    r"|name (?:three|five|all)|in the world|(?:larg|tall|old|long|deep|fast)est)\b"
)


def own_form(question: str) -> float:
    """1 where the words of a question point to the user's own life, -1 where they ask about the world alone, 0 where they tell nothing."""
    plain = mirror(question[:_READ_CHARS]).replace("’", "'").strip()
    if _OWN.search(plain):
        return 1.0
    return -1.0 if _WORLD.search(plain) else 0.0
