"""The settings of the service: the one table of the `WRIT_` variables, and the values that it gives.

A new setting is one new row: a field of `Settings`, of `HttpLimits` if it bounds what one client may ask for, of
`StoreSettings`, or of `SignInSettings`.
`writ serve --help`, the warning about an unknown variable and the reference of operations follow from the rows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from ...bundles.wording import did_you_mean, quoted
from ...runtime.rate_counters import DEFAULT_BYTES
from .decision_log_settings import DecisionLogSettings
from .setting_readers import (
    GROUP_DEPTH,
    GROUP_DEPTHS,
    PUBLIC_URL,
    SECONDS,
    TEXT,
    BadSetting,
    choice,
    count,
)
from .setting_rows import Setting, rows_of, setting
from .sign_in_settings import SignInSettings
from .store_settings import StoreSettings

__all__ = [
    "ALGORITHMS",
    "BadSetting",
    "DecisionLogSettings",
    "HttpLimits",
    "Setting",
    "Settings",
    "rows",
    "settings_from",
    "show_settings",
]

ALGORITHMS: Final = ("EdDSA", "ES256", "RS256")
"""The algorithms that a token may be signed with (RFC 7518, 3.1; RFC 8037, 3.1). The first is the default."""

SYNCHRONOUS: Final = ("FULL", "NORMAL")
"""The values of SQLite's `PRAGMA synchronous` that Writ allows. The first is the default."""

TEXT_LINES: Final = "text"
JSON: Final = "json"
LOG_FORMAT: Final = "WRIT_LOG_FORMAT"
LOG_FORMATS: Final = (TEXT_LINES, JSON)
"""The variable with the format of the log's lines, and its values. The first is the default."""

ON: Final = "on"
SWITCH: Final = ("off", ON)
"""The values of a setting that switches something on. The first is the default."""

STOP_SECONDS: Final = 30
"""The seconds that a server takes to stop at most, if no setting says more or less."""

TOKEN_VARIABLE, *CLIENT_VARIABLES = COMMAND_VARIABLES = ("WRIT_TOKEN", "WRIT_CLIENT_ID", "WRIT_CLIENT_SECRET")
"""The variables with the credential of a command that calls a service. They are no settings of the service."""

_PREFIX: Final = "WRIT_"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """The most that one client may ask of the service (design.md, "Limits")."""

    body_bytes: int = setting("WRIT_MAX_BODY_BYTES", count(2**30), 2**20, "Bytes of a request's body.")
    # The JSON parser itself gives up a little below 1,000 levels.
    nesting: int = setting("WRIT_MAX_NESTING", count(500), 32, "Levels of JSON in a body.")
    string_bytes: int = setting("WRIT_MAX_STRING_BYTES", count(2**30), 64 * 1024, "Bytes of a string in a body.")
    key_characters: int = setting(
        "WRIT_MAX_KEY_CHARACTERS", count(2**20), 256, "Characters of a member's name in a body."
    )
    batch_items: int = setting("WRIT_MAX_BATCH_ITEMS", count(1_000_000), 1_000, "Decisions or elements in a batch.")
    explanation_bytes: int = setting(
        "WRIT_MAX_EXPLANATION_BYTES",
        count(2**30),
        2**23,
        "Bytes of the explained decisions of a batch. Items after the limit are refused.",
    )
    # The compiler takes no longer document, the store no longer page.
    model_bytes: int = setting("WRIT_MAX_MODEL_BYTES", count(2**28), 2**28, "Bytes of a whole model.")
    page_items: int = setting("WRIT_MAX_PAGE_ITEMS", count(1_000), 1_000, "Items on a page of a list.")
    write_milliseconds: int = setting(
        "WRIT_MAX_WRITE_MILLISECONDS",
        count(60_000),
        250,
        "Processor time that a write may take while other writes wait. One that takes longer is refused.",
    )
    group_depth: int = setting(
        GROUP_DEPTH,
        GROUP_DEPTHS,
        64,
        "Groups in a chain, each a member of the next; all groups of a cycle count. Commands that check models read it"
        " too.",
    )
    search_candidates: int = setting(
        "WRIT_MAX_SEARCH_CANDIDATES", count(10_000_000), 20_000, "Candidates that a search tries for one page."
    )
    failed_attempts: int = setting(
        "WRIT_MAX_FAILED_ATTEMPTS",
        count(1_000_000),
        300,
        "Wrong credentials from one address in a minute, over all workers. More get 429. Behind a proxy, all clients"
        " have the proxy's address.",
    )
    connections: int = setting(
        "WRIT_MAX_CONNECTIONS",
        count(1_000_000),
        4_096,
        "Open connections of a worker. Above the limit, the connection that has waited longest for a request is closed."
        " If all connections are in use, a new one gets 503.",
    )
    envoy_calls: int = setting(
        "WRIT_MAX_ENVOY_CALLS",
        count(1_000_000),
        1_000,
        "Checks of Envoy over gRPC that a worker has in work at a time. More are refused, so Envoy denies them.",
    )
    head_seconds: float = setting(
        "WRIT_HEAD_SECONDS", SECONDS, 10.0, "Time until a request's head is complete, else 408."
    )
    body_seconds: float = setting(
        "WRIT_BODY_SECONDS",
        SECONDS,
        30.0,
        "Time until a request's body is complete, else 408. A body may take longer if it keeps `WRIT_MIN_BODY_RATE`"
        " and never pauses for this long.",
    )
    body_rate: int = setting(
        "WRIT_MIN_BODY_RATE", count(2**30), 32 * 1024, "Bytes a second, on average, of a body that takes longer."
    )
    waiting: int = setting(
        "WRIT_MAX_WAITING",
        count(1_000_000),
        10_000,
        "Long polls that wait in a worker, and three quarters of its connections at most. More are answered at once.",
    )
    idle_seconds: float = setting(
        "WRIT_IDLE_SECONDS", SECONDS, 75.0, "Time that a connection may wait for its next request."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings. `warnings` has a sentence for each unknown variable that begins with `WRIT_`."""

    admin_key: str | None = setting(
        "WRIT_ADMIN_KEY",
        TEXT,
        None,
        "The administrator's key, 32 characters at least. It replaces the key of the data directory.",
    )
    admin_key_file: str | None = setting(
        "WRIT_ADMIN_KEY_FILE",
        TEXT,
        None,
        "A file with the administrator's keys, one a line. A running service reads it again when it changes.",
    )
    public_url: str | None = setting(
        "WRIT_PUBLIC_URL",
        PUBLIC_URL,
        None,
        "The base of every URL that the service hands out, and the issuer of its tokens. The default is the bind"
        " address.",
    )
    synchronous: str = setting(
        "WRIT_SYNCHRONOUS",
        choice(*SYNCHRONOUS),
        SYNCHRONOUS[0],
        "When a write is on disk. With `NORMAL`, writes are faster, and a power failure may lose the last of them.",
    )
    stale_seconds: float = setting(
        "WRIT_STALE_SECONDS",
        SECONDS,
        5.0,
        "Time for which decisions go on from memory if the store can't be read. On PostgreSQL,"
        " only with `WRIT_CONSISTENCY=local`.",
    )
    signing_key: str | None = setting(
        "WRIT_SIGNING_KEY",
        TEXT,
        None,
        "The keys that sign tokens: a PEM, or the path of a PEM file. The default is a key in the data directory.",
    )
    signing_algorithm: str = setting(
        "WRIT_SIGNING_ALGORITHM", choice(*ALGORITHMS), ALGORITHMS[0], "The kind of a signing key that Writ makes."
    )
    audit_key: str | None = setting(
        "WRIT_AUDIT_KEY",
        TEXT,
        None,
        "The key that seals the audit log: a PEM, or the path of a PEM file. The default is a key in the data"
        " directory.",
    )
    bundle_key: str | None = setting(
        "WRIT_BUNDLE_KEY",
        TEXT,
        None,
        "The key that signs bundles: the PEM of an Ed25519 key, or the path of its file. The default is a key in the"
        " data directory.",
    )
    bundle_days: int = setting(
        "WRIT_BUNDLE_DAYS",
        count(366),
        30,
        "Days for which an exported bundle is accepted. Writ signs it again after half of them.",
    )
    rate_bytes: int = setting(
        "WRIT_RATE_LIMIT_BYTES",
        count(2**30),
        DEFAULT_BYTES,
        "Bytes of a worker's counters for rate limits. The more subjects are counted at a time, the more it takes.",
    )
    stop_seconds: int = setting(
        "WRIT_STOP_SECONDS",
        count(3_600, lowest=10),
        STOP_SECONDS,
        "Seconds that a stop takes at most, after `--drain-seconds`. Requests in work get all but the last 8 of them.",
    )
    backup_hours: int = setting(
        "WRIT_BACKUP_HOURS",
        count(100_000, lowest=0),
        26,
        "Hours after which `writ doctor` calls the last `writ backup` too old. With 0, another program backs up the"
        " store: no command and no metric tells the age.",
    )
    audit_days: int = setting("WRIT_AUDIT_DAYS", count(100_000), 400, "Days for which audit entries are kept.")
    sweep_days: int = setting(
        "WRIT_SWEEP_DAYS",
        count(100_000, lowest=0),
        30,
        "Days after its expiry at which an assignment or a grant is removed from the store. With 0, none is removed.",
    )
    store: StoreSettings = field(default_factory=StoreSettings)
    sign_in: SignInSettings = field(default_factory=SignInSettings)
    decision_log: DecisionLogSettings = field(default_factory=DecisionLogSettings)
    metrics_bind: str | None = setting(
        "WRIT_METRICS_BIND",
        TEXT,
        None,
        "The address, `HOST:PORT`, where the metrics are served without a credential. `--metrics-bind` comes first.",
    )
    log_format: str = setting(
        LOG_FORMAT,
        choice(*LOG_FORMATS),
        LOG_FORMATS[0],
        "The lines of the log: text, or JSON objects. `--log-format` comes first.",
    )
    access_log: str = setting(
        "WRIT_ACCESS_LOG", choice(*SWITCH), SWITCH[0], "With `on`, the log has a line for each request."
    )
    telemetry: str = setting(
        "WRIT_OTEL",
        choice(*SWITCH),
        SWITCH[0],
        "With `on`, Writ exports traces and metrics by OpenTelemetry, as the variables `OTEL_…` say.",
    )
    limits: HttpLimits = field(default_factory=HttpLimits)
    warnings: tuple[str, ...] = ()


AnySettings: TypeAlias = (
    type[Settings] | type[DecisionLogSettings] | type[HttpLimits] | type[StoreSettings] | type[SignInSettings]
)
"""A class whose fields are rows of the table."""

_CLASSES: Final[tuple[AnySettings, ...]] = (Settings, StoreSettings, SignInSettings, DecisionLogSettings, HttpLimits)


def rows(of: AnySettings = Settings) -> Iterator[tuple[str, Setting]]:
    """Yields each row of a class with the name of its field."""
    return rows_of(of)


TABLE: Final[Mapping[str, Setting]] = {row.variable: row for of in _CLASSES for _, row in rows(of)}
"""Every setting by its variable."""


def settings_from(environment: Mapping[str, str]) -> Settings:
    """Returns the settings that `environment` asks for, and the defaults for all others.

    Raises:
        BadSetting: a value can't be used.

    >>> settings_from({"WRIT_MAX_BATCH_ITEMS": "5"}).limits.batch_items
    5
    """
    limits = HttpLimits(**_values(HttpLimits, environment))
    unknown = (name for name in environment if name.startswith(_PREFIX) and name not in (*TABLE, *COMMAND_VARIABLES))
    warnings = tuple(map(_warning, unknown))
    decision_log = DecisionLogSettings(**_values(DecisionLogSettings, environment))
    store, others = StoreSettings(**_values(StoreSettings, environment)), _values(Settings, environment)
    sign_in = SignInSettings(**_values(SignInSettings, environment))
    return Settings(**others, store=store, sign_in=sign_in, decision_log=decision_log, limits=limits, warnings=warnings)


def _values(of: AnySettings, environment: Mapping[str, str]) -> dict[str, Any]:
    return {
        name: row.reader.read(row.variable, environment[row.variable])
        for name, row in rows(of)
        if row.variable in environment
    }


def _warning(name: str) -> str:
    near = did_you_mean(name, TABLE)
    return f"{quoted(name)} is not a setting and has no effect{near and f'; {near}'}"


def show_settings() -> str:
    """Returns the table as Markdown, for the reference of operations.

    >>> show_settings().splitlines()[0]
    '| variable | default | values | meaning |'
    """
    rows_shown = (
        f"| `{row.variable}` | {row.shown_default} | {row.reader.bounds} | {row.sentence} |" for row in TABLE.values()
    )
    return "\n".join(("| variable | default | values | meaning |", "|---|---|---|---|", *rows_shown)) + "\n"
