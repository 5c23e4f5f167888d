"""model: which chat model answers, and whether it is good enough to learn with."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.output import print_json, print_line, print_note, say, waiting
from commands.place import Place, here
from schemas.errors import LaomaError, Misuse, Unauthorized

if TYPE_CHECKING:
    from commands.probe import Verdict

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
POCKET, NONE = "pocket", "none"
SMALL_BILLIONS = 3.0
"""Below this many parameters (in their name) a model is warned about: such models jumble memories."""
HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
PARAMETERS = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s*([bm])(?![a-z])", re.IGNORECASE)

model_app = typer.Typer(help="The chat model · 聊天模型\n\nExample: laoma model use Qwen/Qwen3-8B", no_args_is_help=True)


@model_app.command("use")
def use(
    source: Annotated[str, typer.Argument(metavar="URL|HUB-ID|FOLDER", help="Also `pocket` (the bundled one) and `none` (memory only).")],
    name: Annotated[str | None, typer.Option(help="The model's name at the URL.")] = None,
    key_env: Annotated[str | None, typer.Option(help="Environment variable that holds the URL's key.")] = None,
    check: Annotated[bool, typer.Option("--probe/--no-probe", help="Ask an URL's model two questions first.")] = True,
    as_json: AsJson = False,
) -> None:
    """Choose the model · 选择模型

    An OpenAI-compatible URL, a hub id or a folder. The rest of config.yaml stays as it is.

    \b
    Examples:
      laoma model use http://127.0.0.1:11434/v1 --name qwen3:8b
      laoma model use https://api.example.com/v1 --name some-model --key-env SOME_KEY
      laoma model use Qwen/Qwen3-8B
    """
    from commands.config_file import set_section

    place, source = here(), source.strip()
    verdict: Verdict | None = None
    if source.startswith(("http://", "https://")):
        values, verdict = _from_url(place, source.rstrip("/"), name, key_env, check)
    else:
        values = _from_weights(source, name)
    learns = True if verdict is not None and verdict.capable else None
    chosen = {"source": None, "url": None, "key_env": None, "enabled": None, "learns": learns, **values}
    set_section(place.home / "config.yaml", "model", chosen)
    restarted = _restart(place)
    if as_json:
        print_json({"model": {k: v for k, v in values.items() if v is not None}, "probe": _told(verdict), "restarted": restarted})
    else:
        _report(str(values.get("name") or source), verdict, restarted)


@model_app.command("list")
def list_models(as_json: AsJson = False) -> None:
    """The model in use and others at hand · 列出模型

    Others: what the URL offers, or the folders in LAOMA_HOME/models.

    \b
    Example:
      laoma model list
    """
    from commands.client import Service
    from commands.probe import offered

    place = here()
    model = place.settings().model
    chosen = NONE if not model.enabled else model.name
    if model.url:
        with waiting(say("asking the server", "正在询问服务")):
            names = offered(Service(model.url, _key(place, model.key_env)), "/models")
    else:
        folder = place.home / "models"
        names = sorted(entry.name for entry in folder.iterdir() if (entry / "config.json").exists()) if folder.is_dir() else []
    if as_json:
        print_json({"in_use": chosen, "source": model.url or model.source, "at_hand": names})
        return
    for each in dict.fromkeys([chosen, *names]):
        print_line(
            f"{'*' if each == chosen else ' '} {each}"
            + (f"  ({model.url or model.source or say('bundled', '自带')})" if each == chosen else "")
        )


@model_app.command("probe")
def probe_model(as_json: AsJson = False) -> None:
    """Try the model in use · 试一试在用的模型

    Can it follow an instruction and fill a JSON schema? Then it reads turns for memories too, from now on. Exit 1 when it can't.

    \b
    Example:
      laoma model probe
    """
    from commands.client import Service
    from commands.config_file import set_section
    from commands.probe import probe

    place = here()
    service = Service(place.url, place.key(), {"X-Laoma-Memory": "off"})
    with waiting(say("asking the model two questions", "正在试问模型")):
        verdict = probe(service, "/v1/chat/completions", place.settings().model.name)
    set_section(place.home / "config.yaml", "model", {"learns": verdict.capable or None})
    if as_json:
        print_json(_told(verdict))
    else:
        _say_verdict(verdict)
    if not verdict.capable:
        raise typer.Exit(1)


def _from_url(
    place: Place, url: str, name: str | None, key_env: str | None, check: bool
) -> tuple[Mapping[str, object | None], Verdict | None]:
    from commands.client import Service
    from commands.probe import offered, probe

    service = Service(url, _key(place, key_env))
    if name is None:
        names = offered(service, "/models")
        if len(names) != 1:
            raise LaomaError(f"say which model with --name; {url} offers: {', '.join(names[:20]) or 'none'}")
        name = names[0]
    verdict = None
    if check:
        with waiting(say(f"asking {name} two questions", f"正在试问 {name}")):
            verdict = probe(service, "/chat/completions", name)
    return {"url": url, "name": name, "key_env": key_env}, verdict


def _from_weights(source: str, name: str | None) -> Mapping[str, object | None]:
    if source == POCKET:
        return {"name": None}
    if source == NONE:
        return {"name": None, "enabled": False}
    if not source:
        raise Misuse("say which model: an URL, a folder, a hub id such as Qwen/Qwen3-8B, `pocket` or `none`")
    folder = Path(source).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").exists():
            raise Misuse(f"{folder} holds no config.json: it must be a model in the form that transformers reads")
        return {"source": str(folder.absolute()), "name": name or folder.absolute().name}
    if not HUB_ID.fullmatch(source):
        raise Misuse(f"{source!r} is no URL, no folder and no hub id such as Qwen/Qwen3-8B")
    return {"source": source, "name": name or source.rpartition("/")[2]}


def _key(place: Place, key_env: str | None) -> str | None:
    if key_env is None:
        return None
    key = place.environment.get(key_env)
    if not key:
        raise Unauthorized(f"the variable {key_env} is not set: export it here and where `laoma up` is run")
    return key


def _restart(place: Place) -> bool:
    """Has the running cluster take the new model; False when nothing runs."""
    from commands.running import restart

    with waiting(say("restarting", "正在重启")) as words:
        return restart(place, words)


def _report(name: str, verdict: Verdict | None, restarted: bool) -> None:
    print_line(say(f"Model: {name}.", f"模型：{name}。"))
    if verdict:
        _say_verdict(verdict)
    elif small(name):
        print_note(
            say(
                "This is a small model: it may jumble memories. `laoma model probe` tries it once it is loaded.",
                "这是小模型，可能记乱。加载后可用 `laoma model probe` 试一试。",
            )
        )
    elif name not in (POCKET, NONE):
        print_note(
            say(
                "Memories are read by rules alone until `laoma model probe` has tried it.",
                "在 `laoma model probe` 试过它之前，只用规则提取记忆。",
            )
        )
    if not restarted:
        print_note(say("laoma does not run now: `laoma up` starts with this model.", "现在没有运行：`laoma up` 会用这个模型启动。"))
    else:
        print_note(say("It loads now; `laoma status` says when it is ready.", "正在加载；`laoma status` 可看是否就绪。"))


def _say_verdict(verdict: Verdict) -> None:
    marks = {True: say("yes", "能"), False: say("no", "不能")}
    print_line(
        say("follows instructions: ", "遵从指令：")
        + marks[verdict.instructions]
        + say(", fills JSON: ", "，填写 JSON：")
        + marks[verdict.json]
    )
    if verdict.capable:
        print_note(say("It reads what you say for memories too, after the rules.", "规则之后，它也会从对话里提取记忆。"))
    else:
        print_note(
            say("Not good enough to learn with: memories are extracted by rules alone.", "还不足以用来学习：只用规则提取记忆。")
            + (f" ({verdict.detail})" if verdict.detail else "")
        )


def _told(verdict: Verdict | None) -> dict[str, object] | None:
    return None if verdict is None else {"instructions": verdict.instructions, "json": verdict.json, "detail": verdict.detail}


def small(name: str) -> bool:
    """Whether the name itself says that the model has few parameters (``Qwen3-0.6B``); one that says nothing is not small."""
    sizes = [float(number) / (1000 if unit.lower() == "m" else 1) for number, unit in PARAMETERS.findall(os.path.basename(name))]
    return bool(sizes) and max(sizes) < SMALL_BILLIONS
