"""key add, list, revoke."""

from __future__ import annotations

import json
import stat
import unicodedata
from pathlib import Path

from serve.keys import KeyRing
from tests.commands.conftest import Laoma


def test_a_key_is_shown_once_and_opens_its_user(laoma: Laoma, home: Path) -> None:
    done = laoma("key", "add", "alice", "--label", "phone")
    found = KeyRing(home / "keys.json").find(done.out.strip())
    assert found is not None
    assert (found.user, found.roles, found.label) == ("alice", ["user"], "phone")
    assert done.out.strip() not in (home / "keys.json").read_text()
    assert stat.S_IMODE((home / "keys.json").stat().st_mode) == 0o600


def test_list_shows_roles_and_never_a_key_or_its_hash(laoma: Laoma) -> None:
    made = json.loads(laoma("key", "add", "agent", "--delegate", "--json").out)
    done = laoma("key", "list", "--json")
    assert [(row["id"], row["user"], row["roles"]) for row in json.loads(done.out)] == [(made["id"], "agent", ["user", "delegate"])]
    assert made["key"] not in done.out
    assert "digest" not in done.out
    assert "agent" in laoma("key", "list").out


def test_a_revoked_key_opens_nothing(laoma: Laoma, home: Path) -> None:
    made = json.loads(laoma("key", "add", "alice", "--json").out)
    assert laoma("key", "revoke", made["id"]).code == 0
    assert KeyRing(home / "keys.json").find(made["key"]) is None


def test_an_unknown_id_is_a_failure(laoma: Laoma) -> None:
    done = laoma("key", "revoke", "nope")
    assert done.code == 1
    assert "laoma key list" in done.err


def test_two_spellings_of_a_name_are_one_user(laoma: Laoma, home: Path) -> None:
    names = [unicodedata.normalize(form, "Zoë 小明") for form in ("NFC", "NFD")]
    keys = [laoma("key", "add", name).out.strip() for name in names]
    assert names[0] != names[1]
    assert {found.user for key in keys if (found := KeyRing(home / "keys.json").find(key))} == {names[0]}


def test_a_secret_in_a_label_is_not_kept(laoma: Laoma, home: Path) -> None:
    assert laoma("key", "add", "alice", "--label", "phone 13800138000").code == 0
    assert "13800138000" not in (home / "keys.json").read_text()


def test_a_second_key_for_the_same_user_says_that_the_first_stays_valid(laoma: Laoma) -> None:
    first = json.loads(laoma("key", "add", "alice", "--json").out)["id"]
    done = laoma("key", "add", "alice")
    assert f"alice has other keys, which stay valid and open the same memory: {first}." in done.err
    assert "other keys" not in laoma("key", "add", "carol").err
    laoma("key", "revoke", first)
    assert first not in laoma("key", "add", "alice").err
