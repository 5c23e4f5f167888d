"""Who is who to the user: one name for each relation, in both languages, so that "老婆" and "my wife" are one subject."""

from __future__ import annotations

from memory.normalise import fold

_NAMES: dict[str, str] = {
    "妻子": "妻子 老婆 媳妇 太太 爱人 夫人 wife",
    "丈夫": "丈夫 老公 先生 husband",
    "伴侣": "对象 伴侣 另一半 partner spouse",
    "女友": "女友 女朋友 girlfriend",
    "男友": "男友 男朋友 boyfriend",
    "未婚妻": "未婚妻 fiancée fiancee",
    "未婚夫": "未婚夫 fiancé fiance",
    "妈妈": "妈妈 妈 母亲 老妈 mother mom mum mama",
    "爸爸": "爸爸 爸 父亲 老爸 father dad papa",
    "爸妈": "爸妈 父母 parents",
    "爷爷": "爷爷 祖父 grandfather grandpa",
    "奶奶": "奶奶 祖母 grandmother grandma",
    "外公": "外公 姥爷",
    "外婆": "外婆 姥姥",
    "公公": "公公",
    "婆婆": "婆婆 mother-in-law",
    "岳父": "岳父 老丈人 father-in-law",
    "岳母": "岳母 丈母娘",
    "哥哥": "哥哥 哥 大哥 二哥",
    "弟弟": "弟弟 弟 小弟",
    "姐姐": "姐姐 姐 大姐 二姐",
    "妹妹": "妹妹 妹 小妹",
    "兄弟": "brother",
    "姐妹": "sister",
    "儿子": "儿子 son",
    "女儿": "女儿 闺女 daughter",
    "孩子": "孩子 小孩 宝宝 娃 kid child baby",
    "孙子": "孙子 grandson",
    "孙女": "孙女 granddaughter",
    "表哥": "表哥 堂哥",
    "表姐": "表姐 堂姐",
    "表弟": "表弟 堂弟",
    "表妹": "表妹 堂妹",
    "亲戚": "cousin",
    "叔叔": "叔叔 舅舅 姑父 姨父 伯伯 uncle",
    "阿姨": "阿姨 姑姑 舅妈 姨妈 婶婶 aunt",
    "侄子": "侄子 外甥 nephew",
    "侄女": "侄女 外甥女 niece",
    "猫": "猫 猫咪 猫猫 cat kitten",
    "狗": "狗 狗狗 小狗 dog puppy",
    "宠物": "宠物 pet",
    "兔子": "兔子 rabbit",
    "仓鼠": "仓鼠 hamster",
    "鹦鹉": "鹦鹉 parrot",
    "乌龟": "乌龟 turtle tortoise",
    "鱼": "金鱼 fish",
    "马": "马 horse",
    "室友": "室友 舍友 roommate flatmate",
    "同事": "同事 colleague coworker co-worker",
    "上司": "上司 领导 老板 经理 主管 boss manager supervisor",
    "老师": "老师 班主任 导师 teacher tutor advisor",
    "朋友": "朋友 好友 闺蜜 哥们 friend best friend",
    "同学": "同学 classmate",
    "邻居": "邻居 neighbour neighbor",
    "房东": "房东 landlord landlady",
    "医生": "家庭医生 主治医生 doctor gp",
    "牙医": "牙医 dentist",
    "助理": "助理 assistant",
    "教练": "教练 私教 coach trainer",
    "实习生": "实习生 intern",
    "保姆": "保姆 阿姨 nanny",
    "司机": "司机 driver",
    "律师": "律师 lawyer",
    "客户": "客户 client customer",
}
_ONE_NAME = {name: one for one, names in reversed(_NAMES.items()) for name in names.split() if name}
_ONE_NAME["best friend"] = "朋友"

_CLOSE = "妻子 丈夫 伴侣 女友 男友 未婚妻 未婚夫 妈妈 爸爸 爸妈 爷爷 奶奶 外公 外婆 公公 婆婆 岳父 岳母 牙医 上司 房东"
SINGLE = frozenset(_CLOSE.split())
"""Relations of which one has one: a second name replaces the first. Of children, pets and friends one may have more."""

ZH = "|".join(sorted((name for name in _ONE_NAME if not name.isascii() and "é" not in name), key=len, reverse=True))
EN = "|".join(sorted((name for name in _ONE_NAME if name.isascii() or "é" in name), key=len, reverse=True))
_FAR = {"室友", "同事", "上司", "老师", "朋友", "同学", "邻居", "房东", "客户", "司机"}
ZH_NEAR = "|".join(name for name in ZH.split("|") if _ONE_NAME[name] not in _FAR)
EN_NEAR = "|".join(name for name in EN.split("|") if _ONE_NAME[name] not in _FAR)
"""Family, pets and household: what they like and bear is worth remembering."""


def relation(name: str) -> str:
    """The one name of a relation; what is not known stays as said."""
    plain = fold(name)
    return _ONE_NAME.get(plain) or _ONE_NAME.get(plain.removesuffix("s")) or plain


def name_slot(who: str, value: str) -> str:
    """Where the name of a relation lies: one slot for a wife, one a name for cats and friends."""
    return f"关系/{who}/姓名" if who in SINGLE else f"关系/{who}/姓名/{value}"
