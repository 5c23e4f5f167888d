"""chat: talk to the assistant in the terminal; each reply names the memories it used."""

from __future__ import annotations

import sys
import time
import uuid
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import quote

import typer

from commands.chat_stream import ask, used
from commands.output import console, piped, print_json, print_note, say, waiting
from commands.place import here
from schemas.errors import LaomaError, NotFound, Unavailable

if TYPE_CHECKING:
    from commands.chat_stream import Message, Used
    from commands.client import Service

MemoryUse = Literal["on", "read", "off"]
PATIENCE_S = 300.0
"""How long `chat` waits for a model that is still loading."""
HELP = ("/new a new conversation · /forget ID · /quit", "/new 新对话 · /forget ID 忘掉 · /quit 退出")


class Talk:
    """A conversation of this terminal: what was said, and how the next exchange is had."""

    def __init__(self, service: Service, conversation: str | None, memory: MemoryUse, patience_s: float) -> None:
        self.service = service
        self.conversation = conversation or f"cli-{uuid.uuid4().hex[:12]}"
        self.memory = memory
        self.patience_s = patience_s
        self.messages: list[Message] = _said_before(service, conversation) if conversation else []

    def exchange(self, text: str, *, show: bool) -> tuple[str, str | None, list[Used]]:
        """Reply, its turn id and the memories used; ``show``: the text appears as it comes. Ctrl-C keeps what came and stops the rest."""
        self.messages.append({"role": "user", "content": text})
        parts: list[str] = []
        try:
            turn, ids = self._when_ready(parts, show)
        except LaomaError:
            self.messages.pop()
            raise
        reply = "".join(parts)
        if reply:
            self.messages.append({"role": "assistant", "content": reply})
        return reply, turn, used(self.service, ids)

    def close(self) -> None:
        """Ends the conversation and waits until what it taught is stored."""
        if self.memory != "on" or not self.messages:
            return
        with waiting(say("remembering", "正在记")):
            try:
                self.service.post(f"/v1/conversations/{quote(self.conversation, safe='')}/close", {})
            except NotFound:
                return

    def _when_ready(self, parts: list[str], show: bool) -> tuple[str | None, tuple[str, ...]]:
        deadline = time.monotonic() + self.patience_s
        told = False
        while True:
            try:
                return self._once(parts, show)
            except Unavailable as error:
                if error.retry_after is None or parts or time.monotonic() + error.retry_after > deadline or not self._loading():
                    raise
                if not told:  # once: each later try would say the same
                    print_note(_waits(error.message, self.patience_s))
                    told = True
                with waiting(say("waiting for the model", "正在等待模型")):
                    time.sleep(error.retry_after)

    def _loading(self) -> bool:
        """Whether waiting helps: a model that failed or is switched off never gets ready by itself."""
        try:
            return bool(self.service.get("/readyz")["model"]["state"] == "loading")
        except Unavailable as error:
            return error.code != "not_running"

    def _once(self, parts: list[str], show: bool) -> tuple[str | None, tuple[str, ...]]:
        with ask(self.service, self.messages, conversation=self.conversation, memory=self.memory) as reply:
            try:
                for piece in reply.pieces:
                    parts.append(piece)
                    if show:
                        sys.stdout.write(piece)
                        sys.stdout.flush()
            except KeyboardInterrupt:
                print_note(say("\n[stopped]", "\n[已停止]"))
            return reply.turn, reply.recalled


def _waits(message: str, patience_s: float) -> str:
    return say(
        f"{message} Waiting up to {patience_s:.0f} s for it (--wait 0: not at all).",
        f"{message} 最多等待 {patience_s:.0f} 秒（--wait 0：不等）。",
    )


def chat(
    message: Annotated[str | None, typer.Argument(help="Say this and leave; without it a conversation opens.")] = None,
    conversation: Annotated[str | None, typer.Option(help="Go on with this conversation.")] = None,
    memory: Annotated[MemoryUse, typer.Option(help="on; read: recall but store nothing; off: neither.")] = "on",
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait for a model that still loads.")] = PATIENCE_S,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (with a message).")] = False,
) -> None:
    """Talk to it · 和它聊天

    After each reply come the memories that it used. Ctrl-C stops a reply, Ctrl-D leaves.

    \b
    Examples:
      laoma chat
      laoma chat "我早上喝什么？"
    """
    talk = Talk(here().service(), conversation, memory, wait)
    if message is None and not sys.stdin.isatty():
        message = piped().strip()
        if not message:
            raise typer.BadParameter("nothing to say: give a message, or run it on a terminal")
    if message is None and as_json:
        raise typer.BadParameter("--json needs a message")
    if message is None:
        _converse(talk)
        return
    _one(talk, message, as_json)
    if conversation is None:
        talk.close()


def _one(talk: Talk, message: str, as_json: bool) -> None:
    reply, turn, memories = talk.exchange(message, show=not as_json)
    if as_json:
        recalled = [{"id": memory.id, "text": memory.text} for memory in memories]
        print_json({"reply": reply, "turn": turn, "conversation": talk.conversation, "recalled": recalled})
    else:
        sys.stdout.write("\n")
        _show_used(memories)


def _converse(talk: Talk) -> None:
    import readline  # noqa: F401  line editing and arrows for input(); what was said is kept in memory only, never in a history file

    print_note(say(*HELP))
    while (text := _next_line()) is not None:
        if not text:
            continue
        if text in ("/quit", "/exit"):
            break
        try:
            talk = _command(talk, text) if text.startswith("/") else _say(talk, text)
        except LaomaError as error:
            print_note(f"laoma: {error.message}")
    talk.close()


def _next_line() -> str | None:
    try:
        return input(say("you> ", "你> ")).strip()
    except (EOFError, KeyboardInterrupt):
        print_note("")
        return None


def _say(talk: Talk, text: str) -> Talk:
    _one(talk, text, as_json=False)
    return talk


def _command(talk: Talk, text: str) -> Talk:
    name, _, argument = text.partition(" ")
    if name == "/new":
        talk.close()
        return Talk(talk.service, None, talk.memory, talk.patience_s)
    if name == "/forget" and argument:
        talk.service.delete(f"/v1/memories/{quote(argument.strip(), safe='')}")
        print_note(say("Forgotten.", "已忘掉。"))
        return talk
    print_note(say(*HELP))
    return talk


def _show_used(memories: list[Used]) -> None:
    out = console(stderr=True)
    for memory in memories:
        out.print(f"  · {say('remembered', '记得')}: {memory.text}  ({memory.id})", style="dim")


def _said_before(service: Service, conversation: str) -> list[Message]:
    try:
        turns = service.get(f"/v1/conversations/{quote(conversation, safe='')}")["turns"]
    except NotFound:
        return []
    return [{"role": turn["role"], "content": turn["content"]} for turn in turns if turn["role"] in ("user", "assistant")]
