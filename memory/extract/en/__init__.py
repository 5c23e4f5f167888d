"""Rules for English: each reads one clause (mirrored: lower case, half width, simplified script). The first that matches wins."""

from __future__ import annotations

from memory.extract.en.near import PEOPLE, THINGS
from memory.extract.en.self import BODY, WHERE_I_AM, WHO_I_AM
from memory.extract.en.wishes import DEMANDS, HABITS, LIKES
from memory.extract.rule import Rule

RULES: tuple[Rule, ...] = (*WHO_I_AM, *WHERE_I_AM, *BODY, *DEMANDS, *LIKES, *PEOPLE, *HABITS, *THINGS)
