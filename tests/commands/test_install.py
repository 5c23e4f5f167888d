"""What `make up` says while it installs, and how the checkout is put on the path."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/asked"
echo "WARNING: Location '/x' is ignored: no such folder" >&2
"""


@pytest.mark.parametrize(("kind", "steps"), [("cpu", ["1/4", "2/4", "3/4", "4/4"]), ("gpu", ["1/2", "2/2"])])
def test_each_step_of_the_installation_is_named_and_nothing_else_is_said(tmp_path: Path, kind: str, steps: list[str]) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "install", tmp_path / ".ci")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(PYTHON)
    python.chmod(0o700)
    done = subprocess.run(["bash", ".ci/install", kind], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [line.split()[1] for line in done.stdout.splitlines()] == [*steps, "installed"]
    assert done.stderr == ""
    asked = (python.parent / "asked").read_text()
    assert f"-e .[{kind}]" in asked
    assert "editable_mode" not in asked


def test_an_editable_install_is_one_plain_path_without_a_warning(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for name in ("pyproject.toml", "README.md", "laoma.py"):
        shutil.copy(ROOT / name, checkout)
    for room in ("schemas", "memory", "evolution", "lake", "serve", "eval", "jobs", "commands"):
        (checkout / room).mkdir()
        (checkout / room / "__init__.py").touch()
    build = "import setuptools.build_meta as b; b.build_editable('out')"
    done = subprocess.run([sys.executable, "-c", build], cwd=checkout, capture_output=True, text=True, check=True)
    assert "transitional" not in done.stdout + done.stderr
    (wheel,) = (checkout / "out").glob("*.whl")
    with zipfile.ZipFile(wheel) as made:
        modules = [name for name in made.namelist() if ".dist-info/" not in name]
        assert [name.endswith(".pth") for name in modules] == [True]
        assert Path(made.read(modules[0]).decode().strip()) == checkout
