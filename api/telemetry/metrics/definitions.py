"""The table of metrics. A new metric is a new row here, and a call of `Counts` where something is counted.

Names and units follow Prometheus' conventions: base units, `_total` on counters, no label without a bound.
"""

from collections.abc import Mapping
from itertools import product
from typing import Final

from ....runtime.requests.members import STRICT_CODES
from ....runtime.rules.reasons import ReasonCode
from .machine_metrics import (
    BACKUP_TIME,
    CERTIFICATE_ENDS,
    DISK_FREE,
    DISK_SIZE,
    PROCESS_CPU,
    PROCESS_MAX_FDS,
    PROCESS_MEMORY,
    PROCESS_OPEN_FDS,
    PROCESS_START,
    SEAL_TIME,
    UNSEALED_ENTRIES,
)
from .metric import Metric, MetricServer, MetricType, Series, Split

STATUSES: Final = (
    *(200, 201, 202, 204, 206, 304),
    *(400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 416, 429, 431),
    *(500, 501, 503),
)
"""The statuses that are counted apart. Any other one counts as `other`."""

OTHER: Final = "other"
STATUS_CLASSES: Final = ("1xx", "2xx", "3xx", "4xx", "5xx")

GRPC_CHECK: Final = "envoy.service.auth.v3.Authorization/Check"
GRPC_HEALTH: Final = "grpc.health.v1.Health/Check"
"""The methods that Writ serves over gRPC."""

GRPC_STATUSES: Final = (
    *("OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "PERMISSION_DENIED"),
    *("RESOURCE_EXHAUSTED", "INTERNAL", "UNAVAILABLE", "UNAUTHENTICATED"),
)
"""The statuses of gRPC that its calls end with. Any other one counts as `UNKNOWN`."""

OK: Final[Series] = ("200",)
"""The series of answers 200. They are so many that only their times are counted: see `exposition`."""


ERROR: Final[Series] = ("error", "")
"""The outcome of an item of a batch that could not be decided. It has no reason code."""

OUTCOMES: Final[Mapping[str, Series]] = {
    code.value: ("allow" if code is ReasonCode.ALLOWED else "deny", code.value) for code in ReasonCode
}
"""The outcome and the reason code of a decision, by the code."""

REQUESTS: Final = Metric(
    "writ_http_requests_total",
    MetricType.COUNTER,
    "requests",
    "HTTP requests that were answered. The route is empty if no route was found.",
    ("status",),
    tuple((str(status),) for status in (*STATUSES, OTHER)),
    Split.ROUTE,
)
LATENCIES: Final = Metric(
    "writ_http_request_duration_seconds",
    MetricType.HISTOGRAM,
    "seconds",
    "Time from the head of a request, or from the body of a decision call, to the end of the answer.",
    ("status_class",),
    (OK, *((one,) for one in STATUS_CLASSES)),
    Split.ROUTE,
)
REFUSED_EARLY: Final = Metric(
    "writ_http_refusals_total",
    MetricType.COUNTER,
    "requests",
    "Requests and connections that were refused before a request was read: malformed, too slow, too many.",
    ("status",),
    (("400",), ("408",), ("414",), ("431",), ("501",), ("503",)),
)
GRPC_REQUESTS: Final = Metric(
    "writ_grpc_requests_total",
    MetricType.COUNTER,
    "requests",
    "Calls over gRPC that were answered: checks of Envoy, whose denials have the status `OK`, and health checks.",
    ("route", "status"),
    tuple(product((GRPC_CHECK, GRPC_HEALTH), GRPC_STATUSES)),
)
GRPC_LATENCIES: Final = Metric(
    "writ_grpc_request_duration_seconds",
    MetricType.HISTOGRAM,
    "seconds",
    "Time of a call over gRPC, from its whole message to its answer.",
    ("route",),
    ((GRPC_CHECK,), (GRPC_HEALTH,)),
)
CONNECTIONS: Final = Metric(
    "writ_http_connections",
    MetricType.GAUGE,
    "connections",
    "Open connections: in a handshake, before a request, with a request in work, in the middle of a body, or idle.",
    ("state",),
    (("starting",), ("new",), ("serving",), ("receiving",), ("idle",)),
)
WORKERS: Final = Metric("writ_workers", MetricType.GAUGE, "processes", "Worker processes that live.")
WORKER_STARTS: Final = Metric(
    "writ_worker_starts_total",
    MetricType.COUNTER,
    "processes",
    "Worker processes that began to serve, also those of a start and of a reload.",
)
WORKER_LOSSES: Final = Metric(
    "writ_worker_losses_total",
    MetricType.COUNTER,
    "processes",
    "Worker processes that ended though the server had not asked them to.",
)
READY: Final = Metric(
    "writ_ready",
    MetricType.GAUGE,
    "servers",
    "1 if `/readyz` answers 200, in the worker that tells, else 0.",
    split=Split.READ,
)
BUILD_INFO: Final = Metric(
    "writ_build_info", MetricType.GAUGE, "", "Always 1. The label is Writ's version.", ("version",), split=Split.READ
)
DECISIONS: Final = Metric(
    "writ_decisions_total",
    MetricType.COUNTER,
    "decisions",
    "Decisions, each item of a batch for itself. An item that can't be decided has the outcome `error`.",
    ("outcome", "reason_code"),
    (*OUTCOMES.values(), ERROR),
    Split.ENVIRONMENT,
)
SEARCHES: Final = Metric(
    "writ_searches_total",
    MetricType.COUNTER,
    "searches",
    "Searches that were answered.",
    ("search",),
    (("resource",), ("subject",), ("action",)),
    Split.ENVIRONMENT,
)
STRICT_FAULTS: Final = Metric(
    "writ_strict_faults_total",
    MetricType.COUNTER,
    "faults",
    "Faults of strict requests, which were refused: what a request named, and the model does not declare.",
    ("code",),
    tuple((code,) for code in STRICT_CODES),
    Split.ENVIRONMENT,
)
REVISION: Final = Metric(
    "writ_revision",
    MetricType.GAUGE,
    "revisions",
    "The revision in force, in the worker that is furthest behind.",
    split=Split.ENVIRONMENT,
)
IN_FORCE_SINCE: Final = Metric(
    "writ_revision_in_force_timestamp_seconds",
    MetricType.GAUGE,
    "seconds",
    "When the revision in force came into force, in the worker where that is longest ago (epoch seconds).",
    split=Split.ENVIRONMENT,
)
CONFIRMED: Final = Metric(
    "writ_agent_confirmed_timestamp_seconds",
    MetricType.GAUGE,
    "seconds",
    "When the agent's source last said that nothing newer exists (epoch seconds). What it repeats does not count. It is"
    " 0 if the source never did.",
    split=Split.ENVIRONMENT,
    where=MetricServer.AGENT,
)
LAST_CONTACT: Final = Metric(
    "writ_agent_last_contact_timestamp_seconds",
    MetricType.GAUGE,
    "seconds",
    "When the agent's source last gave a usable answer (epoch seconds).",
    split=Split.ENVIRONMENT,
    where=MetricServer.AGENT,
)
COMMITS: Final = Metric(
    "writ_commit_to_in_force_seconds",
    MetricType.HISTOGRAM,
    "seconds",
    "Time from a commit until it is in force and its writer gets the answer.",
    where=MetricServer.SERVICE,
)
CONFIRMATIONS: Final = Metric(
    "writ_confirmation_seconds",
    MetricType.HISTOGRAM,
    "seconds",
    "Time that a write waits, once it is in force here, until the other servers on the database have confirmed it.",
    where=MetricServer.SERVICE,
)
CONFIRMATION_TIMEOUTS: Final = Metric(
    "writ_confirmation_timeouts_total",
    MetricType.COUNTER,
    "writes",
    "Writes that waited until the lease of a server ran out, which had not confirmed them.",
    where=MetricServer.SERVICE,
)
LEASE_REMAINING: Final = Metric(
    "writ_lease_remaining_seconds",
    MetricType.GAUGE,
    "seconds",
    "Time until the server's lease runs out, or 0 without one. It is missing for a store in a file.",
    split=Split.READ,
    where=MetricServer.SERVICE,
)
SERVERS: Final = Metric(
    "writ_servers",
    MetricType.GAUGE,
    "servers",
    "Servers on the database, as this one knows of them since its last lease. It is missing for a store in a file.",
    split=Split.READ,
    where=MetricServer.SERVICE,
)
STORE_INFO: Final = Metric(
    "writ_store_info",
    MetricType.GAUGE,
    "",
    "Always 1. The label is the identity of the store, which all servers on its database have. It is missing for a"
    " store in a file.",
    ("store",),
    split=Split.READ,
    where=MetricServer.SERVICE,
)
UPKEEP_DUTY: Final = Metric(
    "writ_upkeep_duty",
    MetricType.GAUGE,
    "duties",
    "1 if this server does the upkeep of the store for all servers, else 0. It is missing for a store in a file.",
    split=Split.READ,
    where=MetricServer.SERVICE,
)
BUILDS: Final = Metric(
    "writ_bundle_builds_total",
    MetricType.COUNTER,
    "builds",
    "Bundles that were built while the service ran.",
    ("result",),
    (("built",), ("failed",)),
    where=MetricServer.SERVICE,
)
BUILD_SECONDS: Final = Metric(
    "writ_bundle_build_duration_seconds",
    MetricType.HISTOGRAM,
    "seconds",
    "Time that it took to build a bundle, or to fail.",
    where=MetricServer.SERVICE,
)
STORE_SECONDS: Final = Metric(
    "writ_store_transaction_duration_seconds",
    MetricType.HISTOGRAM,
    "seconds",
    "Time of a transaction of the store, with the wait for its turn.",
    ("access",),
    (("read",), ("write",)),
    where=MetricServer.SERVICE,
)
STORE_BYTES: Final = Metric(
    "writ_store_size_bytes",
    MetricType.GAUGE,
    "bytes",
    "Size of the store's files: the database, and the log of its latest writes.",
    ("file",),
    split=Split.READ,
    where=MetricServer.SERVICE,
)
AUDIT_ENTRIES: Final = Metric(
    "writ_audit_entries",
    MetricType.GAUGE,
    "entries",
    "Entries of the audit log in the store.",
    split=Split.READ,
    where=MetricServer.SERVICE,
)
AUDIT_BYTES: Final = Metric(
    "writ_audit_size_bytes",
    MetricType.GAUGE,
    "bytes",
    "Size of the entries of the audit log. It is missing until a worker has read a large log.",
    split=Split.READ,
    where=MetricServer.SERVICE,
)
CACHE_LOOKUPS: Final = Metric(
    "writ_cache_lookups_total",
    MetricType.COUNTER,
    "lookups",
    "Lookups in a cache, and whether it had the entry.",
    ("cache", "result"),
    tuple(product(("credentials", "filters"), ("hit", "miss"))),
)
CACHE_ENTRIES: Final = Metric(
    "writ_cache_entries",
    MetricType.GAUGE,
    "entries",
    "Entries of the caches of all workers.",
    ("cache",),
    (("credentials",), ("filters",), ("subjects",), ("role_sets",), ("programs",)),
)
REFUSED_CREDENTIALS: Final = Metric(
    "writ_refused_credentials_total",
    MetricType.COUNTER,
    "attempts",
    "Attempts with a wrong credential. Those of an address with too many of them are `blocked`.",
    ("result",),
    (("refused",), ("blocked",)),
)
LOG_RECORDS: Final = Metric(
    "writ_decision_log_records_total",
    MetricType.COUNTER,
    "records",
    "Records of the decision log that were written, or taken by the collector.",
)
LOG_BYTES: Final = Metric(
    "writ_decision_log_bytes_total",
    MetricType.COUNTER,
    "bytes",
    "Bytes of these records, before compression.",
)
LOG_DROPPED: Final = Metric(
    "writ_decision_log_dropped_total",
    MetricType.COUNTER,
    "records",
    "Records of the decision log that are lost: the log was full, the collector refused them for good, they could not"
    " be made, or their worker stopped. A batch counts as one, unless the collector refused its records.",
    ("reason",),
    (("full",), ("refused",), ("failed",), ("stopped",)),
)
LOG_ERRORS: Final = Metric(
    "writ_decision_log_errors_total",
    MetricType.COUNTER,
    "errors",
    "Writes to the file of the decision log, or to its collector, that failed. Most are tried again.",
)
LOG_QUEUE_CALLS: Final = Metric(
    "writ_decision_log_queue_calls",
    MetricType.GAUGE,
    "calls",
    "Calls that wait to be written to the decision log. A batch is one call.",
)
LOG_QUEUE_BYTES: Final = Metric(
    "writ_decision_log_queue_bytes",
    MetricType.GAUGE,
    "bytes",
    "Memory of these calls.",
)
LOG_LIMIT_CALLS: Final = Metric(
    "writ_decision_log_queue_limit_calls",
    MetricType.GAUGE,
    "calls",
    "Calls for which there is room in all workers. It is 0 without a decision log.",
)
LOG_LIMIT_BYTES: Final = Metric(
    "writ_decision_log_queue_limit_bytes",
    MetricType.GAUGE,
    "bytes",
    "Memory for calls that wait, in all workers. It is 0 without a decision log.",
)

METRICS: Final = (
    *(BUILD_INFO, READY, WORKERS, WORKER_STARTS, WORKER_LOSSES, REQUESTS, LATENCIES, REFUSED_EARLY, CONNECTIONS),
    *(GRPC_REQUESTS, GRPC_LATENCIES, REFUSED_CREDENTIALS),
    *(DECISIONS, SEARCHES, STRICT_FAULTS, REVISION, IN_FORCE_SINCE, CONFIRMED, LAST_CONTACT, COMMITS, BUILDS),
    BUILD_SECONDS,
    *(CONFIRMATIONS, CONFIRMATION_TIMEOUTS, LEASE_REMAINING, STORE_INFO, SERVERS, UPKEEP_DUTY),
    *(STORE_SECONDS, STORE_BYTES, BACKUP_TIME, AUDIT_ENTRIES, AUDIT_BYTES, UNSEALED_ENTRIES, SEAL_TIME),
    *(CACHE_LOOKUPS, CACHE_ENTRIES, CERTIFICATE_ENDS, DISK_FREE, DISK_SIZE),
    *(PROCESS_CPU, PROCESS_MEMORY, PROCESS_OPEN_FDS, PROCESS_MAX_FDS, PROCESS_START),
    *(LOG_RECORDS, LOG_BYTES, LOG_DROPPED, LOG_ERRORS),
    *(LOG_QUEUE_CALLS, LOG_LIMIT_CALLS, LOG_QUEUE_BYTES, LOG_LIMIT_BYTES),
)
"""Every metric, in the order of the answer."""
