"""The answer to a gateway: status and headers, and what it tells the backend."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

import msgspec

from ....bundles.conditions.instants import SECOND, from_seconds, parse_instant
from ....bundles.routing.settings import ATTRIBUTE, GatewaySettings
from ....runtime import BadRequest, Engine
from ...http.revision_tokens import DECISION_ID, REVISION
from .gateway_subjects import USER_CREDENTIAL

REASON: Final = "X-Writ-Reason-Code"
"""The header of a denial with its reason code."""

NO_ROUTE: Final = "NO_ROUTE"
"""The reason code of a request that no route matches."""

REFUSED: Final = "REQUEST_REFUSED"
"""The reason code of a request that can be read in two ways, or comes from a peer that is not trusted."""

MOST_DENIALS: Final = 1_024
"""The denials that a worker remembers. PERF: each has one of a few reasons."""

CHALLENGE: Final = 'Bearer realm="writ"'
_NO_STORE: Final = ("Cache-Control", "no-store")
_PLAIN: Final = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in "%")
"""Characters of a header's value that stay as they are. Others are percent-encoded UTF-8."""

_ALL_PLAIN: Final = re.compile(f"[{re.escape(_PLAIN)}]*")


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """An answer to a gateway. `body` is empty, or JSON with an `error`.

    The first `told` of the headers tell the backend something. The others are for the gateway, or for the client.
    `decision` is the id of the decision, which one more header tells, or empty if nothing was decided. PERF: so most
    answers share their headers, and what is made of these.
    """

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    told: int = 0
    decision: str = ""

    def all_headers(self) -> tuple[tuple[str, str], ...]:
        """Returns the headers, with the id of the decision among them if there is one."""
        return (*self.headers, (DECISION_ID, self.decision)) if self.decision else self.headers


_OK: Final = Outcome(HTTPStatus.OK, (_NO_STORE,))
"""PERF: what most requests get that are allowed."""


def allowed(
    settings: GatewaySettings, question: Mapping[str, Any], decision: Mapping[str, Any], engine: Engine, now: float
) -> Outcome:
    """Returns the 200 that lets a request through, with the headers that the settings ask for.

    Each of them is there, if need be empty: one that the client sent must not reach the backend in its place. `now` is
    the instant of the decision in epoch seconds.
    """
    if not (settings.response_headers or settings.max_cache_seconds):
        return _OK
    told = [
        (name, _encoded(_told(value, question, decision, engine))) for name, value in settings.response_headers.items()
    ]
    if not settings.max_cache_seconds:
        return Outcome(HTTPStatus.OK, (*told, _NO_STORE), told=len(told))
    return Outcome(HTTPStatus.OK, (*told, *_caching(settings, decision, engine, now)), told=len(told))


def _caching(
    settings: GatewaySettings, decision: Mapping[str, Any], engine: Engine, now: float
) -> Iterator[tuple[str, str]]:
    """Yields how long a gateway may keep a permission, which outlives a change of the model meanwhile."""
    until, seconds = decision["context"]["valid_until"], settings.max_cache_seconds
    if engine.revision_token is not None:
        yield REVISION, engine.revision_token
    if until is not None:
        yield "Writ-Valid-Until", until
        seconds = min(seconds, int((parse_instant(until) - from_seconds(now)) // SECOND))
    if seconds <= 0:
        yield _NO_STORE
        return
    yield "Cache-Control", f"private, max-age={seconds}"
    if settings.anonymous is not None:  # so the same request may be answered with a credential and without one
        yield "Vary", ", ".join(filter(None, (USER_CREDENTIAL, settings.subject.header)))


def denied(decision: Mapping[str, Any]) -> Outcome:
    """Returns the 403 of a denial."""
    context = decision["context"]
    return _denied(context["reason"], context["reason_code"])


@lru_cache(MOST_DENIALS)
def _denied(reason: str, code: str) -> Outcome:
    return _refusal(HTTPStatus.FORBIDDEN, reason, (REASON, code))


def refused(reason: str) -> Outcome:
    """Returns the 403 of a request that is not decided."""
    return _refusal(HTTPStatus.FORBIDDEN, reason, (REASON, REFUSED))


def unreadable(error: BadRequest) -> Outcome:
    """Returns the 403 of a question that the engine can't read, such as an id that is too long, or refuses (E8)."""
    if error.strict_faults:
        return refused(str(error))
    return refused(f"the request makes no question: {error}")


def no_route() -> Outcome:
    """Returns the 403 of a request that no route matches."""
    return _refusal(HTTPStatus.FORBIDDEN, "no route matches the request", (REASON, NO_ROUTE))


def no_subject(reason: str) -> Outcome:
    """Returns the 401 of a request without a usable subject."""
    return _refusal(HTTPStatus.UNAUTHORIZED, reason, ("WWW-Authenticate", CHALLENGE))


def _refusal(status: HTTPStatus, reason: str, header: tuple[str, str]) -> Outcome:
    body = msgspec.json.encode({"error": reason})
    return Outcome(status, (header, _NO_STORE, ("Content-Type", "application/json")), body)


def _told(value: str, question: Mapping[str, Any], decision: Mapping[str, Any], engine: Engine) -> Any:
    subject = question["subject"]
    match value:
        case "subject_id":
            return subject["id"]
        case "subject_type":
            return subject["type"]
        case "revision":
            return str(engine.revision)
    if value.startswith(ATTRIBUTE):
        return subject.get("properties", {}).get(value.removeprefix(ATTRIBUTE))
    return decision["context"].get(value)


def _encoded(value: Any) -> str:
    """Returns a value for a header: a text as it is, another value as JSON, percent-encoded where that is needed."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if _ALL_PLAIN.fullmatch(text) else quote(text, safe=_PLAIN)
