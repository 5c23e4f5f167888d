from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.vectors import VectorIndex, best_rows


def vector(seed: int, dim: int = 8) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=dim).astype(np.float32)


def test_search_returns_the_greatest_dot_products_best_first() -> None:
    index = VectorIndex(2)
    index.put_many(["far", "near", "middle"], np.array([[0, 1], [1, 0], [0.6, 0.8]], dtype=np.float32))
    assert [key for key, _ in index.search(np.array([1, 0], dtype=np.float32), 2)] == ["near", "middle"]


def test_equal_scores_keep_the_order_of_rows() -> None:
    assert best_rows(np.array([1.0, 2.0, 2.0, 2.0, 0.0]), 2).tolist() == [1, 2]
    assert best_rows(np.zeros(3), 9).tolist() == [0, 1, 2]


def test_a_vector_of_another_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match="8 dimensions"):
        VectorIndex(8).put("a", vector(1, 7))


def test_memory_is_accounted_with_spare_capacity() -> None:
    index = VectorIndex(8)
    index.put("a", vector(1))
    assert index.nbytes == 64 * 8 * 4


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9), st.integers(0, 99)), max_size=60))
def test_after_any_puts_and_drops_every_id_has_its_own_vector(history: list[tuple[bool, int, int]]) -> None:
    index, held = VectorIndex(8), {}
    for put, key, seed in history:
        if put:
            index.put(str(key), vector(seed))
            held[str(key)] = vector(seed)
        else:
            assert index.drop(str(key)) == (held.pop(str(key), None) is not None)
    assert sorted(index.rows.ids) == sorted(held)
    for key, expected in held.items():
        found = index.get(key)
        assert found is not None
        assert np.array_equal(found, expected)
