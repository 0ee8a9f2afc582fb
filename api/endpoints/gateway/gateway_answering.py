"""Answers requests of gateways that may have to wait: for an engine, an issuer's keys or a long decision."""

from http import HTTPStatus
from typing import Protocol

from ....runtime import BadRequest
from ...engines.live.bound_engines import ready_engine
from ...http.error_answers import INTERNAL
from ...identity.issuers.key_sets import KeysAreComing, KeySets
from ..decisions.deciding import Deciding
from ..errors import ErrorAnswers, status_of
from .asked import GatewayQuestion
from .gateway import Gateway
from .outcome import Outcome, refused, unreadable


class GatewayAnswers(Protocol):
    """The interface that answers checks, for a server of another protocol than HTTP."""

    def at_once(self, asked: GatewayQuestion) -> Outcome | None:
        """See `GatewayAnswering`."""

    async def outcome(self, asked: GatewayQuestion) -> Outcome:
        """See `GatewayAnswering`."""

    def failure(self, error: Exception, env: str) -> tuple[int, str]:
        """See `GatewayAnswering`."""


class GatewayAnswering:
    """Answers for every transport, so that all of them read a question in the same way."""

    def __init__(self, gateway: Gateway, deciding: Deciding, key_sets: KeySets, errors: ErrorAnswers) -> None:
        self._gateway, self._deciding = gateway, deciding
        self._key_sets, self._errors = key_sets, errors

    def at_once(self, asked: GatewayQuestion) -> Outcome | None:
        """Returns the answer, or None if `outcome` has to answer: it may take long, or there is a fault of any kind."""
        try:
            return self._gateway.at_once(asked)
        except Exception:  # `outcome` meets it again, and its caller reports it
            return None

    async def outcome(self, asked: GatewayQuestion) -> Outcome:
        """Returns the answer. Raises what `Gateway.admit`, `ready_engine` and `Gateway.prepare` raise."""
        admitted = self._gateway.admit(asked, lambda: asked.peer)
        if isinstance(admitted, Outcome):
            return admitted
        engine = await ready_engine(self._gateway.engine_of, asked.env)
        try:
            found = self._gateway.prepare(asked, admitted, engine)
        except KeysAreComing as ex:
            if not await self._key_sets.of(ex.place).loaded():
                return refused("the keys of the users' tokens can't be fetched")
            found = self._gateway.prepare(asked, admitted, engine)
        if isinstance(found, Outcome):
            return found
        try:
            decision = await self._deciding.decide(found.engine, found.question, is_long=False, now=found.moment.now)
            return self._gateway.outcome(asked, found, decision)
        except BadRequest as ex:
            return unreadable(ex)

    def failure(self, error: Exception, env: str) -> tuple[int, str]:
        """Returns the status of an error that `outcome` raised, and its sentence. Reports a fault of the service."""
        status = status_of(error)
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            self._errors.report(error, env)
            return status, INTERNAL
        return status, getattr(error, "public", str(error))
