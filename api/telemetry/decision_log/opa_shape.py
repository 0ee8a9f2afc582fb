"""Records in the shape of OPA's decision logs, which collectors know (OPA documentation, "Decision Logs")."""

from typing import Any, Final

import msgspec

from .record import Record

PATHS: Final = {"evaluation": "writ/evaluation", "item": "writ/evaluation", "search": "writ/search"}
"""The path of an event, by the kind of its record. OPA has there which document was asked for."""

_NANOSECONDS: Final = 1_000


class _Revision(msgspec.Struct, frozen=True):
    revision: str


class _Metrics(msgspec.Struct, frozen=True):
    timer_server_handler_ns: int


class OpaEvent(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """An event of OPA's decision log. What has no place in OPA's shape is in `labels`."""

    labels: dict[str, str]
    decision_id: str
    trace_id: str = ""
    bundles: dict[str, _Revision]
    path: str
    input: Any
    result: Any
    requested_by: str
    timestamp: str
    metrics: _Metrics
    masked: tuple[str, ...] = ()


def event_of(record: Record) -> OpaEvent:
    """Returns the event of a record. If masks changed it, `masked` names the input as a whole."""
    environment = record.environment or ""
    labels = {"app": "writ", "environment": environment, "kind": str(record.kind)}
    optional = {"reason_code": record.reason_code, "policy_id": record.policy_id, "request_id": record.request_id}
    return OpaEvent(
        labels=labels | {name: value for name, value in optional.items() if value is not None},
        decision_id=record.decision_id,
        trace_id=record.trace_id or "",
        bundles={environment or "writ": _Revision(str(record.revision))},
        path=PATHS[record.kind],
        input=record.request,
        result=record.answer,
        requested_by=record.caller,
        timestamp=record.time,
        metrics=_Metrics(record.duration_us * _NANOSECONDS),
        masked=("/input",) if record.masked or record.cut else (),
    )
