"""Words and parts of patterns that the English rules share."""

from __future__ import annotations

import re

from memory.extract.relations import name_slot
from memory.extract.rule import Groups

ADV = (
    r"(?:(?:really|actually|just|also|still|now|always|usually|generally|absolutely|truly|personally"
    r"|only|ever|mostly|normally|currently|typically|strongly|much|do|so) )*"
)
AM = r"^i(?:'m| am) (?:now |still |also |currently |actually |both )?"
JOB = (
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
POINTERS = re.compile(
    r"^(?:this|that|it|you|your|him|her|them|these|those|there|here|what|how|who|when|where"
    r"|to (?:know|see|hear|ask|say|thank|be|think)|the (?:idea|way|fact|sound|look)|sure|not"
    r"|so|if|myself|my (?:point|question))\b"
)
NOT_AN_ATTRIBUTE = re.compile(
    r"(?:question|point|problem|issue|idea|guess|bad|fault|opinion|understanding|goodness|god"
    r"|apologies|mistake|answer|concern|worry|turn|thought|thoughts|code|task|plan for (?:today"
    r"|tonight)|suggestion|impression|hope|request)$"
)
ATTRIBUTE_NAMES = {
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


def rx(pattern: str) -> re.Pattern[str]:
    """A compiled pattern over mirrored text."""
    return re.compile(pattern)


def attribute(parts: Groups) -> str:
    """``资料/职业`` of "职业", "job": one name for each attribute."""
    what = parts["what"]
    return f"资料/{ATTRIBUTE_NAMES.get(what, what)}"


def name_of(parts: Groups) -> str:
    """The slot of the name of somebody near."""
    return name_slot(parts["who"], parts["value"])
