"""``laoma bench extraction``: what reading a turn for memories costs, and whether a reply waits for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx

from eval.bench.frame import Clock, Contender, Outcome, Tell, alternate
from eval.bench.http_house import HttpHouse, open_http_house
from eval.bench.slow_model import SlowModel
from memory.extract.offline import OfflineExtractor
from memory.extract.protocol import Extractor, Passage, Said
from memory.ports import Embedder, Floats
from memory.statement import Statement
from schemas.settings import Settings

_USER = "talker"
_DELAY_S = 0.1
_AT = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
_BEFORE = (Said("user", "在吗？"), Said("assistant", "在的，你说。"))
_TURNS = (
    "周末搬到了江北，新家离单位只有两站路。楼下有家牛肉粉，老板认得我了。猫还没习惯，躲在柜子里不出来。",
    "我女儿今年上二年级，最近迷上了围棋。每周二和周五晚上送她去上课。你帮我想想，要不要给她报个比赛？",
    "以后给我发的清单都用表格，别写一大段。还有，我不吃葱，点菜的时候记得。今天开会开到八点，累死了。",
    "把下面这段翻成英文：我们公司成立于一九九八年，主营轴承。翻译完告诉我有没有语法问题。谢谢！",
    "原来的健身房关门了，我改去河边跑步。膝盖有点不舒服，所以每次只跑三公里。教练说先这样跑一个月。",
    "如果我明年去冰岛，什么时候最合适？我同事说二月能看到极光，不过他自己也没去过。先别急着订票。",
    "We finally signed the lease, so from May I live in Porto. The flat has a tiny balcony. My sister is green with envy!",
    "I am allergic to penicillin, please keep that in mind. Anyway, what did the Romans eat for breakfast? Just curious.",
    "My cello teacher moved to Ghent, so lessons are online now. They are on Thursdays at six. I miss the old room, though.",
    "Could you rewrite this mail in a warmer tone? It goes to a client in Osaka. Keep it under a hundred words, as always.",
    "I switched from coffee to oolong last month. It is easier on my stomach. Don't suggest espresso places any more, please.",
    "Suppose I sold the van and bought a bike. Would that even save money? My neighbour swears by it, but he works from home.",
)


async def bench_extraction(rounds: int, embedder: Embedder, settings: Settings, clock: Clock, tell: Tell) -> Outcome:
    """A turn of three sentences: rules alone, and with the heads, whose vectors are made beforehand. ``clock`` best counts CPU time."""
    ready = _Ready(embedder)
    zone = ZoneInfo(settings.zone)
    passages = [Passage(text, _AT, zone, _BEFORE) for text in _TURNS]
    with_heads = OfflineExtractor(ready)
    for place, passage in enumerate(passages):
        tell("embedding sentences", place, len(passages))
        with_heads.extract(passage)
    contenders = [Contender("rules and heads", _reading(with_heads, passages)), Contender("rules", _reading(OfflineExtractor(), passages))]
    return Outcome("reading a turn", len(passages), await alternate(contenders, rounds, clock, tell), unit="turns")


async def bench_reply(rounds: int, embedder: Embedder, settings: Settings, folder: Path, clock: Clock, tell: Tell) -> Outcome:
    """Two replies in a row over HTTP, so that the second comes while the first turn is read: with extraction, and in a house without.

    The model says its first word after 100 ms. Between two rounds all is read, so that no house works in the other's time.
    """
    async with SlowModel(_DELAY_S).serve() as url:
        local = settings.model_copy(update={"model": settings.model.model_copy(update={"url": url, "name": "slow"})})
        async with (
            open_http_house(folder / "on", embedder, local) as on,
            open_http_house(folder / "off", embedder, local, extractor=_Nothing()) as off,
            on.client(_USER) as told,
            off.client(_USER) as untold,
        ):
            contenders = [
                Contender("reply, extraction on", _talking(told), _read(on)),
                Contender("reply, extraction off", _talking(untold), _read(off)),
            ]
            times = await alternate(contenders, rounds, clock, tell)
    return Outcome("two replies in a row", 2, times, unit="replies")


def _reading(extractor: Extractor, passages: Sequence[Passage]) -> Callable[[int], Awaitable[object]]:
    async def run(round: int) -> object:
        return extractor.extract(passages[round % len(passages)])

    return run


def _talking(client: httpx.AsyncClient) -> Callable[[int], Awaitable[object]]:
    async def run(round: int) -> None:
        for step in (0, 1):
            said = f"{_TURNS[(2 * round + step) % len(_TURNS)]} ({round})"
            (
                await client.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": said}], "stream": True})
            ).raise_for_status()

    return run


def _read(house: HttpHouse) -> Callable[[], Awaitable[object]]:
    async def idle() -> None:
        await house.house.service.idle(_USER)

    return idle


class _Ready:
    """An embedder that embeds each text once: what is timed after the first time is not embedding."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.dim = embedder.name, embedder.dim
        self._embedder = embedder
        self._known: dict[tuple[str, ...], Floats] = {}

    def query(self, texts: Sequence[str]) -> Floats:
        return self._embedder.query(texts)

    def passage(self, texts: Sequence[str]) -> Floats:
        key = tuple(texts)
        if key not in self._known:
            self._known[key] = self._embedder.passage(texts)
        return self._known[key]


class _Nothing:
    """Reads nothing out of any turn."""

    def extract(self, passage: Passage) -> list[Statement]:
        return []
