"""English rules for the people, animals and things of the user's life."""

from __future__ import annotations

from memory.extract.en.vocabulary import ADV, JOB, NOT_AN_ATTRIBUTE, POINTERS, attribute, name_of, rx
from memory.extract.relations import EN, EN_NEAR
from memory.extract.rule import Rule

PEOPLE = (
    Rule(
        "kin name",
        rx(
            rf"^(?:my|our) (?:\w+ )?(?P<who>{EN})(?:'s name is|'s called|s? (?:is|are) (?:called|named)"
            rf"|'s|s? is) (?P<value>(?:dr\.? |mr\.? |mrs\.? |ms\.? |prof\.? )?[^\s,]+(?: [^\s,]+)?)$"
        ),
        "fact",
        name_of,
        refuse=rx(
            r"^(?:an?|the|not|in|on|at|my|so|very|too|also|sick|ill|here|back|away|coming|allergic|getting"
            r"|going|from|single|married|pregnant|\w+ing|\d+|our|now|still|always|really|vegetarian"
            r"|vegan)\b"
        ),
    ),
    Rule(
        "kin job",
        rx(
            rf"^my (?P<who>{EN_NEAR})(?:'s| is| works as) (?:now )?an? (?P<value>(?:[\w-]+ ){{0,3}}{JOB})"
            rf"(?: (?:at|for|in) [^,]+)?$"
        ),
        "fact",
        "关系/{who}/职业",
    ),
    Rule(
        "kin lives",
        rx(rf"^my (?P<who>{EN_NEAR}) (?:now )?(?:lives?|moved|works?) (?P<what>in|to|at|for) (?P<value>[^,]{{2,40}})$"),
        "fact",
        "关系/{who}/{what}",
    ),
    Rule(
        "kin fact",
        rx(rf"^my (?P<who>{EN})'s (?P<what>[^,]{{2,24}}?) is (?P<value>[^,]{{1,60}})$"),
        "fact",
        "关系/{who}/{what}",
        refuse=POINTERS,
    ),
    Rule(
        "has",
        rx(
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
        rx(
            r"^(?:my|our) (?P<what>(?!name\b)[\w'’ -]{2,40}?)(?:'s| is| are| has changed to| changed to"
            r"| is now)(?: now| called| named)? (?P<value>.{1,160})$"
        ),
        "fact",
        attribute,
        refuse_what=NOT_AN_ATTRIBUTE,
        refuse=rx(
            r"^(?:not (?:working|sure)|broken|down|killing|driving|being|so (?:slow|annoying)|too|wrong"
            r"|late|tired|dead|slow|stuck|\w+ing me)\b"
        ),
    ),
    Rule(
        "code is",
        rx(
            r"^(?:the |our )?(?P<what>(?:[\w-]+ ){0,3}(?:code|combination|extension|locker|serial number"
            r"|budget|deadline|birthday|anniversary|room number|model number|part number)) is (?P<value>[^,?]{1,60})$"
        ),
        "fact",
        attribute,
        refuse=rx(r"^(?:broken|tomorrow|today|tonight|wrong|not|too|this|that|it|so|very)\b"),
    ),
    Rule(
        "I use",
        rx(rf"^i {ADV}(?:use|drive|ride|own|play|speak) (?P<value>(?:an? |the )?[^,]{{2,50}})$"),
        "fact",
        lambda parts: f"习惯/使用/{parts['value']}",
        refuse=rx(r"^(?:an? |the )?(?:lot|bit|it|that|this|to|with|computer right)\b"),
    ),
    Rule(
        "I did",
        rx(
            r"^(?P<value>(?:(?:last|this) (?:week|month|year|spring|summer|autumn|fall|winter|\w+day),? "
            r"|yesterday,? )?i(?:'ve| have)? (?:just )?(?:bought|adopted|started|joined|signed up|enrolled"
            r"|booked|moved|quit|finished|passed|got engaged|got married|began|paid)\b.{3,100})$"
        ),
        "event",
        lambda parts: f"经历/{parts['value']}",
        timebound=False,
        lasting=True,
        refuse=rx(
            r"coffee|lunch|dinner|breakfast|snack|sandwich|pizza|milk|bread|groceries|drink|\btea\b"
            r"|latte|burger|feeling|thinking|wondering|reading this|crying|laughing"
        ),
    ),
)
