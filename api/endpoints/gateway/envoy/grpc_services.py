"""The gRPC services of a worker: Envoy's `Authorization/Check`, and the health check of gRPC."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import lru_cache
from http import HTTPStatus
from time import perf_counter_ns
from typing import Any, Final, NoReturn, TypeAlias

import grpc

from ....http.request_id import FIELD
from ....telemetry.log_lines import HEADERS, REQUEST_ID
from ....telemetry.metrics.counts import Counts
from ....telemetry.metrics.definitions import GRPC_CHECK, GRPC_HEALTH, GRPC_STATUSES
from ..gateway_answering import GatewayAnswers
from ..headers import GatewayRefused
from ..outcome import Outcome, refused
from .answers import answer
from .check_reading import Check, UnreadableCheck
from .messages import HEALTH_REQUEST, HEALTH_RESPONSE, DecodeError

AUTHORIZATION: Final = GRPC_CHECK.partition("/")[0]
"""The name of Envoy's service."""

CHECK_SECONDS: Final = 10.0
"""The seconds that a check may take, if Envoy itself does not give up earlier."""

SERVING, NOT_SERVING = 1, 2
"""States of a service in `grpc.health.v1`."""

_CODES: Final = {
    HTTPStatus.BAD_REQUEST: grpc.StatusCode.INVALID_ARGUMENT,
    HTTPStatus.UNAUTHORIZED: grpc.StatusCode.UNAUTHENTICATED,
    HTTPStatus.FORBIDDEN: grpc.StatusCode.PERMISSION_DENIED,
    HTTPStatus.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    HTTPStatus.TOO_MANY_REQUESTS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    HTTPStatus.SERVICE_UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
}
"""The code of an HTTP status with which Writ refuses the gateway itself. Envoy denies on each of them."""

_ID: Final = FIELD.decode()
"""The metadata with the id of the request."""

Method: TypeAlias = Callable[[bytes, Any], Awaitable[bytes]]
"""Answers a message in its context."""


class Checks:
    """Answers `Check`. Any failure is an error of gRPC, never an OK."""

    def __init__(self, answering: GatewayAnswers) -> None:
        self._answering = answering

    async def check(self, message: bytes, context: Any) -> bytes:
        """Returns a CheckResponse. Ends the call with an error if the gateway itself is refused."""
        try:
            check = Check(message, context.invocation_metadata() or (), context.peer())
        except UnreadableCheck as ex:
            await _end(context, grpc.StatusCode.INVALID_ARGUMENT, str(ex))
        except GatewayRefused as ex:
            return answer(refused(str(ex)), ())
        if check.id.isascii():
            context.set_trailing_metadata(((_ID, check.id.decode("ascii")),))
        found = self._answering.at_once(check.asked)
        return answer(await self._outcome(check, context) if found is None else found, check.names)

    async def _outcome(self, check: Check, context: Any) -> Outcome:
        """Returns the answer to a check that may have to wait. Ends the call as `check` does."""
        HEADERS.set((*check.asked.headers.fields.items(), (REQUEST_ID, check.asked.id)))
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                return await self._answering.outcome(check.asked)
        except TimeoutError:
            await _end(context, grpc.StatusCode.DEADLINE_EXCEEDED, "the check takes too long")
        except Exception as error:
            status, sentence = self._answering.failure(error, check.asked.env)
            await _end(context, _CODES.get(HTTPStatus(status), grpc.StatusCode.INTERNAL), sentence)


class EnvoyHealth:
    """Answers whether this worker can decide. It needs no credential, and tells nothing else."""

    def __init__(self, is_ready: Callable[[], Awaitable[bool]]) -> None:
        self._is_ready = is_ready

    async def check(self, message: bytes, context: Any) -> bytes:
        """Returns a HealthCheckResponse. Ends the call with NOT_FOUND for a service that is not here."""
        try:
            service = HEALTH_REQUEST.FromString(message).service
        except DecodeError:
            await _end(context, grpc.StatusCode.INVALID_ARGUMENT, "the message is no HealthCheckRequest")
        if service not in ("", AUTHORIZATION):
            await _end(context, grpc.StatusCode.NOT_FOUND, "there is no such service")
        try:
            is_ready = await self._is_ready()
        except Exception:  # `/readyz` tells what it is, and the log
            is_ready = False
        found: bytes = HEALTH_RESPONSE(status=SERVING if is_ready else NOT_SERVING).SerializeToString()
        return found


def handlers(answering: GatewayAnswers, is_ready: Callable[[], Awaitable[bool]], counts: Counts) -> tuple[Any, ...]:
    """Returns the handlers of both services. Messages come and go as bytes, so that only this module reads them."""
    checks, health = Checks(answering), EnvoyHealth(is_ready)
    return tuple(
        _handler(route, _counted(route, method, counts))
        for route, method in ((GRPC_CHECK, checks.check), (GRPC_HEALTH, health.check))
    )


def _handler(route: str, method: Method) -> Any:
    service, _, name = route.partition("/")
    return grpc.method_handlers_generic_handler(service, {name: grpc.unary_unary_rpc_method_handler(method)})


def _counted(route: str, method: Method, counts: Counts) -> Method:
    """Returns a method that counts each of its calls, with the time and the status that gRPC tells the client."""

    cells_of = lru_cache(counts.cells_of_call)

    async def counted(message: bytes, context: Any) -> bytes:
        began, status = perf_counter_ns(), grpc.StatusCode.UNKNOWN.name
        try:
            found = await method(message, context)
            status = grpc.StatusCode.OK.name
            return found
        except grpc.aio.AbortError:
            ended = context.code().name
            status = ended if ended in GRPC_STATUSES else status
            raise
        except asyncio.CancelledError:
            status = grpc.StatusCode.CANCELLED.name
            raise
        finally:
            counts.answered(cells_of(route, status), began)

    return counted


async def _end(context: Any, code: Any, sentence: str) -> NoReturn:
    await context.abort(code, sentence)
    raise AssertionError("`abort` raises")
