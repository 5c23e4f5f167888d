"""up, down: start and stop laoma on this machine."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.output import print_json, print_line, print_note, say, waiting
from commands.place import Place, here
from schemas.errors import LaomaError

if TYPE_CHECKING:
    from schemas.status import ModelState

POCKET_ONLY_PROVES = (
    " It only proves that everything is connected: what it says means little. A real one: `laoma model use --help`.",
    "它只证明整条路是通的，说的话没有多少意义。选真正的模型：`laoma model use --help`。",
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def up(as_json: AsJson = False) -> None:
    """Start, or find it running · 启动

    Returns when memory answers; the chat model goes on loading. The owner's key is shown once, at the first start.

    \b
    Example:
      laoma up
    """
    from commands.config_file import ensure_config
    from commands.running import start
    from serve.keys import ensure_owner

    place = here()
    settings = place.settings()
    ensure_config(place.home / "config.yaml")
    new_key = ensure_owner(place.home)
    try:
        with waiting(say("starting", "正在启动")) as words:
            readiness = start(place, settings, lambda reason: words(reason or say("starting", "正在启动")))
    except LaomaError:
        if new_key:
            print_note(_key_lines(new_key, place))
        raise
    model = readiness.model
    if as_json:
        told = {"url": place.local_url, "panel": _panel_link(place), "key_file": str(place.key_file), "new_key": new_key}
        print_json(told | {"model": model.model_dump()})
    else:
        _greet(place, new_key, model)


def down(as_json: AsJson = False) -> None:
    """Stop · 停止

    Only what `laoma up` started. Nothing that was acknowledged is lost.

    \b
    Example:
      laoma down
    """
    from serve import cluster

    place = here()
    with waiting(say("stopping", "正在停止")):
        running = cluster.stop(place.home)
    if as_json:
        print_json({"stopped": running})
    else:
        print_line(say("laoma is stopped.", "老马已停止。") if running else say("laoma did not run.", "老马没有在运行。"))


def _greet(place: Place, new_key: str | None, model: ModelState) -> None:
    url, key_file = place.local_url, _short(place.key_file)
    print_line(say(f"laoma is up: {url}", f"老马已启动：{url}"))
    if link := _panel_link(place):
        print_line(say(f"  panel: {link}", f"  面板：{link}"))
        print_line(
            say("    (signs in once, within ten minutes; `laoma panel` prints another)", "    （十分钟内登录一次；`laoma panel` 可再生成）")
        )
    print_line(say(f"  OpenAI-compatible clients: base URL {url}/v1, model laoma", f"  兼容 OpenAI 的客户端：地址 {url}/v1，模型 laoma"))
    print_line(say(f"  all routes: {url}/docs", f"  全部接口：{url}/docs"))
    print_line(_key_lines(new_key, place) if new_key else say(f"Your key lies in {key_file}", f"你的密钥在 {key_file}"))
    print_line(say("Try:", "试一试："))
    print_line(f"  {working_curl(url, key_file)}")
    if path_line := _path_line():
        print_line(f"  {path_line}")
    print_line('  laoma remember "我早上只喝无糖豆浆" && laoma recall "我早上喝什么？"')
    print_line(model_line(model, place.home))


def _panel_link(place: Place) -> str | None:
    """A link that signs in as the owner; None where the key can't make one (revoked, or another's)."""
    from commands.client import Service

    try:
        return str(Service(place.local_url, place.key()).post("/v1/panel/links", {})["url"])
    except LaomaError:
        return None


def _key_lines(new_key: str, place: Place) -> str:
    file = _short(place.key_file)
    return say(
        f"Your key (shown this once): {new_key}\n  for the commands it lies in {file}",
        f"你的密钥（只显示这一次）：{new_key}\n  命令行用的副本在 {file}",
    )


def working_curl(url: str, key_file: str) -> str:
    """A request that a shell runs as it stands, answered by memory alone: it works while the model loads."""
    body = '{"query": "我早上喝什么？"}'
    return f"curl -s {url}/v1/recall -H \"Authorization: Bearer $(cat {key_file})\" -H 'Content-Type: application/json' -d '{body}'"


def model_line(model: ModelState, home: Path) -> str:
    """The model's state in one line, with what to do and which log to read."""
    from serve.model_state import log_of

    detail = f" ({model.detail})" if model.detail else ""
    log = _short(log_of(home))
    match model.state:
        case "ready":
            ready = say(f"Model: {model.name} is ready.", f"模型：{model.name} 已就绪。")
            return ready + (say(*POCKET_ONLY_PROVES) if model.name == "pocket" else "")
        case "loading":
            return say(
                f"Model: {model.name} is loading{detail}; chat answers when it is ready: `laoma status`. Log: {log}",
                f"模型：{model.name} 正在加载{detail}；就绪后即可聊天：`laoma status`。日志：{log}",
            )
        case "failed":
            return say(
                f"Model: {model.name} failed{detail}. Memory works; choose another: `laoma model use --help`. Log: {log}",
                f"模型：{model.name} 失败{detail}。记忆可用；另选模型：`laoma model use --help`。日志：{log}",
            )
        case "disabled":
            return say("Model: none, memory only. `laoma model use --help`", "模型：无，只有记忆。`laoma model use --help`")


def _path_line() -> str | None:
    """What to tell the shell so that it finds ``laoma``; None where it does already, or where nothing is installed."""
    folder = Path(sys.executable).parent
    found = shutil.which("laoma")
    if not (folder / "laoma").exists() or (found is not None and Path(found).parent.samefile(folder)):
        return None
    return f'export PATH={shlex.quote(str(folder))}:"$PATH"'


def _short(path: Path) -> str:
    """The path for a shell, with ``~`` where it is plain to do so."""
    try:
        rest = path.relative_to(Path.home())
    except ValueError:
        return shlex.quote(str(path))
    return f"~/{rest}" if shlex.quote(str(rest)) == str(rest) else shlex.quote(str(path))
