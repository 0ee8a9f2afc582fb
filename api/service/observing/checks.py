"""Answers Envoy's checks over gRPC, and passes each check to the access log and to traces."""

import asyncio
from http import HTTPStatus
from time import perf_counter_ns
from typing import Final

from ...endpoints.errors import status_of
from ...endpoints.gateway.asked import GatewayQuestion
from ...endpoints.gateway.gateway_answering import GatewayAnswers
from ...endpoints.gateway.outcome import Outcome
from ...http.caller import CALLER, SERVICE
from .answered import Observer, answer_of

CHECK: Final = "/envoy.service.auth.v3.Authorization/Check", "POST"
"""The path and the method of a check, as HTTP/2 has them."""


class ObservedChecks:
    """Answers as `GatewayAnswers`. The status is that which Envoy gives its client."""

    def __init__(self, answering: GatewayAnswers, observer: Observer, is_secure: bool) -> None:
        """`is_secure` is whether the listener has TLS."""
        self._answering, self._observer, self._is_secure = answering, observer, is_secure
        self.failure = answering.failure

    def at_once(self, asked: GatewayQuestion) -> Outcome | None:
        """See `GatewayAnswers`. What it leaves to `outcome` is told there."""
        began = perf_counter_ns()
        CALLER.set(SERVICE)
        found = self._answering.at_once(asked)
        if found is not None:
            self._report(asked, int(found.status), began, len(found.body))
        return found

    async def outcome(self, asked: GatewayQuestion) -> Outcome:
        """See `GatewayAnswers`."""
        began, status, size = perf_counter_ns(), HTTPStatus.INTERNAL_SERVER_ERROR.value, 0
        CALLER.set(SERVICE)
        try:
            found = await self._answering.outcome(asked)
            status, size = int(found.status), len(found.body)
        except asyncio.CancelledError:
            status = HTTPStatus.GATEWAY_TIMEOUT.value  # it takes too long, or Envoy does not wait any more
            raise
        except Exception as error:
            status = status_of(error)
            raise
        else:
            return found
        finally:
            self._report(asked, status, began, size)

    def _report(self, asked: GatewayQuestion, status: int, began: int, size: int) -> None:
        fields = asked.headers.fields
        self._observer.answered(answer_of(CHECK, status, began, size, fields, self._is_secure, asked.id))
