"""Which conversation a list of messages belongs to, and which of its turns are new (R4).

OpenAI clients send the whole conversation with each request. A conversation is a tree of turns: an edited message or a regenerated
reply hangs beside the one it replaces. What a client sends is followed from its first message: user turns must be the same (white
space and punctuation aside), replies are matched by their place, and by their beginning where several conversations compete, since a
client's copy may be cut, reflowed, or without its reasoning. All texts must have gone through the same masking as the stored turns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memory.extract.protocol import Said
from memory.normalise import digest, squeeze
from memory.privacy import withhold
from schemas.turn import Role, Turn

_HEAD = 40
_TELLING = 12
_TALK = 4_000
"""Characters of what a person says; longer ones are pasted, and are compared as they are stored."""
_REASONING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|$)", re.DOTALL | re.IGNORECASE)
_CITATION = re.compile(r"\[\^?\d+\]|【[^】]{0,40}】|\ue200[^\ue200\ue201]{0,400}\ue201|[\ue202-\ue206]")


@dataclass(frozen=True)
class Node:
    """A turn as a thread knows it: what its text begins with and its hash, not the text (about 400 bytes)."""

    id: str
    conversation: str
    parent: str | None
    role: Role
    at: datetime
    hash: str
    head: str

    @classmethod
    def of(cls, turn: Turn) -> Node:
        """The node of a stored turn."""
        plain = _plain(turn.role, turn.content)
        return cls(turn.id, turn.conversation, turn.parent, turn.role, turn.at, digest(plain), plain[:_HEAD])


@dataclass(frozen=True)
class Following:
    """Where a request belongs.

    ``conversation`` None: a new one. ``parent`` is the last turn that is known already (None at the start): the first of ``new`` hangs
    below it, or, with nothing new, the reply does. ``known`` are the ids of the matched turns, in order.
    """

    conversation: str | None
    parent: str | None
    new: tuple[Said, ...]
    known: tuple[str, ...] = ()


@dataclass
class KnownThreads:
    """The turns of one user's conversations, for following; rebuilt from stored turns by :meth:`add` in any order."""

    nodes: dict[str, Node] = field(default_factory=dict)
    _below: dict[tuple[str, str | None], list[str]] = field(default_factory=dict)
    _by_hash: dict[str, list[str]] = field(default_factory=dict)
    _turns: dict[str, list[str]] = field(default_factory=dict)

    def add(self, node: Node) -> None:
        """Learn a turn; learning it again changes nothing."""
        if node.id in self.nodes:
            return
        self.nodes[node.id] = node
        self._turns.setdefault(node.conversation, []).append(node.id)
        self._below.setdefault((node.conversation, node.parent), []).append(node.id)
        if node.role == "user":
            self._by_hash.setdefault(node.hash, []).append(node.id)

    def add_turns(self, turns: Iterable[Turn]) -> None:
        """Learn stored turns."""
        for turn in turns:
            self.add(Node.of(turn))

    def drop(self, conversation: str) -> None:
        """Forget a conversation."""
        gone = {one: self.nodes.pop(one) for one in self._turns.pop(conversation, ())}
        for node in gone.values():
            self._below.pop((conversation, node.parent), None)
        for hash in {node.hash for node in gone.values()} & self._by_hash.keys():
            if left := [one for one in self._by_hash[hash] if one not in gone]:
                self._by_hash[hash] = left
            else:
                del self._by_hash[hash]

    def below(self, conversation: str, parent: str | None) -> list[Node]:
        """The turns that hang below ``parent`` (None: the beginnings), oldest first."""
        children = [self.nodes[one] for one in self._below.get((conversation, parent), ())]
        return sorted(children, key=lambda node: (node.at, node.id))

    def same(self, hash: str) -> list[Node]:
        """The user turns with this text, in all conversations."""
        return [self.nodes[one] for one in self._by_hash.get(hash, ())]

    def tip(self, conversation: str) -> Node | None:
        """The latest turn of a conversation: where a client that sends single messages goes on."""
        turns = (self.nodes[one] for one in self._turns.get(conversation, ()))
        return max(turns, key=lambda node: (node.at, node.id), default=None)


@dataclass(frozen=True)
class _Path:
    nodes: tuple[Node, ...]
    sure: int
    open_end: bool

    @property
    def rank(self) -> tuple[int, int, bool, datetime]:
        """Longest, then surest, then one that ends where the conversation stands, then the latest."""
        return len(self.nodes), self.sure, self.open_end, self.nodes[-1].at


def follow(known: KnownThreads, messages: Sequence[Said], *, at: datetime, silence_s: float, conversation: str | None = None) -> Following:
    """Where ``messages`` (system and tool messages left out, oldest first) belong, sent at ``at``.

    ``conversation`` is the client's own id, where it sent one: then only that conversation is looked at, and a message that can't be
    placed goes on at its tip. Without it a lone first message opens a new conversation, unless the same one waits for its reply
    since less than ``silence_s`` seconds.
    """
    said = _from_first_user(messages)
    if not said:
        return Following(conversation, _id(known.tip(conversation)) if conversation else None, ())
    if conversation is not None:
        return _within(known, said, conversation)
    path = _best(known, said, known.same(_hash(said[0])))
    if path is None or not _trusted(known, path, said, at, silence_s):
        return Following(None, None, said)
    return _beyond(path, said)


def _within(known: KnownThreads, said: tuple[Said, ...], conversation: str) -> Following:
    starts = [node for node in known.same(_hash(said[0])) if node.conversation == conversation]
    path = _best(known, said, starts)
    tip = known.tip(conversation)
    if path and (len(said) > 1 or _unanswered(known, path.nodes[-1]) or _only_exchange(known, path.nodes[-1])):
        return _beyond(path, said)
    if len(said) > 1 and tip is not None and (rest := _after_tip(known, said, tip)) is not None:
        return Following(conversation, tip.id, rest, known=(tip.id,))
    return Following(conversation, _id(tip), said)


def _after_tip(known: KnownThreads, said: tuple[Said, ...], tip: Node) -> tuple[Said, ...] | None:
    """What follows the tip in a list whose beginning is unknown (a client that cuts its history)."""
    for index in range(len(said) - 1, -1, -1):
        if said[index].role == tip.role and (_hash(said[index]) == tip.hash or _begins_alike(said[index], tip)):
            return said[index + 1 :]
    return None


def _best(known: KnownThreads, said: tuple[Said, ...], starts: Sequence[Node]) -> _Path | None:
    paths = [_walk(known, said, start) for start in starts]
    return max(paths, key=lambda path: path.rank, default=None)


def _walk(known: KnownThreads, said: tuple[Said, ...], start: Node) -> _Path:
    """The longest way down from ``start`` along ``said``; where replies compete, the one that leads further wins."""
    best = _Path((start,), 0, not known.below(start.conversation, start.id))
    pending = [best]
    while pending:
        path = pending.pop()
        if path.rank > best.rank:
            best = path
        if len(path.nodes) == len(said):
            continue
        wanted, last = said[len(path.nodes)], path.nodes[-1]
        for child in known.below(last.conversation, last.id):
            if child.role != wanted.role:
                continue
            alike = _hash(wanted) == child.hash or (child.role != "user" and _begins_alike(wanted, child))
            if alike or child.role != "user":
                pending.append(_Path((*path.nodes, child), path.sure + alike, not known.below(child.conversation, child.id)))
    return best


def _trusted(known: KnownThreads, path: _Path, said: tuple[Said, ...], at: datetime, silence_s: float) -> bool:
    """Whether a path found without the client's word for it is the same conversation."""
    start, last = path.nodes[0], path.nodes[-1]
    if len(said) == 1:
        return start.parent is None and _unanswered(known, last) and at - last.at <= timedelta(seconds=silence_s)
    if start.parent is not None and len(path.nodes) < 2:
        return False
    users = sum(node.role == "user" for node in path.nodes)
    if path.sure > 0:
        return True
    if len(path.nodes) == 1:
        return _unanswered(known, last)
    return users >= 2 or len(start.head) >= _TELLING


def _beyond(path: _Path, said: tuple[Said, ...]) -> Following:
    last = path.nodes[-1]
    return Following(last.conversation, last.id, said[len(path.nodes) :], known=tuple(node.id for node in path.nodes))


def _only_exchange(known: KnownThreads, node: Node) -> bool:
    """A first message whose replies lead nowhere yet: the same message again means "regenerate"."""
    replies = known.below(node.conversation, node.id)
    return node.parent is None and not any(known.below(node.conversation, reply.id) for reply in replies)


def _unanswered(known: KnownThreads, node: Node) -> bool:
    return node.role == "user" and not known.below(node.conversation, node.id)


def _from_first_user(messages: Sequence[Said]) -> tuple[Said, ...]:
    """The messages without the client's own greeting in front."""
    first = next((index for index, one in enumerate(messages) if one.role == "user"), len(messages))
    return tuple(messages[first:])


def _begins_alike(one: Said, node: Node) -> bool:
    head = _plain(one.role, one.text)[:_HEAD]
    return bool(head) and (node.head.startswith(head) or head.startswith(node.head)) if node.head else not head


def _hash(one: Said) -> str:
    return digest(_plain(one.role, one.text))


def _plain(role: str, text: str) -> str:
    if role == "assistant":
        text = _CITATION.sub("", _REASONING.sub("", text))
    elif role == "user" and len(text) <= _TALK:
        text = withhold(text).text  # the same, whether or not its speaker has agreed to have it kept
    return squeeze(text) or text.strip()


def same_text(one: Said, node: Node) -> bool:
    """Whether ``node`` is the turn that ``one`` says, however much of it was kept."""
    return one.role == node.role and _hash(one) == node.hash


def _id(node: Node | None) -> str | None:
    return node.id if node else None
