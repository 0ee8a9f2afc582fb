"""The one JSON shape of errors, and the words and seconds that each server answers with."""

from collections.abc import Mapping, Sequence
from typing import Final

from .bodies import ENCODER

RETRY_SECONDS: Final = 1
"""Seconds after which a client may repeat a request that failed for now (`Retry-After`)."""

INTERNAL: Final = "the service failed; treat this as a denial"


def error_body(
    sentence: str, details: Sequence[Mapping[str, str | int]] | None = None, more: Mapping[str, object] | None = None
) -> bytes:
    """Returns the body of an error (W8): `{"error": sentence}`, with `details` if there are any, and `more` members."""
    body: dict[str, object] = {"error": sentence}
    if details:
        body["details"] = details
    return ENCODER.encode(body | dict(more or {}))
