"""The rows of what surrounds the decisions: backups, seals, certificates, the disk and the processes.

All of these are read for each answer. The names `process_…` are those of Prometheus' client libraries.
"""

from typing import Final

from .metric import Metric, MetricServer, MetricType, Split

SERVED: Final = "served"
CLIENT_CA: Final = "client_ca"
"""The values of the label `certificate`."""

BACKUP_TIME: Final = Metric(
    "writ_backup_timestamp_seconds",
    MetricType.GAUGE,
    "seconds",
    "When the last backup by `writ backup` began (epoch seconds), or 0 if none is known. It is missing for a store on"
    " PostgreSQL, and with `WRIT_BACKUP_HOURS=0`.",
    split=Split.READ,
    where=MetricServer.SERVICE,
)
UNSEALED_ENTRIES: Final = Metric(
    "writ_audit_unsealed_entries",
    MetricType.GAUGE,
    "entries",
    "Entries of the audit log after its last seal. If there is no seal that can be read, all of them. If sealed"
    " entries are missing, their number.",
    split=Split.READ,
    where=MetricServer.SERVICE,
)
SEAL_TIME: Final = Metric(
    "writ_audit_seal_timestamp_seconds",
    MetricType.GAUGE,
    "seconds",
    "When the audit log was last sealed, as this server knows (epoch seconds). It is 0 without a seal, and if sealed"
    " entries are missing.",
    split=Split.READ,
    where=MetricServer.SERVICE,
)
CERTIFICATE_ENDS: Final = Metric(
    "writ_tls_certificate_expiry_timestamp_seconds",
    MetricType.GAUGE,
    "seconds",
    "When the first of the certificates ends that the server shows, or of the authorities of its clients (epoch"
    " seconds). It is 0 if that can't be read, and missing without TLS.",
    ("certificate",),
    ((SERVED,), (CLIENT_CA,)),
    split=Split.READ,
)
DISK_FREE: Final = Metric(
    "writ_disk_free_bytes",
    MetricType.GAUGE,
    "bytes",
    "Room for Writ on the disk of the data directory, or of an agent's state directory.",
    split=Split.READ,
)
DISK_SIZE: Final = Metric(
    "writ_disk_size_bytes",
    MetricType.GAUGE,
    "bytes",
    "Size of this disk.",
    split=Split.READ,
)
PROCESS_CPU: Final = Metric(
    "process_cpu_seconds_total",
    MetricType.COUNTER,
    "seconds",
    "Processor time of the master and all its workers, also of those that have ended.",
    split=Split.READ,
)
PROCESS_MEMORY: Final = Metric(
    "process_resident_memory_bytes",
    MetricType.GAUGE,
    "bytes",
    "Memory of the master and all its workers, added up. Memory that they share, such as a bundle, counts for each.",
    split=Split.READ,
)
PROCESS_OPEN_FDS: Final = Metric(
    "process_open_fds",
    MetricType.GAUGE,
    "descriptors",
    "Open files and connections of the process that has the most, the master or a worker.",
    split=Split.READ,
)
PROCESS_MAX_FDS: Final = Metric(
    "process_max_fds",
    MetricType.GAUGE,
    "descriptors",
    "Files and connections that one process may have open.",
    split=Split.READ,
)
PROCESS_START: Final = Metric(
    "process_start_time_seconds",
    MetricType.GAUGE,
    "seconds",
    "When the master started (epoch seconds).",
    split=Split.READ,
)
