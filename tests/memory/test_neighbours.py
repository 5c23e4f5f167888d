"""Neighbours stay right through puts and drops in any order, and neither costs more in a long conversation."""

from __future__ import annotations

import random

import numpy as np
import pytest

from memory.neighbours import NOBODY, REACH, Neighbours
from memory.rows import Rows

Said = dict[str, tuple[str, float]]


def expected(rows: Rows, said: Said) -> list[list[int]]:
    cells = []
    for key in rows.ids:
        talk = sorted((at, other) for other, (conversation, at) in said.items() if conversation == said[key][0])
        place = talk.index((said[key][1], key))
        around = [place - 2, place - 1, place + 1, place + 2]
        cells.append([rows.row(talk[one][1]) if 0 <= one < len(talk) else NOBODY for one in around])
    return cells  # type: ignore[return-value]


def put(rows: Rows, neighbours: Neighbours, said: Said, key: str, conversation: str, at: float) -> None:
    row, _ = rows.put(key)
    neighbours.put(row, key, conversation, at)
    said[key] = (conversation, at)


def drop(rows: Rows, neighbours: Neighbours, said: Said, key: str) -> None:
    moved = rows.drop(key)
    assert moved is not None
    neighbours.drop(*moved, key, *said.pop(key))


@pytest.mark.parametrize("seed", range(5))
def test_puts_and_drops_in_any_order_leave_everybody_beside_the_right_ones(seed: int) -> None:
    chance, rows, said = random.Random(seed), Rows(), {}
    neighbours = Neighbours(rows)
    matrix = np.random.default_rng(seed).normal(size=(400, 4)).astype(np.float32)
    for number in range(300):
        if said and chance.random() < 0.4:
            drop(rows, neighbours, said, chance.choice(sorted(said)))
        else:
            put(rows, neighbours, said, f"t{number}", f"c{chance.randrange(3)}", float(chance.randrange(50)))
        if number % 10 == 0:
            assert neighbours.table.tolist() == expected(rows, said)
            held = matrix[: len(rows)]
            mixed = np.stack(
                [held[row] + 0.2 * sum(held[one] for one in around if one != NOBODY) for row, around in enumerate(neighbours.table)]
            )
            fresh = Neighbours(rows)
            for key, (conversation, at) in sorted(said.items(), key=lambda one: one[1][1]):
                fresh.put(rows.row(key), key, conversation, at)  # type: ignore[arg-type]
            neighbours._stale.update(range(len(rows)))
            np.testing.assert_allclose(neighbours.mixed_norms(held, 0.2), np.linalg.norm(mixed, axis=1), rtol=1e-4)


def test_to_forget_a_long_conversation_looks_at_a_few_rows_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, said = Rows(), {}
    neighbours = Neighbours(rows)
    for number in range(2000):
        put(rows, neighbours, said, f"t{number}", f"c{number % 2}", float(number))
    looked = 0
    row = Rows.row

    def counted(self: Rows, key: str) -> int | None:
        nonlocal looked
        looked += 1
        return row(self, key)

    monkeypatch.setattr(Rows, "row", counted)
    for number in range(0, 2000, 2):
        drop(rows, neighbours, said, f"t{number}")
    put(rows, neighbours, said, "late", "c1", 1000.5)
    assert looked <= 1001 * (4 * REACH + 1)
    monkeypatch.undo()
    assert neighbours.table.tolist() == expected(rows, said)
