"""Rules for Chinese: each reads one clause (mirrored: lower case, half width, simplified script). The first that matches wins."""

from __future__ import annotations

from memory.extract.rule import Rule
from memory.extract.zh.near import PEOPLE, THINGS
from memory.extract.zh.self import BODY, WHERE_I_AM, WHO_I_AM
from memory.extract.zh.wishes import DEMANDS, HABITS, LIKES

RULES: tuple[Rule, ...] = (*WHO_I_AM, *WHERE_I_AM, *BODY, *DEMANDS, *LIKES, *HABITS, *PEOPLE, *THINGS)
