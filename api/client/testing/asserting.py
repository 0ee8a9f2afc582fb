"""Assertions about decisions. A failure says why the decision is what it is, in the words of `writ explain`."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol

from ..api.review.wording.prose import asking_why, explained, question
from ..bundles.errors import Error
from ..runtime.requests.evaluation_request import request_of

_INDENT: Final = "  "


class Decides(Protocol):
    """Whatever decides as an `Engine` does: an engine, a followed engine, or a client of a service."""

    def decide(self, request: Any) -> Mapping[str, Any]:
        """See `Engine.decide`."""


def assert_allowed(
    engine: Decides,
    subject_type: str,
    subject_id: str,
    action: str,
    resource_type: str,
    resource_id: str,
    *,
    subject: Mapping[str, Any] | None = None,
    resource: Mapping[str, Any] | None = None,
    action_properties: Mapping[str, Any] | None = None,
    context: Mapping[str, Any] | None = None,
) -> None:
    """Raises AssertionError with the explanation (D10) if the request is denied. The parameters are `allowed`'s.

    Raises what `engine.decide` raises, such as BadRequest for a misspelt attribute.
    """
    __tracebackhide__ = True  # pytest shows the line of the test, not this one
    names = (subject_type, subject_id, action, resource_type, resource_id)
    _assert(engine, names, (subject, resource, action_properties, context), True)


def assert_denied(
    engine: Decides,
    subject_type: str,
    subject_id: str,
    action: str,
    resource_type: str,
    resource_id: str,
    *,
    subject: Mapping[str, Any] | None = None,
    resource: Mapping[str, Any] | None = None,
    action_properties: Mapping[str, Any] | None = None,
    context: Mapping[str, Any] | None = None,
    reason_code: str | None = None,
) -> None:
    """Raises AssertionError with the explanation (D10) if the request is allowed, or denied for another reason.

    The parameters are `allowed`'s. With `reason_code`, the denial must have that code (contract 2.5): a slip of the pen
    is a denial too. Raises what `engine.decide` raises, such as BadRequest for a misspelt attribute.
    """
    __tracebackhide__ = True
    names = (subject_type, subject_id, action, resource_type, resource_id)
    _assert(engine, names, (subject, resource, action_properties, context), False, reason_code)


def _assert(
    engine: Decides,
    names: tuple[str, ...],
    attributes: tuple[Mapping[str, Any] | None, ...],
    allowed: bool,
    reason_code: str | None = None,
) -> None:
    __tracebackhide__ = True
    request = request_of(names, tuple(dict(one or {}) for one in attributes))
    try:
        answer = engine.decide(asking_why(request))
    except Error as ex:  # a slip in the test: pytest shows its line, not pages of Writ's own
        raise ex.with_traceback(None) from None
    code = (answer.get("context") or {}).get("reason_code")
    if answer["decision"] is not allowed or reason_code not in (None, code):
        expected = "to be allowed" if allowed else "to be denied" + (f" ({reason_code})" if reason_code else "")
        raise AssertionError("\n".join(_told(request, answer, expected)))


def _told(request: dict[str, Any], answer: Mapping[str, Any], expected: str) -> Iterator[str]:
    """Yields why an answer is what it is. A decision point other than Writ may give no reason."""
    yield f"expected this {expected}: {question(request)}"
    if "reason_code" in (answer.get("context") or {}):
        yield from (f"{_INDENT}{line}" for line in explained(answer))
    else:
        yield f"{_INDENT}{'Allowed' if answer['decision'] else 'Denied'}, without a reason."
