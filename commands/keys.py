"""key: who may speak to this box, and as whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, get_args

import typer

from commands.output import print_json, print_line, print_note, print_table, say
from commands.place import here

if TYPE_CHECKING:
    from serve.keys import KeyRing, Role

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

key_app = typer.Typer(help="API keys · 管理密钥\n\nExample: laoma key add alice --label phone", no_args_is_help=True)


@key_app.command("add")
def add(
    user: Annotated[str, typer.Argument(help="Whose memory the key opens.")],
    role: Annotated[
        list[str] | None,
        typer.Option(help="user; admin: jobs, keys, policy; delegate: names its own end users. May be given several times."),
    ] = None,
    label: Annotated[str, typer.Option(help="A note for the list, e.g. the device.")] = "",
    as_json: AsJson = False,
) -> None:
    """Make a key, shown once · 新建密钥（只显示一次）

    Only its hash is kept.

    \b
    Examples:
      laoma key add alice --label phone
      laoma key add my-agent --role user --role delegate
    """
    ring = _ring()
    key = ring.create(user, _roles(role or ["user"]), label=label)
    made = ring.entries()[-1]
    if as_json:
        print_json({"id": made.id, "user": made.user, "roles": made.roles, "key": key})
    else:
        print_line(key)
        print_note(say(f"Shown once. Id {made.id}, user {made.user}.", f"只显示这一次。编号 {made.id}，用户 {made.user}。"))


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


def _roles(names: list[str]) -> list[Role]:
    from serve.keys import Role

    known: tuple[Role, ...] = get_args(Role)
    if wrong := [name for name in names if name not in known]:
        raise typer.BadParameter(f"{wrong[0]!r} is no role; there are {', '.join(known)}")
    return [role for role in known if role in names]


def _ring() -> KeyRing:
    from serve.keys import KeyRing

    return KeyRing(here().home / "keys.json")
