"""The constitution: sentences that no revision may touch. A file that only a person edits; which one was in force is known by its hash."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from importlib import resources
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from schemas.errors import SettingsError

FILE = "constitution.yaml"


class Sentence(BaseModel):
    """One sentence in both languages; ``id`` names it to people."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    zh: str
    en: str


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int
    identity: list[Sentence]
    safety: list[Sentence]
    privacy: list[Sentence]
    forbidden: list[Sentence]


@dataclass(frozen=True)
class Constitution:
    """All sentences in order; ``digest`` is the SHA-256 of the file's bytes."""

    sentences: tuple[Sentence, ...]
    digest: str

    @property
    def texts(self) -> list[str]:
        """Each sentence twice: Chinese, English."""
        return [text for one in self.sentences for text in (one.zh, one.en)]

    def id_of(self, place: int) -> str:
        """Which sentence ``texts[place]`` belongs to."""
        return self.sentences[place // 2].id


def default_text() -> str:
    """The one that comes with laoma."""
    return (resources.files("evolution") / FILE).read_text(encoding="utf-8")


def parse(text: str) -> Constitution:
    """Raises SettingsError where it is none, or says nothing."""
    try:
        file = _File.model_validate(yaml.safe_load(text))
    except (yaml.YAMLError, ValidationError) as error:
        raise SettingsError(f"{FILE}: {str(error).splitlines()[0]}; the file that came with laoma shows the form") from None
    sentences = (*file.identity, *file.safety, *file.privacy, *file.forbidden)
    if not sentences:
        raise SettingsError(f"{FILE} has no sentence: without one nothing would be off limits")
    if len({one.id for one in sentences}) < len(sentences):
        raise SettingsError(f"{FILE}: two sentences have the same id")
    return Constitution(sentences, sha256(text.encode()).hexdigest())


def read_constitution(home: Path) -> Constitution:
    """The home's own, else the one that comes with laoma. Raises SettingsError."""
    path = home / FILE
    return parse(path.read_text(encoding="utf-8") if path.exists() else default_text())
