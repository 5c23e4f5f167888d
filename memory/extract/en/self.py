"""English rules for who the user is: name, work, home, body."""

from __future__ import annotations

from memory.extract.en.vocabulary import ADV, AM, JOB, POINTERS, rx
from memory.extract.relations import EN_NEAR
from memory.extract.rule import Rule
from memory.extract.topics import preference_topic

WHO_I_AM = (
    Rule(
        "name",
        rx(
            r"^(?:my (?:full |first |real )?name(?:'s| is)|i(?:'m| am) called|i go by)(?: actually| now)? "
            r"(?P<value>[^\s,]+(?: [^\s,]+){0,3})$"
        ),
        "profile",
        "资料/姓名",
        refuse=rx(r"^(?:not|on|in|too|hard|spelled|a|the)\b"),
    ),
    Rule(
        "call me",
        rx(
            r"^(?:please |just |you can |from now on |always |simply |then )*(?:call|address) me (?:as )?"
            r"(?P<value>[^\s,]+(?: [^\s,]+){0,2}?)(?: from now on| instead| please)?$"
        ),
        "profile",
        "资料/称呼",
        asks=True,
        refuse=rx(r"^(?:back|when|if|at|on|tomorrow|later|crazy|a|an|the|an?|in|by)\b"),
    ),
    Rule(
        "diet",
        rx(
            AM
            + (
                r"(?:a |an )?(?:strict |lifelong )?(?P<value>vegetarian|vegan|pescatarian|flexitarian|omnivore"
                r"|teetotall?er|teetotal)$"
            )
        ),
        "preference",
        "饮食/方式",
        priority=2,
    ),
    Rule(
        "turned",
        rx(
            r"^i(?:'ve| have)? (?:just |recently |now )?(?:gone|went|turned|become|became) (?P<value>vegetarian"
            r"|vegan|pescatarian)(?: .*)?$"
        ),
        "preference",
        "饮食/方式",
        priority=2,
    ),
    Rule("hand", rx(AM + r"(?P<value>left-?handed|right-?handed)$"), "profile", "资料/惯用手"),
    Rule(
        "age",
        rx(AM + r"(?P<value>\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy)(?:-\w+)?)(?: years old| years of age)?$"),
        "profile",
        "资料/年龄",
    ),
    Rule(
        "marital",
        rx(AM + r"(?:happily |newly |recently )?(?P<value>single|married|divorced|widowed|engaged|separated)(?: to [^,]+)?$"),
        "profile",
        "资料/婚姻",
    ),
    Rule(
        "sign",
        rx(AM + r"an? (?P<value>aries|taurus|gemini|cancer|leo|virgo|libra|scorpio|sagittarius|capricorn|aquarius|pisces)$"),
        "profile",
        "资料/星座",
    ),
    Rule("mbti", rx(AM + r"an? (?P<value>[ie][ns][tf][jp])$"), "profile", "资料/人格类型"),
    Rule(
        "job",
        rx(
            AM
            + (
                rf"(?:an? |the )?(?P<value>(?:[\w-]+ ){{0,4}}{JOB})(?: by (?:trade|profession|training))?"
                rf"(?: (?:at|for|in|with) [^,]+)?$"
            )
        ),
        "profile",
        "资料/职业",
        refuse=rx(r"^(?:not|talking|looking|seeing|the customer|waiting)\b|\b(?:with|by|to|from|seeing|looking)\b"),
    ),
    Rule(
        "works as",
        rx(r"^i (?:now |currently )?work as (?:an? |the )?(?P<value>[^,]{2,60}?)(?: (?:at|for) [^,]+)?$"),
        "profile",
        "资料/职业",
    ),
    Rule(
        "works at",
        rx(r"^i (?:now |currently |have )?(?:work|started working) (?:at|for) (?P<value>[^,]{2,60})$"),
        "profile",
        "资料/单位",
        refuse=rx(r"^(?:home|night|hours|the weekend|a living|days?)\b"),
    ),
    Rule(
        "report to",
        rx(r"^(?:(?:after|since) [^,]+?,? |now,? )?i (?:now )?report to (?P<value>[^,]+?)(?:, not .*| now| instead)?$"),
        "fact",
        "关系/上司/姓名",
        about="上司",
    ),
    Rule(
        "study",
        rx(r"^i(?:'m| am)? (?:now |currently )?(?:study|studying|major in|majoring in) (?P<value>[^,]{2,50})$"),
        "profile",
        "资料/专业",
        refuse=rx(r"^(?:for|hard|late|today)\b"),
    ),
    Rule("from", rx(AM + r"(?:originally )?from (?P<value>[^,]{2,40}(?:, [^,]{2,30})?)$"), "profile", "资料/籍贯", refuse=POINTERS),
    Rule("born", rx(r"^i was born (?P<what>in|on) (?P<value>[^,]{2,40}(?:, [^,]{2,30})?)$"), "profile", "资料/出生"),
)

WHERE_I_AM = (
    Rule(
        "lives",
        rx(
            rf"^(?:i|we)(?:'ve| have)? {ADV}(?:live|living|reside|settled(?: down)?|been living) (?:in"
            rf"|at|on|near) (?P<value>[^,]{{2,50}}(?:, [^,]{{2,30}})?)$"
        ),
        "profile",
        "资料/住址",
        refuse=rx(r"^(?:a (?:hotel|world|dream)|the moment|this|that|fear|hope)\b"),
    ),
    Rule(
        "moved",
        rx(
            r"^(?:i|we)(?:'ve| have)? (?:just |recently |finally )?(?:moved|relocated)(?: back| house)? to "
            r"(?P<value>[^,]{2,50}?)(?: (?:last|this) \w+| recently| yesterday)?$"
        ),
        "profile",
        "资料/住址",
        refuse=rx(r"^(?:the|a|an|my|using)\b"),
    ),
    Rule(
        "new home",
        rx(r"^.{0,60}\b(?:my|our) (?:new )?(?:flat|apartment|house|place|home) (?:is )?in (?P<value>[^,]{2,40})$"),
        "profile",
        "资料/住址",
        refuse=rx(r"^(?:a mess|order|the morning)"),
    ),
)

BODY = (
    Rule(
        "allergic",
        rx(AM + r"(?:severely |very |badly |mildly |deathly |terribly )?(?:allergic|intolerant) to (?P<value>[^,]{2,40})$"),
        "fact",
        "健康/过敏/{value}",
        priority=2,
        refuse=POINTERS,
    ),
    Rule(
        "allergy",
        rx(r"^i have an? (?:severe |bad |mild )?(?P<value>[\w -]{2,30}?) (?:allergy|intolerance)$"),
        "fact",
        "健康/过敏/{value}",
        priority=2,
    ),
    Rule(
        "kin allergic",
        rx(rf"^my (?P<who>{EN_NEAR})(?:'s| is) (?:severely |very |badly )?(?:allergic|intolerant) to (?P<value>[^,]{{2,40}})$"),
        "fact",
        "健康/过敏/{value}",
        priority=2,
    ),
    Rule(
        "cannot eat",
        rx(r"^i (?P<no>can'?t|cannot|can not|never|mustn'?t) (?:eat|drink|have|touch|stomach|tolerate) (?P<value>[^,]{2,40})$"),
        "preference",
        preference_topic,
        priority=2,
        refuse=POINTERS,
    ),
)
