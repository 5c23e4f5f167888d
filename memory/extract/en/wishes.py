"""English rules for what the user likes, demands, and does by habit."""

from __future__ import annotations

from memory.extract.en.vocabulary import ADV, AM, POINTERS, rx
from memory.extract.relations import EN_NEAR
from memory.extract.rule import Rule
from memory.extract.topics import instruction_topic, preference_topic, routine_topic

LIKES = (
    Rule(
        "dislike",
        rx(
            rf"^i {ADV}(?P<no>(?:don'?t|do not|no longer|never)(?: really| much)? (?:like|love|enjoy"
            rf"|prefer|care for|want)|hate|dislike|detest|loathe|despise|can'?t stand|cannot stand|can'?t bear"
            rf"|am not a fan of|avoid|am afraid of|fear)(?: to (?=\w))? (?P<value>[^,]{{2,60}})$"
        ),
        "preference",
        preference_topic,
        priority=1,
        refuse=POINTERS,
    ),
    Rule(
        "not a fan",
        rx(
            AM
            + (
                r"(?P<no>not (?:a |an )?(?:big |huge )?(?:fan of|keen on|into|fond of)|afraid of|scared of"
                r"|terrified of|sick of) (?P<value>[^,]{2,50})$"
            )
        ),
        "preference",
        preference_topic,
        priority=1,
        refuse=POINTERS,
    ),
    Rule(
        "does not",
        rx(
            rf"^i {ADV}(?P<no>don'?t|do not|never|no longer) (?:ever )?(?:eat|drink|smoke|wear|watch"
            rf"|use|take) (?P<value>[^,]{{2,40}})$"
        ),
        "preference",
        preference_topic,
        priority=2,
        refuse=rx(r"^(?:it|that|this|them|you|long|care|offence|offense|much time)\b"),
    ),
    Rule(
        "like",
        rx(
            rf"^i {ADV}(?:like|love|enjoy|prefer|adore|fancy|favou?r|am fond of|am into|am a (?:big "
            rf"|huge )?fan of)(?: to (?=\w))? (?P<value>[^,]{{2,80}})$"
        ),
        "preference",
        preference_topic,
        refuse=POINTERS,
    ),
    Rule(
        "fond",
        rx(
            AM
            + (
                r"(?:very |really |quite |a (?:big |huge )?)?(?:fond of|keen on|into|fan of|crazy about"
                r"|passionate about) (?P<value>[^,]{2,60})$"
            )
        ),
        "preference",
        preference_topic,
        refuse=POINTERS,
    ),
    Rule(
        "kin likes",
        rx(rf"^my (?P<who>{EN_NEAR}) {ADV}(?:likes|loves|enjoys|prefers|adores) (?P<value>[^,]{{2,60}})$"),
        "preference",
        preference_topic,
        refuse=POINTERS,
    ),
    Rule(
        "kin dislikes",
        rx(
            rf"^my (?P<who>{EN_NEAR}) {ADV}(?P<no>hates|dislikes|can'?t stand|doesn'?t (?:like|eat|drink"
            rf"|enjoy)|avoids|never eats) (?P<value>[^,]{{2,60}})$"
        ),
        "preference",
        preference_topic,
        refuse=POINTERS,
    ),
    Rule(
        "favourite",
        rx(r"^my (?:all-time )?favou?rite (?P<what>[^,]{2,24}?)(?:'s| is| are) (?P<value>[^,]{1,60})$"),
        "preference",
        "偏好/最爱/{what}",
        refuse=POINTERS,
    ),
)

DEMANDS = (
    Rule(
        "from now on",
        rx(
            r"^(?:please )?(?:from now on|going forward|in (?:the )?future|whenever|every time|by default)[, ]+"
            r"(?P<value>[^?]{4,120})$"
        ),
        "preference",
        instruction_topic,
        asks=True,
        priority=1,
        refuse=rx(r"^(?:i(?:'ll| will| am)|what|how|we)\b"),
    ),
    Rule(
        "always never",
        rx(
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
        rx(
            r"^(?:please )?(?P<no>don'?t|do not|stop|avoid) (?P<value>(?:ever |using |use |call|calling "
            r"|send|sending |schedul|remind|recommend|suggest|add|adding |mention|answer|reply|writ"
            r"|put|giv|address)[^?]{2,100})$"
        ),
        "preference",
        instruction_topic,
        asks=True,
        priority=1,
        refuse=rx(r"\b(?:it|that|this|yet)$"),
    ),
    Rule(
        "style",
        rx(
            r"^(?:please )?(?P<value>(?:keep|make|limit) (?:your |all |every |the )?(?:answers?|repl"
            r"(?:y|ies)|responses?|messages?)\b[^?]{3,80}|(?:answer|reply|respond|write to me|talk to me"
            r"|speak) (?:to me |me )?(?:only )?(?:in|with|using|briefly|concisely)\b[^?]{0,60}|use "
            r"(?:british|american|metric|imperial|bullet|plain|simple|formal|informal)\b[^?]{2,80})$"
        ),
        "preference",
        instruction_topic,
        asks=True,
        priority=1,
        refuse=rx(r"\b(?:this|that) (?:one|answer|reply|time|email|letter|text)\b"),
    ),
)

HABITS = (
    Rule(
        "habit",
        rx(r"^(?P<value>i (?:usually|always|normally|typically|generally|only ever|tend to|often) [^,?]{4,90})$"),
        "preference",
        routine_topic,
        refuse=rx(r"\b(?:wonder|forget|agree|think|thought|wanted|feel|felt)\b"),
    ),
    Rule(
        "every",
        rx(
            r"^(?P<value>i [^,?]{3,60} (?:every (?:day|morning|evening|night|week|weekend|month|year"
            r"|other day|\w+day)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|on weekends?|on weekdays"
            r"|daily|(?:once|twice|\w+ times) an? (?:day|week|month))\b[^,?]{0,30})$"
        ),
        "preference",
        routine_topic,
        refuse=rx(r"^i (?:was|had|went|think|feel)\b"),
    ),
    Rule(
        "every first",
        rx(
            r"^(?P<value>(?:every (?:day|morning|evening|night|week|weekend|month|year|\w+day)|on (?:mon"
            r"|tues|wednes|thurs|fri|satur|sun)days|on weekends?|on weekdays),? i [^,?]{3,80})$"
        ),
        "preference",
        routine_topic,
    ),
    Rule("used to it", rx(AM + r"an? (?P<value>(?:early|late) riser|night owl|morning person|early bird)$"), "preference", "习惯/作息"),
)
