"""config.yaml keeps its owner's words when a command changes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands.config_file import STARTER, ensure_config, set_section
from schemas.errors import SettingsError
from schemas.settings import Settings, load_settings, parse_settings

OWN = """\
# 我的设置
zone: "Europe/Berlin"   # we moved

http:
  port: 9000  # 8317 was taken
model:
  # the old one
  name: old
  kv_cache_gb: 2.5
window: {exchanges: 10}
"""


def test_other_sections_and_comments_stay_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(OWN)
    set_section(path, "model", {"name": "new", "url": "http://x/v1", "source": None})
    assert path.read_text() == OWN.replace("name: old", "name: new").replace("2.5\n", "2.5\n  url: http://x/v1\n")


def test_a_file_of_comments_alone_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("# nothing yet\n")
    set_section(path, "model", {"name": "m"})
    assert path.read_text() == "# nothing yet\n\nmodel:\n  name: m\n"


def test_an_emptied_section_goes(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    set_section(path, "model", {"name": "m"})
    set_section(path, "model", {"name": None})
    assert load_settings(tmp_path) == Settings()


def test_what_would_not_be_understood_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(OWN)
    with pytest.raises(SettingsError, match="nme"):
        set_section(path, "model", {"nme": "x"})
    assert path.read_text() == OWN


@pytest.mark.parametrize("text", ["a: [", "- a\n- b\n", "model: 5\n"])
def test_a_broken_file_is_refused_and_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(SettingsError):
        set_section(path, "model", {"name": "m"})
    assert path.read_text() == text


def test_the_starter_says_the_defaults_and_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "home" / "config.yaml"
    assert ensure_config(path)
    assert parse_settings(STARTER) == Settings()
    path.write_text(OWN)
    assert not ensure_config(path)
    assert path.read_text() == OWN
