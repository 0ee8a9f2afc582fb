"""The ASGI application before the others: it takes the requests of gateways, whatever their method and path."""

import re
from collections.abc import Awaitable, Callable, MutableMapping
from functools import lru_cache
from http import HTTPStatus
from time import perf_counter_ns
from typing import Any, Final, NamedTuple, TypeAlias

from ...http.error_answers import RETRY_SECONDS, error_body
from ...http.request_id import FIELD, id_in
from ...http.revision_tokens import DECISION_ID
from ...store.environment_ids import DEFAULT
from ...telemetry.metrics.requests import GATEWAY_METHOD, MOST_CELLS, ROUTE
from ..decisions.lane import IN_ENVIRONMENT, Gateways, Head
from ..errors import CHALLENGE
from .asked import GatewayQuestion
from .contracts.all_contracts import CONTRACTS
from .contracts.contract import Contract
from .dot_segments import has_dot_segment
from .gateway import Gateway
from .gateway_answering import GatewayAnswering
from .headers import Headers
from .outcome import Outcome

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Any]]
Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]
Application: TypeAlias = Callable[[Any, Receive, Send], Awaitable[None]]

_TARGET: Final = re.compile(
    rb"(?:/environments/(?!\.\.?/)([A-Za-z0-9._~-]{1,64}))?/gateway/([a-z]+)((?:[/?].*)?)", re.DOTALL
)

MOST_PLACES: Final = 4_096
"""The targets that a worker remembers."""

MOST_LINES: Final = 1_024
"""The headers of answers that a worker remembers as lines."""

_DECISION: Final = DECISION_ID.lower().encode()

LONGEST_PLACE: Final = 1_024
"""The bytes of a target that is remembered."""


class GatewayTarget(NamedTuple):
    """The parts of a target: the contract, the id of the environment, and the raw target below the contract's path.

    `strays` is whether a dot segment may lead elsewhere.
    """

    contract: Contract
    env: str
    below: str
    strays: bool


def asked_in(target: bytes, method: str, headers: Headers, peer: str, id: bytes) -> GatewayQuestion | None:
    """Returns the request of a gateway with its id, or None for another request. `target` is raw, with the query.

    PERF: most gateways always ask at the same target.
    """
    place = _known_place(target) if len(target) <= LONGEST_PLACE else _place(target)
    if place is None:
        return None
    return GatewayQuestion(place.contract, place.env, place.below, method, headers, peer, headers, place.strays, id)


def _place(target: bytes) -> GatewayTarget | None:
    found = _TARGET.fullmatch(target)
    contract = None if found is None else CONTRACTS.get(found[2].decode())
    if found is None or contract is None:
        return None
    below = found[3].decode("latin-1")
    return GatewayTarget(contract, found[1].decode() if found[1] else DEFAULT, below, has_dot_segment(below))


_known_place: Final = lru_cache(MOST_PLACES)(_place)


class GatewayFront:
    """Answers gateways itself, and gives everything else to the application behind it."""

    def __init__(self, behind: Application, answering: GatewayAnswering) -> None:
        self._behind, self._answering = behind, answering

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request (ASGI)."""
        asked = _asked(scope) if scope["type"] == "http" else None
        if asked is None:
            await self._behind(scope, receive, send)
            return
        scope[ROUTE] = route_of(asked)
        try:
            outcome = await self._answering.outcome(asked)
        except Exception as error:
            outcome = _failure(error, *self._answering.failure(error, asked.env))
        await _send(send, outcome, asked)


def _failure(error: Exception, status: int, sentence: str) -> Outcome:
    headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        headers.append(("WWW-Authenticate", CHALLENGE))
    elif status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS):
        headers.append(("Retry-After", str(getattr(error, "seconds", RETRY_SECONDS))))
    return Outcome(status, tuple(headers), error_body(sentence))


def at_once(gateway: Gateway) -> Gateways:
    """Returns what the decision lane calls for gateways: it raises whatever the front has to answer.

    It counts what it answers.
    """

    cells_of, lines_of = lru_cache(MOST_CELLS)(gateway.counts.cells_of), lru_cache(MOST_LINES)(_lines)

    def outcome(request: Head, peer: str) -> tuple[int, bytes, bytes] | None:
        began = perf_counter_ns()
        headers = Headers.of(request.headers) if request.repeats else Headers.once(request.fields)
        asked = asked_in(request.target, request.method, headers, peer, request.id)
        if asked is None:
            return None
        found = gateway.at_once(asked)
        lines, status = lines_of(found.headers), int(found.status)
        if found.decision:
            lines += b"%b: %b\r\n" % (_DECISION, found.decision.encode())
        gateway.counts.answered(cells_of(route_of(asked), status), began)
        return status, lines, found.body

    return outcome


def _lines(headers: tuple[tuple[str, str], ...]) -> bytes:
    return "".join([f"{name.lower()}: {value}\r\n" for name, value in headers]).encode("ascii")


def route_of(asked: GatewayQuestion) -> tuple[str, str]:
    """Returns the route of a gateway's request, as the metrics name it: all below a contract's path is one."""
    return _ROUTES[asked.contract.name, asked.env != DEFAULT], GATEWAY_METHOD


def route_of_target(target: bytes) -> str:
    """Returns the path template of a gateway's target, or an empty text for another target. `target` is raw."""
    place = _known_place(target) if len(target) <= LONGEST_PLACE else _place(target)
    return "" if place is None else _ROUTES[place.contract.name, place.env != DEFAULT]


_ROUTES: Final = {
    (name, named): f"{IN_ENVIRONMENT if named else ''}/gateway/{name}" for name in CONTRACTS for named in (False, True)
}

GATEWAY_ROUTES: Final = tuple((route, GATEWAY_METHOD) for route in _ROUTES.values())
"""The routes of gateways, with what stands for their methods."""


def _asked(scope: Scope) -> GatewayQuestion | None:
    query = scope["query_string"]
    target = scope["raw_path"] + (b"?" + query if query else b"")
    peer = next(iter(scope.get("client") or ()), "")
    return asked_in(target, scope["method"], Headers.of(scope["headers"]), peer, id_in(scope))


async def _send(send: Send, outcome: Outcome, asked: GatewayQuestion) -> None:
    body = b"" if asked.method == "HEAD" else outcome.body
    headers = [(FIELD, asked.id)]
    headers += [(name.lower().encode(), value.encode("ascii")) for name, value in outcome.all_headers()]
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": int(outcome.status), "headers": headers})
    await send({"type": "http.response.body", "body": body})
