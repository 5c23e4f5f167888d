"""Formats are known by their content, read in order, and nothing of a file that breaks off stays behind."""

import json
import os
import zipfile
from pathlib import Path

import pytest

from jobs.imports import source
from jobs.imports.document import examine
from jobs.imports.readers import READERS, recognise
from jobs.imports.source import FileSource
from schemas.errors import InvalidRequest, Misuse
from tests.jobs.imports.samples import SAMPLES, Sample, chatgpt, claude, wechat
from tests.jobs.imports.staged import read

BY_FORMAT = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.format)


def written(folder: Path, sample: Sample, name: str | None = None, encoding: str = "utf-8") -> Path:
    path = folder / (name or sample.name)
    path.write_bytes(sample.content.encode(encoding))
    return path


@BY_FORMAT
def test_each_format_gives_what_was_said(sample: Sample, tmp_path: Path):
    got, _ = read(tmp_path, written(tmp_path, sample), me=sample.me)
    assert [(row["role"], row["content"], row["ts"]) for row in got] == sample.said


@BY_FORMAT
def test_a_format_is_known_by_its_content_and_by_nothing_else(sample: Sample, tmp_path: Path):
    document = examine(FileSource(written(tmp_path, sample, "some file"), "some file"))
    assert [one.name for one in READERS if recognise(document, one.name).reader] == [sample.format]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_other_encodings_are_read_as_what_they_are(encoding: str, tmp_path: Path):
    got, _ = read(tmp_path, written(tmp_path, wechat(), encoding=encoding), me="小林")
    assert [row["content"] for row in got] == ["周末去哪？", "我不吃虾。"]


def test_a_chat_among_people_asks_who_its_owner_is(tmp_path: Path):
    path = written(tmp_path, wechat())
    with pytest.raises(InvalidRequest, match=r"--me NAME.*(小林.*老吴|老吴.*小林)"):
        read(tmp_path, path)
    with pytest.raises(InvalidRequest, match="nobody in it is called"):
        read(tmp_path, path, me="小王")


def test_a_file_that_breaks_off_leaves_nothing_behind(tmp_path: Path):
    good = written(tmp_path, claude(), "a.json")
    broken = tmp_path / "b.json"
    broken.write_text(chatgpt().content[:-40], encoding="utf-8")
    with pytest.raises(InvalidRequest, match=r"b\.json: the file is cut short at byte \d+"):
        read(tmp_path, good, broken)
    assert [row["content"] for row in read(tmp_path, good)[0]] == ["我养了两只兔子", "它们多大了？"]


def test_damage_in_the_middle_of_a_file_is_told_by_its_place(tmp_path: Path):
    path = tmp_path / "x.json"
    path.write_bytes(("[" + '{"mapping": {}, "title": "很多中文字，足以认出编码"},' * 3).encode() + b'{"title": "\xff"}]')
    with pytest.raises(InvalidRequest, match=r"x\.json: byte \d+ is no UTF-8"):
        read(tmp_path, path)


def test_bad_lines_refuse_a_file_unless_they_may_be_passed_over(tmp_path: Path):
    path = tmp_path / "l.jsonl"
    lines = [json.dumps({"messages": [{"role": "user", "content": f"line {number}"}]}) for number in (1, 2, 3)]
    path.write_text("\n".join([lines[0], lines[1][:-3], lines[2]]), encoding="utf-8")
    with pytest.raises(InvalidRequest, match=r"l\.jsonl: line 2"):
        read(tmp_path, path)
    got, problems = read(tmp_path, path, skip_bad=True)
    assert [row["content"] for row in got] == ["line 1", "line 3"]
    assert [one.where for one in problems] == ["l.jsonl: line 2"]


def test_folders_and_archives_are_searched_and_what_is_no_export_is_passed_over(tmp_path: Path):
    folder = tmp_path / "exports"
    folder.mkdir()
    written(folder, claude())
    (folder / "user.json").write_text('{"name": "x"}', encoding="utf-8")
    with zipfile.ZipFile(folder / "more.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("deep/conversations-000.json", chatgpt().content)
        archive.writestr("chat.html", "<html>")
    got, problems = read(tmp_path, folder)
    assert {row["conversation_id"] for row in got} == {"rabbits", "bread"}
    assert problems == []


def test_of_two_copies_of_a_conversation_the_newer_is_taken_whatever_their_order(tmp_path: Path):
    older = json.loads(chatgpt().content)
    newer = json.loads(chatgpt().content)
    newer[0]["update_time"] += 5
    newer[0]["mapping"]["last"]["message"]["content"]["parts"] = ["newer"]
    for number, order in enumerate([[older, newer], [newer, older]]):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, export in zip("ab", order, strict=True):
            (folder / f"{name}.json").write_text(json.dumps(export), encoding="utf-8")
        got, _ = read(tmp_path / f"s{number}", folder)
        assert [row["content"] for row in got][-1] == "newer"
        assert len(got) == 3


def test_members_that_lead_outside_an_archive_are_neither_read_nor_written(tmp_path: Path):
    path = tmp_path / "x.zip"
    link = zipfile.ZipInfo("conversations-000.json")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../outside.json", "[]")
        archive.writestr(link, "/etc/hostname")
        archive.writestr("conversations.json", claude().content)
    got, problems = read(tmp_path / "s", path)
    assert len(got) == 2
    assert [one.where for one in problems] == ["x.zip: ../../outside.json", "x.zip: conversations-000.json"]
    assert sorted(os.listdir(tmp_path)) == ["s", "x.zip"]


def test_an_archive_that_unpacks_to_far_more_than_it_is_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(source, "SMALL", 1000)
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", "[" + " " * 3_000_000 + "]")
    with pytest.raises(InvalidRequest, match="over 200 times"):
        read(tmp_path / "s", path)


def test_a_backup_of_a_later_version_says_so(tmp_path: Path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"version": 6, "localStorage": {}, "indexedDB": {}}), encoding="utf-8")
    with pytest.raises(InvalidRequest, match="unsupported backup version 6"):
        read(tmp_path, path)


def test_a_long_string_costs_no_square_of_its_length(tmp_path: Path):
    path = tmp_path / "long.json"
    export = json.loads(claude().content)
    export[0]["chat_messages"][0]["text"] = "长" * 3_000_000
    path.write_text(json.dumps(export, ensure_ascii=False), encoding="utf-8")
    got, _ = read(tmp_path / "s", path)
    assert len(str(got[0]["content"])) == 3_000_000


def test_an_unknown_format_is_a_misuse(tmp_path: Path):
    with pytest.raises(Misuse, match="no format 'x'"):
        read(tmp_path, written(tmp_path, claude()), format="x")
