"""A secret, however it is disguised and wherever a client puts it, is neither stored nor sent to a model elsewhere (R32)."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

from memory.normalise import squeeze
from memory.privacy.plain import Plain
from schemas.settings import Model
from tests.memory.test_privacy_disguised import BETWEEN_DIGITS, DIGITS, NUMBERS, WORDS, wide, with_digits
from tests.serve.house import House


def disguises() -> list[tuple[str, str]]:
    """What is said, and the secret in it: each kind in turns of the ways to write it, and the words in full width."""
    ways = itertools.cycle(itertools.product(DIGITS, BETWEEN_DIGITS))
    said = []
    for before, number in NUMBERS.values():
        for script, between in itertools.islice(ways, 9):
            pieces = [with_digits(script)(number[place : place + 3]) for place in range(0, len(number), 3)]
            said.append((f"{before}{between.join(pieces)}", number))
    return said + [(f"{before}{wide(word)}", word) for before, word in WORDS.values()]


def plain(text: str) -> str:
    return squeeze(Plain(text).text)


async def test_no_disguised_secret_is_stored_or_sent(house: House) -> None:
    house.parts = replace(
        house.parts, settings=house.parts.settings.model_copy(update={"model": Model(url="https://m.example/v1", name="m")})
    )
    client = house.as_("ming")
    cases = disguises()
    for number, (said, _) in enumerate(cases):
        body = {"messages": [{"role": "user", "content": said}], "stop": [said], "note": {"x": said}}
        await client.post("/v1/chat/completions", json=body, headers={"X-Laoma-Conversation": f"c{number}"})
    await client.post("/v1/turns", json={"messages": [{"role": "user", "content": said} for said, _ in cases], "wait": True})
    stored = [plain(line) for line in (await client.get("/v1/export")).text.splitlines()]
    sent = [plain(json.dumps(body, ensure_ascii=False)) for body in house.model.bodies]
    for said, secret in cases:
        assert not any(plain(secret) in text for text in stored), said
        assert not any(plain(secret) in text for text in sent), said
