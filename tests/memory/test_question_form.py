"""Whom a question concerns, by its words: the user's own life or the world (R23)."""

from __future__ import annotations

from functools import cache

import pytest

from memory.memory_index import MemoryIndex
from memory.question_form import own_form
from tests.memory.worlds import ask, index_of, memory


@pytest.mark.parametrize(
    "question",
    ["我妈爱听什么戏", "明早几点出门合适", "按老规矩来", "上次那家店叫什么来着", "Where did I leave the drill?", "Book a table for two.",
     "What should the kids bring?", "Remind me to call the plumber."],
)  # fmt: skip
def test_words_about_ones_own_life_are_known(question: str) -> None:
    assert own_form(question) == 1


@pytest.mark.parametrize(
    "question",
    ["什么是潮汐", "琥珀是怎么形成的", "北京到广州有多远", "谁发明了拉链", "把“你好”翻译成德文", "How do magnets work?",
     "What is the boiling point of ethanol?", "Why does bread rise?", "Who invented the zip?", "Explain inflation."],
)  # fmt: skip
def test_questions_about_the_world_are_known(question: str) -> None:
    assert own_form(question) == -1


@pytest.mark.parametrize("question", ["毛栗几岁了", "When is the rent due?", "Biscuit's vet?"])
def test_where_the_words_tell_nothing_the_form_is_silent(question: str) -> None:
    assert own_form(question) == 0


@cache
def _life() -> MemoryIndex:
    return index_of(*(memory(number, known) for number, (known, _, _) in enumerate(_CASES)))


def test_questions_about_the_world_seldom_recall_a_memory_of_the_same_topic() -> None:
    wrong = [general for _, general, _ in _CASES if ask(_life(), general).kept]
    assert len(wrong) <= 0.25 * len(_CASES), wrong


def test_questions_about_ones_own_life_still_do() -> None:
    found = [str(number) in [one.id for one in ask(_life(), own).kept] for number, (_, _, own) in enumerate(_CASES)]
    assert sum(found) >= 0.95 * len(_CASES)


_CASES = [
    ("我家鹦鹉上周刚打过疫苗。", "疫苗是怎么起作用的", "我家鹦鹉打过疫苗没有"),
    ("我跑马拉松最好的成绩是四小时零三分。", "马拉松一共有多少公里", "我马拉松最好跑了多久"),
    (
        "My grandmother's piano is a Bechstein from 1912.",
        "How many keys does a piano have in general?",
        "What piano did my grandmother have?",
    ),
    ("I take the night train to Vienna every May.", "When was the first night train in Europe?", "Which train do I take to Vienna?"),
    ("我儿子对蜂蜜过敏。", "蜂蜜为什么不会变质", "给儿子冲水能放蜂蜜吗"),
    ("我们单位的年会定在腊月二十。", "年会这个习俗是从哪来的", "单位年会哪天"),
    ("我的相机是一台二手的胶片机。", "胶片相机是怎么成像的", "我用的什么相机"),
    ("我每天早上练半小时八段锦。", "八段锦有几个动作", "我早上锻炼什么"),
    ("我女朋友属兔，比我小三岁。", "十二生肖是怎么来的", "我女朋友属什么"),
    ("我家阳台朝西，下午特别晒。", "为什么夕阳是红色的", "我家阳台朝哪边"),
    ("我开的是一辆柴油皮卡。", "柴油机和汽油机有什么区别", "我的车加什么油"),
    ("我奶奶住在绍兴，做的霉干菜最好吃。", "绍兴有多少人口", "我奶奶住哪儿"),
    ("我晚上十点半准时睡觉。", "人为什么需要睡眠", "我几点睡"),
    ("我炒股亏过钱，别再跟我聊股票。", "股票是谁发明的", "给我聊点理财，有什么要避开的话题"),
    ("我的血型是O型阴性。", "O型血为什么是万能供血者", "我是什么血型"),
    ("My brother keeps bees on the roof of his flat.", "How do bees make honey?", "What does my brother keep on his roof?"),
    ("I wear contact lenses only on weekends.", "Who invented contact lenses?", "When do I wear lenses?"),
    ("My tortoise Gilbert eats nothing but dandelions.", "How long do tortoises live on average?", "What should I feed Gilbert?"),
    ("I take my tea with oat milk.", "Where was tea first grown?", "How do I take my tea?"),
    ("We are getting married in a lighthouse in August.", "How does a lighthouse work?", "Where are we getting married?"),
    ("I'm terrified of flying.", "How do planes stay in the air?", "Should I fly or take the ferry, given my fears?"),
    ("My electric bill is due on the 12th.", "What is electricity?", "When is my electric bill due?"),
    ("I play chess by mail with a friend in Oslo.", "What is the oldest chess opening?", "Who do I play chess with?"),
    ("My knee was operated on two years ago.", "How many bones are in the human knee?", "What surgery did I have?"),
    ("I bake rye bread every Saturday.", "Why does bread rise?", "What do I bake on Saturdays?"),
    ("我在学手语，已经学了半年。", "手语全世界通用吗", "我在学什么语言"),
    ("我家的热水器是燃气的，放在厨房。", "燃气热水器的工作原理", "家里热水器放哪儿"),
    ("我办公室在二十三楼，窗外能看到江。", "世界最高的写字楼有多高", "我办公室在几楼"),
]
"""A memory, a question about the world that shares its topic, one about the memory: none of them in the calibration."""
