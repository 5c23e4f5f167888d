"""key: who may speak to this box, and as whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from commands.output import print_json, print_line, print_note, print_table, say
from commands.place import here
from schemas.errors import InvalidRequest, Misuse

if TYPE_CHECKING:
    from serve.keys import Key, KeyRing, Role

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

key_app = typer.Typer(help="API keys · 管理密钥\n\nExample: laoma key add alice --label phone", no_args_is_help=True)


@key_app.command("add")
def add(
    user: Annotated[str, typer.Argument(help="Whose memory the key opens.")],
    admin: Annotated[bool, typer.Option("--admin", help="May submit jobs and see the box's state.")] = False,
    delegate: Annotated[bool, typer.Option("--delegate", help="May speak for end users of its own (X-Laoma-User).")] = False,
    label: Annotated[str, typer.Option(help="A note for the list, e.g. the device.")] = "",
    as_json: AsJson = False,
) -> None:
    """Make a key, shown once · 新建密钥（只显示一次）

    Only its hash is kept.

    \b
    Examples:
      laoma key add alice --label phone
      laoma key add my-agent --delegate
    """
    for word in (user, label):
        word.encode()  # over HTTP halves of characters are mended; here they mean a wrong encoding
    ring = _ring()
    roles: list[Role] = ["user"]
    if admin:
        roles.append("admin")
    if delegate:
        roles.append("delegate")
    try:
        key = ring.create(user, roles, label=label)
    except InvalidRequest as error:
        raise Misuse(error.message) from None
    made = ring.entries()[-1]
    if as_json:
        print_json({"id": made.id, "user": made.user, "roles": made.roles, "key": key})
    else:
        print_line(key)
        print_note(say(f"Shown once. Id {made.id}, user {made.user}.", f"只显示这一次。编号 {made.id}，用户 {made.user}。"))
        _note_others(ring, made)


@key_app.command("list")
def list_keys(as_json: AsJson = False) -> None:
    """Keys with their users and roles · 列出密钥

    \b
    Example:
      laoma key list
    """
    entries = _ring().entries()
    if as_json:
        print_json([entry.model_dump(mode="json", exclude={"digest"}) for entry in entries])
        return
    print_table(
        ("id", "user", "roles", "label", "made", "revoked"),
        [
            (e.id, e.user, " ".join(e.roles), e.label, f"{e.created_at:%Y-%m-%d}", f"{e.revoked_at:%Y-%m-%d}" if e.revoked_at else "")
            for e in entries
        ],
    )


@key_app.command("revoke")
def revoke(id: Annotated[str, typer.Argument(help="The key's id, from `laoma key list`.")], as_json: AsJson = False) -> None:
    """Revoke a key · 吊销密钥

    It opens nothing any more; what its user stored stays.

    \b
    Example:
      laoma key revoke 1f2e3d4c
    """
    _ring().revoke(id)
    if as_json:
        print_json({"revoked": id})
    else:
        print_line(say(f"Revoked {id}.", f"已吊销 {id}。"))


def _note_others(ring: KeyRing, made: Key) -> None:
    others = [key.id for key in ring.entries() if key.user == made.user and key.id != made.id and key.revoked_at is None]
    if others:
        ids = ", ".join(others)
        print_note(
            say(
                f"{made.user} has other keys, which stay valid and open the same memory: {ids}. `laoma key revoke ID` ends one.",
                f"{made.user} 还有其他有效的密钥，打开的是同一份记忆：{ids}。`laoma key revoke ID` 可吊销。",
            )
        )


def _ring() -> KeyRing:
    from serve.keys import KeyRing

    return KeyRing(here().home / "keys.json")
