"""The settings of the decision log: rows of the one table, in `settings`."""

from dataclasses import dataclass
from typing import Final

from .setting_readers import SECONDS, SHARE, TEXT, choice, count
from .setting_rows import setting

WHEN_FULL: Final = ("drop", "refuse")
"""The choices if the decision log can't take another record: drop it, or refuse the decision."""

LOG_SHAPES: Final = ("writ", "opa")
"""The shapes of the records of a decision log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionLogSettings:
    """The settings of the decision log, of a service or an agent. `target` None: there is no such log."""

    target: str | None = setting(
        "WRIT_DECISION_LOG", TEXT, None, "Log each decision: to a file, to standard output (`-`), or to a URL."
    )
    when_full: str = setting(
        "WRIT_DECISION_LOG_WHEN_FULL",
        choice(*WHEN_FULL),
        WHEN_FULL[0],
        "What happens to decisions while the decision log is full. With `drop`, they go on without a record. With"
        " `refuse`, they get 503.",
    )
    permit_share: float = setting(
        "WRIT_DECISION_LOG_PERMITS",
        SHARE,
        1.0,
        "The share of permissions that the decision log has. It has all denials and searches.",
    )
    masks: str | None = setting(
        "WRIT_DECISION_LOG_MASKS",
        TEXT,
        None,
        "What of requests stays out of the decision log: JSON, or the path of its file.",
    )
    hash_key: str | None = setting(
        "WRIT_DECISION_LOG_HASH_KEY",
        TEXT,
        None,
        "The secret of the hashes that masks make, 32 characters at least. The default is a key in the data directory.",
    )
    hash_key_file: str | None = setting(
        "WRIT_DECISION_LOG_HASH_KEY_FILE",
        TEXT,
        None,
        "The file with this secret. If it can't be read, the service does not start.",
    )
    buffer_bytes: int = setting(
        "WRIT_DECISION_LOG_BUFFER_BYTES",
        count(2**34),
        64 * 2**20,
        "Bytes of decisions that wait in a worker to be logged. With more, the decision log is full.",
    )
    buffer_records: int = setting(
        "WRIT_DECISION_LOG_BUFFER_RECORDS",
        count(10_000_000),
        100_000,
        "Calls that wait in a worker to be logged. A batch is one call. With more, the decision log is full.",
    )
    record_bytes: int = setting(
        "WRIT_DECISION_LOG_RECORD_BYTES",
        count(2**30),
        2**20,
        "Bytes of the request and the answer in a record. A record with more goes without both.",
    )
    batch_bytes: int = setting(
        "WRIT_DECISION_LOG_BATCH_BYTES",
        count(2**28),
        2**20,
        "Bytes after which records are sent to a URL, before compression.",
    )
    batch_seconds: float = setting(
        "WRIT_DECISION_LOG_BATCH_SECONDS", SECONDS, 1.0, "Time after which records are sent to a URL."
    )
    stop_seconds: float = setting(
        "WRIT_DECISION_LOG_STOP_SECONDS", SECONDS, 5.0, "Time that a worker which stops takes to log what waits."
    )
    shape: str = setting(
        "WRIT_DECISION_LOG_SHAPE",
        choice(*LOG_SHAPES),
        LOG_SHAPES[0],
        "The shape of records. With `opa`, they are events of OPA's decision log, which `writ replay` can't read.",
    )
    authorization_file: str | None = setting(
        "WRIT_DECISION_LOG_AUTHORIZATION_FILE",
        TEXT,
        None,
        "The file with the `Authorization` header for a URL. It is read for each batch.",
    )
    ca_file: str | None = setting(
        "WRIT_DECISION_LOG_CA_FILE", TEXT, None, "The authorities for the certificate of a URL (PEM)."
    )
