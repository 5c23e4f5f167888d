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


FAULTS = [
    ("zone: Asia/Shanghai\nhttp: [\n", "config.yaml, line 3: this is no valid YAML: "),
    ("http:\n\tport: 1\n", "config.yaml, line 2: this is no valid YAML: found character '\\t' that cannot start any token"),
    ("htp: {port: 1}\n", "config.yaml: `htp`: there is no such setting; did you mean `http`?"),
    ("http: {prt: 1}\n", "config.yaml: `http.prt`: there is no such setting; did you mean `port`?"),
    (
        "recall: {kind_weights: {profil: 1}}\n",
        "config.yaml: `recall.kind_weights.profil`: there is no such setting; did you mean `profile`?",
    ),
    ("http: {xyzzy: 1}\n", "config.yaml: `http.xyzzy`: there is no such setting; there are host, port"),
    ("zone: Mars\n", "config.yaml: `zone`: 'Mars' is no IANA time zone, e.g. Asia/Shanghai"),
    ("model: {url: 'http://'}\n", "config.yaml: `model.url`: 'http://' names no host"),
]


@pytest.mark.parametrize(("text", "message"), FAULTS, ids=[str(number) for number in range(len(FAULTS))])
def test_a_fault_says_where_it_is_and_what_is_meant(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as read:
        parse_settings(text)
    assert read.value.message.startswith(message)
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(SettingsError) as changed:
        set_section(tmp_path / "config.yaml", "model", {"name": "x"})
    assert changed.value.message.startswith(message[:30])
    assert (tmp_path / "config.yaml").read_text() == text
