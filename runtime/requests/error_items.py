"""The answers to items of a batch that can't be decided."""

from typing import Any


def error_item(status: int, message: str) -> dict[str, Any]:
    """Returns the response to a request of a batch that can't be answered: it denies, and says why (W4)."""
    return {"decision": False, "context": {"error": {"status": status, "message": message}}}
