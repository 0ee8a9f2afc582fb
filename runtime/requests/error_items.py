"""The answers to items of a batch that can't be decided."""

from collections.abc import Sequence
from typing import Any

from .members import RequestFault


def error_item(status: int, message: str, faults: Sequence[RequestFault] = ()) -> dict[str, Any]:
    """Returns the response to a request of a batch that can't be answered: it denies, and says why (W4).

    `faults` are those of a strict request (E8).
    """
    error: dict[str, Any] = {"status": status, "message": message}
    if faults:
        error["details"] = [fault._asdict() for fault in faults]
    return {"decision": False, "context": {"error": error}}
