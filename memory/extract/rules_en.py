"""Rules for English: each reads one clause (mirrored: lower case, half width). The first that matches wins."""

from __future__ import annotations

import re

from memory.extract.relations import EN, EN_NEAR, name_slot
from memory.extract.rule import Groups, Rule
from memory.extract.topics import instruction_topic, preference_topic, routine_topic

_ADV = (
    r"(?:(?:really|actually|just|also|still|now|always|usually|generally|absolutely|truly|personally"
    r"|only|ever|mostly|normally|currently|typically|strongly|much|do|so) )*"
)
_I = r"^i(?:'ve| have)? "
_AM = r"^i(?:'m| am) (?:now |still |also |currently |actually |both )?"
_JOB = (
    r"(?:engineer|developer|programmer|designer|architect|teacher|professor|lecturer|tutor|doctor"
    r"|physician|surgeon|nurse|midwife|paramedic|dentist|vet|veterinarian|pharmacist|therapist"
    r"|psychologist|lawyer|solicitor|"
    r"barrister|judge|paralegal|accountant|bookkeeper|auditor|banker|trader|analyst|consultant"
    r"|manager|director|ceo|cto|founder|entrepreneur|writer|author|journalist|reporter|editor"
    r"|translator|interpreter|artist|"
    r"painter|illustrator|photographer|musician|singer|actor|actress|dancer|chef|cook|baker"
    r"|barista|waiter|waitress|bartender|driver|pilot|flight attendant|electrician|plumber|carpenter"
    r"|mechanic|welder|builder|farmer|"
    r"gardener|fisherman|soldier|police officer|firefighter|civil servant|clerk|secretary|receptionist"
    r"|librarian|researcher|scientist|physicist|chemist|biologist|mathematician|economist|statistician"
    r"|postdoc|student|"
    r"undergraduate|freelancer|contractor|salesperson|sales rep|recruiter|marketer|product manager"
    r"|project manager|intern|trainee|apprentice|coach|trainer|hairdresser|tailor|social worker"
    r"|stay-at-home (?:mom|mum|dad)|retiree|potter|technician)"
)
_POINTERS = re.compile(
    r"^(?:this|that|it|you|your|him|her|them|these|those|there|here|what|how|who|when|where"
    r"|to (?:know|see|hear|ask|say|thank|be|think)|the (?:idea|way|fact|sound|look)|sure|not"
    r"|so|if|myself|my (?:point|question))\b"
)
_NOT_AN_ATTRIBUTE = re.compile(
    r"(?:question|point|problem|issue|idea|guess|bad|fault|opinion|understanding|goodness|god"
    r"|apologies|mistake|answer|concern|worry|turn|thought|thoughts|code|task|plan for (?:today"
    r"|tonight)|suggestion|impression|hope|request)$"
)
_ATTRIBUTE_NAMES = {
    "name": "姓名",
    "full name": "姓名",
    "first name": "姓名",
    "nickname": "称呼",
    "job": "职业",
    "occupation": "职业",
    "profession": "职业",
    "employer": "单位",
    "company": "单位",
    "home": "住址",
    "address": "住址",
    "hometown": "籍贯",
    "birthday": "生日",
    "age": "年龄",
    "blood type": "血型",
    "star sign": "星座",
    "zodiac sign": "星座",
    "height": "身高",
    "weight": "体重",
    "school": "学校",
    "university": "学校",
    "department": "部门",
}


def _rx(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _attribute(parts: Groups) -> str:
    what = parts["what"]
    return f"资料/{_ATTRIBUTE_NAMES.get(what, what)}"


def _name_of(parts: Groups) -> str:
    return name_slot(parts["who"], parts["value"])


WHO_I_AM = (
    Rule(
        "name",
        _rx(
            r"^(?:my (?:full |first |real )?name(?:'s| is)|i(?:'m| am) called|i go by)(?: actually| now)? "
            r"(?P<value>[^\s,]+(?: [^\s,]+){0,3})$"
        ),
        "profile",
        "资料/姓名",
        refuse=_rx(r"^(?:not|on|in|too|hard|spelled|a|the)\b"),
    ),
    Rule(
        "call me",
        _rx(
            r"^(?:please |just |you can |from now on |always |simply |then )*(?:call|address) me (?:as )?"
            r"(?P<value>[^\s,]+(?: [^\s,]+){0,2}?)(?: from now on| instead| please)?$"
        ),
        "profile",
        "资料/称呼",
        asks=True,
        refuse=_rx(r"^(?:back|when|if|at|on|tomorrow|later|crazy|a|an|the|an?|in|by)\b"),
    ),
    Rule(
        "diet",
        _rx(
            _AM
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
        _rx(
            r"^i(?:'ve| have)? (?:just |recently |now )?(?:gone|went|turned|become|became) (?P<value>vegetarian"
            r"|vegan|pescatarian)(?: .*)?$"
        ),
        "preference",
        "饮食/方式",
        priority=2,
    ),
    Rule("hand", _rx(_AM + r"(?P<value>left-?handed|right-?handed)$"), "profile", "资料/惯用手"),
    Rule(
        "age",
        _rx(_AM + r"(?P<value>\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy)(?:-\w+)?)(?: years old| years of age)?$"),
        "profile",
        "资料/年龄",
    ),
    Rule(
        "marital",
        _rx(_AM + r"(?:happily |newly |recently )?(?P<value>single|married|divorced|widowed|engaged|separated)(?: to [^,]+)?$"),
        "profile",
        "资料/婚姻",
    ),
    Rule(
        "sign",
        _rx(_AM + r"an? (?P<value>aries|taurus|gemini|cancer|leo|virgo|libra|scorpio|sagittarius|capricorn|aquarius|pisces)$"),
        "profile",
        "资料/星座",
    ),
    Rule("mbti", _rx(_AM + r"an? (?P<value>[ie][ns][tf][jp])$"), "profile", "资料/人格类型"),
    Rule(
        "job",
        _rx(
            _AM
            + (
                rf"(?:an? |the )?(?P<value>(?:[\w-]+ ){{0,4}}{_JOB})(?: by (?:trade|profession|training))?"
                rf"(?: (?:at|for|in|with) [^,]+)?$"
            )
        ),
        "profile",
        "资料/职业",
        refuse=_rx(r"^(?:not|talking|looking|seeing|the customer|waiting)\b|\b(?:with|by|to|from|seeing|looking)\b"),
    ),
    Rule(
        "works as",
        _rx(r"^i (?:now |currently )?work as (?:an? |the )?(?P<value>[^,]{2,60}?)(?: (?:at|for) [^,]+)?$"),
        "profile",
        "资料/职业",
    ),
    Rule(
        "works at",
        _rx(r"^i (?:now |currently |have )?(?:work|started working) (?:at|for) (?P<value>[^,]{2,60})$"),
        "profile",
        "资料/单位",
        refuse=_rx(r"^(?:home|night|hours|the weekend|a living|days?)\b"),
    ),
    Rule("report to", _rx(r"^(?:after [^,]+, |now )?i (?:now )?report to (?P<value>[^,]+?)(?:, not .*| now)?$"), "fact", "关系/上司/姓名"),
    Rule(
        "study",
        _rx(r"^i(?:'m| am)? (?:now |currently )?(?:study|studying|major in|majoring in) (?P<value>[^,]{2,50})$"),
        "profile",
        "资料/专业",
        refuse=_rx(r"^(?:for|hard|late|today)\b"),
    ),
    Rule("from", _rx(_AM + r"(?:originally )?from (?P<value>[^,]{2,40}(?:, [^,]{2,30})?)$"), "profile", "资料/籍贯", refuse=_POINTERS),
    Rule("born", _rx(r"^i was born (?P<what>in|on) (?P<value>[^,]{2,40}(?:, [^,]{2,30})?)$"), "profile", "资料/出生"),
)

WHERE_I_AM = (
    Rule(
        "lives",
        _rx(
            rf"^(?:i|we)(?:'ve| have)? {_ADV}(?:live|living|reside|settled(?: down)?|been living) (?:in"
            rf"|at|on|near) (?P<value>[^,]{{2,50}}(?:, [^,]{{2,30}})?)$"
        ),
        "profile",
        "资料/住址",
        refuse=_rx(r"^(?:a (?:hotel|world|dream)|the moment|this|that|fear|hope)\b"),
    ),
    Rule(
        "moved",
        _rx(
            r"^(?:i|we)(?:'ve| have)? (?:just |recently |finally )?(?:moved|relocated)(?: back| house)? to "
            r"(?P<value>[^,]{2,50}?)(?: (?:last|this) \w+| recently| yesterday)?$"
        ),
        "profile",
        "资料/住址",
        refuse=_rx(r"^(?:the|a|an|my|using)\b"),
    ),
    Rule(
        "new home",
        _rx(r"^.{0,60}\b(?:my|our) (?:new )?(?:flat|apartment|house|place|home) (?:is )?in (?P<value>[^,]{2,40})$"),
        "profile",
        "资料/住址",
        refuse=_rx(r"^(?:a mess|order|the morning)"),
    ),
)

BODY = (
    Rule(
        "allergic",
        _rx(_AM + r"(?:severely |very |badly |mildly |deathly |terribly )?(?:allergic|intolerant) to (?P<value>[^,]{2,40})$"),
        "fact",
        "健康/过敏/{value}",
        priority=2,
        refuse=_POINTERS,
    ),
    Rule(
        "allergy",
        _rx(r"^i have an? (?:severe |bad |mild )?(?P<value>[\w -]{2,30}?) (?:allergy|intolerance)$"),
        "fact",
        "健康/过敏/{value}",
        priority=2,
    ),
    Rule(
        "kin allergic",
        _rx(rf"^my (?P<who>{EN_NEAR})(?:'s| is) (?:severely |very |badly )?(?:allergic|intolerant) to (?P<value>[^,]{{2,40}})$"),
        "fact",
        "健康/过敏/{value}",
        priority=2,
    ),
    Rule(
        "cannot eat",
        _rx(r"^i (?P<no>can'?t|cannot|can not|never|mustn'?t) (?:eat|drink|have|touch|stomach|tolerate) (?P<value>[^,]{2,40})$"),
        "preference",
        preference_topic,
        priority=2,
        refuse=_POINTERS,
    ),
)

LIKES = (
    Rule(
        "dislike",
        _rx(
            rf"^i {_ADV}(?P<no>(?:don'?t|do not|no longer|never)(?: really| much)? (?:like|love|enjoy"
            rf"|prefer|care for|want)|hate|dislike|detest|loathe|despise|can'?t stand|cannot stand|can'?t bear"
            rf"|am not a fan of|avoid|am afraid of|fear)(?: to (?=\w))? (?P<value>[^,]{{2,60}})$"
        ),
        "preference",
        preference_topic,
        priority=1,
        refuse=_POINTERS,
    ),
    Rule(
        "not a fan",
        _rx(
            _AM
            + (
                r"(?P<no>not (?:a |an )?(?:big |huge )?(?:fan of|keen on|into|fond of)|afraid of|scared of"
                r"|terrified of|sick of) (?P<value>[^,]{2,50})$"
            )
        ),
        "preference",
        preference_topic,
        priority=1,
        refuse=_POINTERS,
    ),
    Rule(
        "does not",
        _rx(
            rf"^i {_ADV}(?P<no>don'?t|do not|never|no longer) (?:ever )?(?:eat|drink|smoke|wear|watch"
            rf"|use|take) (?P<value>[^,]{{2,40}})$"
        ),
        "preference",
        preference_topic,
        priority=2,
        refuse=_rx(r"^(?:it|that|this|them|you|long|care|offence|offense|much time)\b"),
    ),
    Rule(
        "like",
        _rx(
            rf"^i {_ADV}(?:like|love|enjoy|prefer|adore|fancy|favou?r|am fond of|am into|am a (?:big "
            rf"|huge )?fan of)(?: to (?=\w))? (?P<value>[^,]{{2,80}})$"
        ),
        "preference",
        preference_topic,
        refuse=_POINTERS,
    ),
    Rule(
        "fond",
        _rx(
            _AM
            + (
                r"(?:very |really |quite |a (?:big |huge )?)?(?:fond of|keen on|into|fan of|crazy about"
                r"|passionate about) (?P<value>[^,]{2,60})$"
            )
        ),
        "preference",
        preference_topic,
        refuse=_POINTERS,
    ),
    Rule(
        "kin likes",
        _rx(rf"^my (?P<who>{EN_NEAR}) {_ADV}(?:likes|loves|enjoys|prefers|adores) (?P<value>[^,]{{2,60}})$"),
        "preference",
        preference_topic,
        refuse=_POINTERS,
    ),
    Rule(
        "kin dislikes",
        _rx(
            rf"^my (?P<who>{EN_NEAR}) {_ADV}(?P<no>hates|dislikes|can'?t stand|doesn'?t (?:like|eat|drink"
            rf"|enjoy)|avoids|never eats) (?P<value>[^,]{{2,60}})$"
        ),
        "preference",
        preference_topic,
        refuse=_POINTERS,
    ),
    Rule(
        "favourite",
        _rx(r"^my (?:all-time )?favou?rite (?P<what>[^,]{2,24}?)(?:'s| is| are) (?P<value>[^,]{1,60})$"),
        "preference",
        "偏好/最爱/{what}",
        refuse=_POINTERS,
    ),
)

DEMANDS = (
    Rule(
        "from now on",
        _rx(
            r"^(?:please )?(?:from now on|going forward|in (?:the )?future|whenever|every time|by default)[, ]+"
            r"(?P<value>[^?]{4,120})$"
        ),
        "preference",
        instruction_topic,
        asks=True,
        priority=1,
        refuse=_rx(r"^(?:i(?:'ll| will| am)|what|how|we)\b"),
    ),
    Rule(
        "always never",
        _rx(
            r"^(?:please )?(?:you should |you must )?(?P<value>(?:always|(?P<no>never|do not ever|don'?t ever)) "
            r"(?!mind\b|again\b|been\b|was\b)[^?]{4,120})$"
        ),
        "preference",
        instruction_topic,
        asks=True,
        priority=1,
    ),
    Rule(
        "do not",
        _rx(
            r"^(?:please )?(?P<no>don'?t|do not|stop|avoid) (?P<value>(?:ever |using |use |call|calling "
            r"|send|sending |schedul|remind|recommend|suggest|add|adding |mention|answer|reply|writ"
            r"|put|giv|address)[^?]{2,100})$"
        ),
        "preference",
        instruction_topic,
        asks=True,
        priority=1,
        refuse=_rx(r"\b(?:it|that|this|yet)$"),
    ),
    Rule(
        "style",
        _rx(
            r"^(?:please )?(?P<value>(?:keep|make|limit) (?:your |all |every |the )?(?:answers?|repl"
            r"(?:y|ies)|responses?|messages?)\b[^?]{3,80}|(?:answer|reply|respond|write to me|talk to me"
            r"|speak) (?:to me |me )?(?:only )?(?:in|with|using|briefly|concisely)\b[^?]{0,60}|use "
            r"(?:british|american|metric|imperial|bullet|plain|simple|formal|informal)\b[^?]{2,80})$"
        ),
        "preference",
        instruction_topic,
        asks=True,
        priority=1,
        refuse=_rx(r"\b(?:this|that) (?:one|answer|reply|time|email|letter|text)\b"),
    ),
)

HABITS = (
    Rule(
        "habit",
        _rx(r"^(?P<value>i (?:usually|always|normally|typically|generally|only ever|tend to|often) [^,?]{4,90})$"),
        "preference",
        routine_topic,
        refuse=_rx(r"\b(?:wonder|forget|think|thought|wanted|feel|felt)\b"),
    ),
    Rule(
        "every",
        _rx(
            r"^(?P<value>i [^,?]{3,60} (?:every (?:day|morning|evening|night|week|weekend|month|year"
            r"|other day|\w+day)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|on weekends?|on weekdays"
            r"|daily|(?:once|twice|\w+ times) an? (?:day|week|month))\b[^,?]{0,30})$"
        ),
        "preference",
        routine_topic,
        refuse=_rx(r"^i (?:was|had|went|think|feel)\b"),
    ),
    Rule(
        "every first",
        _rx(
            r"^(?P<value>(?:every (?:day|morning|evening|night|week|weekend|month|year|\w+day)|on (?:mon"
            r"|tues|wednes|thurs|fri|satur|sun)days|on weekends?|on weekdays),? i [^,?]{3,80})$"
        ),
        "preference",
        routine_topic,
    ),
    Rule("used to it", _rx(_AM + r"an? (?P<value>(?:early|late) riser|night owl|morning person|early bird)$"), "preference", "习惯/作息"),
)

PEOPLE = (
    Rule(
        "kin name",
        _rx(
            rf"^(?:my|our) (?:\w+ )?(?P<who>{EN})(?:'s name is|'s called|s? (?:is|are) (?:called|named)"
            rf"|'s|s? is) (?P<value>(?:dr\.? |mr\.? |mrs\.? |ms\.? |prof\.? )?[^\s,]+(?: [^\s,]+)?)$"
        ),
        "fact",
        _name_of,
        refuse=_rx(
            r"^(?:an?|the|not|in|on|at|my|so|very|too|also|sick|ill|here|back|away|coming|allergic|getting"
            r"|going|from|single|married|pregnant|\w+ing|\d+|our|now|still|always|really|vegetarian"
            r"|vegan)\b"
        ),
    ),
    Rule(
        "kin job",
        _rx(
            rf"^my (?P<who>{EN_NEAR})(?:'s| is| works as) (?:now )?an? (?P<value>(?:[\w-]+ ){{0,3}}{_JOB})"
            rf"(?: (?:at|for|in) [^,]+)?$"
        ),
        "fact",
        "关系/{who}/职业",
    ),
    Rule(
        "kin lives",
        _rx(rf"^my (?P<who>{EN_NEAR}) (?:now )?(?:lives?|moved|works?) (?P<what>in|to|at|for) (?P<value>[^,]{{2,40}})$"),
        "fact",
        "关系/{who}/{what}",
    ),
    Rule(
        "kin fact",
        _rx(rf"^my (?P<who>{EN})'s (?P<what>[^,]{{2,24}}?) is (?P<value>[^,]{{1,60}})$"),
        "fact",
        "关系/{who}/{what}",
        refuse=_POINTERS,
    ),
    Rule(
        "has",
        _rx(
            r"^(?:i|we)(?:'ve got| have got| have| own| adopted)(?: now)? (?P<value>(?:an?|one|two|three"
            r"|four|five|\d+|twin) (?:[\w-]+ ){0,3}?(?P<what>kids?|children|child|sons?|daughters?|cats?"
            r"|dogs?|pets?|kittens?|pupp(?:y|ies)|rabbits?|hamsters?|parrots?|brothers?|sisters?|cars?"
            r"|twins|horses?)(?: (?:called|named) [^,]+)?)$"
        ),
        "fact",
        "拥有/{what}",
    ),
)

THINGS = (
    Rule(
        "my is",
        _rx(
            r"^(?:my|our) (?P<what>(?!name\b)[\w'’ -]{2,40}?)(?:'s| is| are| has changed to| changed to"
            r"| is now)(?: now| called| named)? (?P<value>.{1,160})$"
        ),
        "fact",
        _attribute,
        refuse_what=_NOT_AN_ATTRIBUTE,
        refuse=_rx(
            r"^(?:not (?:working|sure)|broken|down|killing|driving|being|so (?:slow|annoying)|too|wrong"
            r"|late|tired|dead|slow|stuck|\w+ing me)\b"
        ),
    ),
    Rule(
        "code is",
        _rx(
            r"^(?:the |our )?(?P<what>(?:[\w-]+ ){0,3}(?:code|combination|extension|locker|serial number"
            r"|budget|deadline|birthday|anniversary|room number|model number|part number)) is (?P<value>[^,?]{1,60})$"
        ),
        "fact",
        _attribute,
        refuse=_POINTERS,
    ),
    Rule(
        "I use",
        _rx(rf"^i {_ADV}(?:use|drive|ride|own|play|speak) (?P<value>(?:an? |the )?[^,]{{2,50}})$"),
        "fact",
        lambda parts: f"习惯/使用/{parts['value']}",
        refuse=_rx(r"^(?:an? |the )?(?:lot|bit|it|that|this|to|with|computer right)\b"),
    ),
    Rule(
        "I did",
        _rx(
            r"^(?P<value>(?:(?:last|this) (?:week|month|year|spring|summer|autumn|fall|winter|\w+day),? "
            r"|yesterday,? )?i(?:'ve| have)? (?:just )?(?:bought|adopted|started|joined|signed up|enrolled"
            r"|booked|moved|quit|finished|passed|got engaged|got married|began|paid)\b.{3,100})$"
        ),
        "event",
        lambda parts: f"经历/{parts['value']}",
        timebound=False,
        lasting=True,
        refuse=_rx(
            r"coffee|lunch|dinner|breakfast|snack|sandwich|pizza|milk|bread|groceries|drink|\btea\b"
            r"|latte|burger|feeling|thinking|wondering|reading this|crying|laughing"
        ),
    ),
)

RULES: tuple[Rule, ...] = (*WHO_I_AM, *WHERE_I_AM, *BODY, *DEMANDS, *LIKES, *PEOPLE, *HABITS, *THINGS)
