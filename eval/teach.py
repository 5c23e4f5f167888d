"""Builds the heads of the learning rules from the project's own examples, and says how they do on examples held out.

    python -m eval.teach [NAME…] [--out FOLDER]

The suites of ``laoma eval`` are never looked at.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval import logistic
from evolution import signals, zones
from evolution.constitution import default_text, parse
from memory import related
from memory.extract import general
from memory.heads import Head
from memory.normalise import is_chinese
from memory.ports import Embedder, Floats
from schemas.settings import Settings
from serve.embedders import build

_ROOT = Path(__file__).parents[1]
_FOLDS = 10
_STRANGERS = 1
"""So many statements about something else for each known one."""
_POSITIVE_WEIGHT = 1.5
"""A class is outnumbered by all others together."""
_WRITTEN_TOGETHER = 20
"""Neighbouring examples that are held out at a time: a random split would leave the siblings of each among the taught."""
Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Lesson:
    """What a head is taught: ``texts`` are embedded for the means, ``table`` makes the features, ``labels`` are the classes' names.

    ``block``: so many neighbours in the file were written together and are alike, so they are held out together.
    """

    package: str
    name: str
    classes: tuple[str, ...]
    rows: list[dict[str, Any]]
    text: Callable[[dict[str, Any]], str]
    table: Callable[[Sequence[dict[str, Any]], Embedder, Head], Doubles]
    l2: float
    block: int = 1

    def teach(self, embedder: Embedder) -> tuple[Head, float]:
        """The head, and the share of examples that one taught without them gets right."""
        texts = [self.text(row) for row in self.rows]
        start = Head(self.name, embedder.name, self.classes, np.zeros((0, 0)), script_means(embedder.query(texts), texts))
        table = self.table(self.rows, embedder, start)
        labels = np.array([self.classes.index(row["label"]) for row in self.rows])
        lines = np.arange(len(labels))
        order = np.random.default_rng(0).permutation(-(-len(labels) // self.block))
        right = 0
        for fold in range(_FOLDS):
            held = lines[np.isin(lines // self.block, order[fold::_FOLDS])]
            rest = np.setdiff1d(lines, held)
            head = self._fitted(start, table[rest], labels[rest])
            right += int((head.shares(table[held]).argmax(1) == labels[held]).sum())
        return self._fitted(start, table, labels), right / len(labels)

    def _fitted(self, start: Head, table: Doubles, labels: NDArray[np.int_]) -> Head:
        lines = [
            logistic.fit(table, (labels == k).astype(float), weights=np.where(labels == k, _POSITIVE_WEIGHT, 1.0), l2=self.l2)
            for k in range(len(self.classes))
        ]
        return Head(start.name, start.embedder, start.classes, np.stack(lines), start.means)


def script_means(vectors: Floats, texts: Sequence[str]) -> Doubles:
    """Means of the texts of other scripts and of the Chinese ones; shape (2, dim)."""
    chinese = np.array([is_chinese(text) for text in texts])
    return np.stack([np.asarray(vectors[chinese == one], dtype=np.float64).mean(0) for one in (False, True)])


def examples(folder: str, name: str) -> list[dict[str, Any]]:
    """The project's own labelled examples."""
    return [json.loads(line) for line in (_ROOT / folder / "examples" / f"{name}.jsonl").read_text("utf-8").splitlines() if line.strip()]


def _signals() -> Lesson:
    def table(rows: Sequence[dict[str, Any]], embedder: Embedder, head: Head) -> Doubles:
        return signals.table([signals.Heard(row["before"], row["reply"], row["said"]) for row in rows], embedder, head)

    rows = [row for row in examples("evolution", "signals") if row["reply"]]
    return Lesson("evolution", signals.HEAD, signals.LEARNT, rows, lambda row: str(row["said"]), table, l2=1.5)


def _proposals(name: str, classes: tuple[str, ...], label: Callable[[dict[str, Any]], str]) -> Callable[[], Lesson]:
    def lesson() -> Lesson:
        constitution = parse(default_text())
        rows = [{**row, "label": label(row)} for row in examples("evolution", "revisions")]

        def table(rows: Sequence[dict[str, Any]], embedder: Embedder, head: Head) -> Doubles:
            return zones.table([row["proposal"] for row in rows], constitution, embedder, head)[0]

        return Lesson("evolution", name, classes, rows, lambda row: str(row["proposal"]), table, l2=1.0)

    return lesson


def _statements(name: str, classes: tuple[str, ...]) -> Callable[[], Lesson]:
    def lesson() -> Lesson:
        rows = examples("memory/heads", "statements")
        if name == general.HEAD:
            rows = [row for row in rows if row["label"] in classes]
        else:
            rows = [{**row, "label": classes[row["label"] in general.LASTING]} for row in rows]
            pairs = examples("memory/heads", "pairs")
            rows += [{"text": row["known"], "label": "lasting"} for row in pairs]
            rows += [{"text": row["said"], "label": "passing"} for row in pairs if row["label"] in ("none", "once", "pending")]
            rows = list({row["text"]: row for row in rows}.values())

        def table(rows: Sequence[dict[str, Any]], embedder: Embedder, head: Head) -> Doubles:
            texts = [general.bared(row["text"]) for row in rows]
            return general.table(texts, embedder.query(texts), head)

        return Lesson("memory", name, classes, rows, lambda row: general.bared(row["text"]), table, l2=4, block=_WRITTEN_TOGETHER)

    return lesson


def _pairs() -> Lesson:
    rows = examples("memory/heads", "pairs")
    strangers = np.random.default_rng(1)
    for row in list(rows):  # what was said about something else is another matter
        others = [one for one in rows if one["label"] in ("replace", "merge", "coexist") and one["known"] != row["known"]]
        others = [one for one in others if is_chinese(one["said"]) == is_chinese(row["known"])]
        for place in strangers.choice(len(others), _STRANGERS, replace=False):
            rows.append({"known": row["known"], "said": others[place]["said"], "label": "other"})

    def table(rows: Sequence[dict[str, Any]], embedder: Embedder, head: Head) -> Doubles:
        return related.table([(row["known"], row["said"]) for row in rows], embedder, head)

    return Lesson("memory", related.HEAD, related.RELATIONS, rows, lambda row: str(row["said"]), table, l2=2.0)


LESSONS: dict[str, Callable[[], Lesson]] = {
    signals.HEAD: _signals,
    zones.ZONE_HEAD: _proposals(zones.ZONE_HEAD, zones.ZONES, lambda row: str(row["zone"])),
    related.HEAD: _pairs,
    general.HEAD: _statements(general.HEAD, general.LASTING),
    general.KEEP_HEAD: _statements(general.KEEP_HEAD, general.KEEP),
    zones.RISK_HEAD: _proposals(zones.RISK_HEAD, zones.RISKS, lambda row: zones.RISKS[row["risk"]]),
}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Builds the heads of the learning rules.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"these only: {', '.join(LESSONS)}")
    parser.add_argument("--out", type=Path, default=_ROOT, help="a folder with packages in it; default: the checkout")
    options = parser.parse_args()
    embedder = build(Settings().embedding)
    for name in options.names or LESSONS:
        lesson = LESSONS[name]()
        head, right = lesson.teach(embedder)
        path = options.out / lesson.package / "heads" / f"{name}--{embedder.name.replace('/', '--')}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(head.dump() + "\n", encoding="utf-8")
        print(f"{name}: {len(lesson.rows)} examples, {right:.3f} right when held out, {path.name} {path.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
