"""Reads answers: JSON objects, decisions, and the errors that an application sees."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from ...bundles.errors import LONGEST_MESSAGE, Error
from ...bundles.json_members import RepeatedMember, repeated_member
from ...runtime.requests.members import INVALID, BadRequest, RequestFault
from ...runtime.requests.unavailable import SearchUnavailable
from .errors import BadAnswer, Refused
from .steps import Answer


def object_of(answer: Answer) -> dict[str, Any]:
    """Returns the JSON object of a successful answer. Raises the error of any other answer, and BadAnswer.

    An answer with a member twice is none: readers would take one or the other (E10).
    """
    if not 200 <= answer.status < 300:
        raise error_of(answer)
    found = _json(answer)
    if isinstance(found, RepeatedMember):
        raise BadAnswer(f"{found.sentence} in the answer ({found.path}), so it has no single meaning")
    if not isinstance(found, dict):
        raise BadAnswer("the answer is no JSON object; is this the URL of a decision point?")
    return found


def decision_of(answer: Answer) -> dict[str, Any]:
    """Returns a decision response. Raises BadAnswer for one without a boolean `decision`."""
    return checked_decision(object_of(answer))


def checked_decision(found: object) -> dict[str, Any]:
    """Returns `found` if it is a decision response. Raises BadAnswer if not (authzen.md 10, 24)."""
    if not isinstance(found, dict) or not isinstance(found.get("decision"), bool):
        raise BadAnswer("the answer has no boolean `decision`, so it is no decision")
    if not isinstance(found.get("context"), dict | None):
        raise BadAnswer("the `context` of the answer is no object, so it is no decision")
    return found


def error_of(answer: Answer) -> Error:
    """Returns the error of an answer: BadRequest, SearchUnavailable or Refused."""
    said = _json(answer)
    body: Mapping[str, Any] = said if isinstance(said, dict) else {}
    sentence, listed = (_sentence(body) or f"the decision point answers {answer.status}"), body.get("details")
    details = [one for one in listed if _is_detail(one)] if isinstance(listed, list) else []
    if answer.status == 400:
        return _bad_request(sentence, details)
    if answer.status == 501:
        return SearchUnavailable(sentence)
    seconds = seconds_to_wait(answer)
    return Refused(f"{sentence} ({answer.status})", answer.status, details, seconds, answer.headers.get("x-request-id"))


def _sentence(body: Mapping[str, Any]) -> str | None:
    """Returns what the body of an error says, on one line: as Writ does, or as others do (authzen.md 77)."""
    error = body.get("error", body)
    said = error.get("message") if isinstance(error, dict) else error
    return " ".join(said.split())[:LONGEST_MESSAGE] if isinstance(said, str) else None


def _is_detail(value: object) -> bool:
    """Returns whether `value` is a detail as Writ has them. Other decision points have their own."""
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in ("code", "path", "message"))


def code_of(answer: Answer) -> str | None:
    """Returns the code of an answer's first detail, or None if it has none."""
    error = error_of(answer) if answer.status >= 400 else None
    return error.code if isinstance(error, BadRequest | Refused) else None


def seconds_to_wait(answer: Answer) -> float | None:
    """Returns the seconds of `Retry-After`, a number or a date (RFC 9110, 10.2.3), or None without a usable one."""
    text = answer.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _json(answer: Answer) -> object:
    """Returns the value of a body, a member that it has twice, or None if it is no JSON."""
    try:
        value = json.loads(answer.body)
        return repeated_member(answer.body, value) or value
    except (ValueError, RecursionError):
        return None


def _bad_request(sentence: str, details: list[dict[str, Any]]) -> BadRequest:
    """Returns the error as the engine raises it."""
    faults = tuple(_fault(one) for one in details)
    if not faults:
        return BadRequest(sentence, "$")
    first = faults[0]
    # An engine gives a malformed request no details: its only fault is the error itself.
    return BadRequest(first.message, first.path, () if first.code == INVALID and len(faults) == 1 else faults)


def _fault(detail: Mapping[str, Any]) -> RequestFault:
    return RequestFault(*(detail[name][:LONGEST_MESSAGE] for name in ("code", "path", "message")))
