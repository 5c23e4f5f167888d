"""All suites by name, and a plain way to run them:

python -m eval.suites facts locomo memorybank_cn --data FOLDER [--cache FOLDER] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from eval.cached_embedder import bundled
from eval.conflicts import ConflictsSuite
from eval.extraction import ExtractionSuite
from eval.facts import FactsSuite
from eval.feedback import FeedbackSuite
from eval.memorybank import MemoryBankSuite
from eval.privacy import PrivacySuite
from eval.revisions import RevisionsSuite
from eval.scenarios import ScenariosSuite
from eval.suite import Suite
from eval.topics import TopicsSuite
from eval.turn_finding import DialogueSuite
from schemas.settings import Settings

_ALL: tuple[Suite, ...] = (
    FactsSuite(),
    DialogueSuite("locomo", "locomo10.json"),
    DialogueSuite("realtalk", "realtalk", holds="Chat_*.json"),
    MemoryBankSuite(),
    ExtractionSuite(),
    ConflictsSuite(),
    FeedbackSuite(),
    RevisionsSuite(),
    TopicsSuite(),
    PrivacySuite(),
    ScenariosSuite(),
)
SUITES: dict[str, Suite] = {suite.name: suite for suite in _ALL}


def main() -> None:
    """The command: prints each suite's measures, writes the whole outcome with ``--json``."""
    options = argparse.ArgumentParser(description="Measures recall and turn search.")
    options.add_argument("suite", nargs="+", choices=sorted(SUITES))
    options.add_argument("--data", type=Path, default=Path("../shared/data"))
    options.add_argument("--cache", type=Path, help="folder of cached embeddings; default: a temporary one")
    options.add_argument("--json", type=Path, help="write the whole outcome here")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as spare:
        embedder = bundled(asked.cache or Path(spare))
        results = [SUITES[name].run(asked.data, embedder, Settings()).rounded() for name in asked.suite]
    for result in results:
        print(f"{result.suite} (n={result.n}): " + ", ".join(f"{name} {value:.3f}" for name, value in result.metrics.items()))
    if asked.json:
        asked.json.write_text(json.dumps([result.model_dump() for result in results], ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
