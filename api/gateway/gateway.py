"""Answers gateways: checks the gateway's credential, finds out who asks what, and decides."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from ...runtime import BadRequest, Engine
from ..credentials.credential import Recent, Scope
from ..credentials.guard import Guard
from ..http.rejections import Unauthenticated
from ..serving.bound_engines import refuse_other
from ..serving.engine_access import EngineOf
from .contracts.contract import Contract, GatewayCall
from .headers import Headers, Refused
from .outcome import Outcome, allowed, denied, no_route, no_subject, refused, unreadable
from .peers import is_trusted
from .question import NoRoute, question_of
from .subjects import NoSubject, subject_of
from .user_tokens import UserTokens

CREDENTIAL: Final = "X-Writ-Authorization"
"""The header with the gateway's own credential. `Authorization` is the user's."""


class Asked(NamedTuple):
    """A gateway's request. `below` is its raw target below the path of the contract, `peer` the address it is from."""

    contract: Contract
    env: str
    method: str
    below: str
    fields: list[tuple[bytes, bytes]]
    peer: str


class Prepared(NamedTuple):
    """A question that the engine has to decide, and the outcome of each decision."""

    engine: Engine
    question: dict[str, Any]
    outcome: Callable[[Mapping[str, Any]], Outcome]


class Gateway:
    """Answers the requests of gateways. It never lets one through that it can't read."""

    def __init__(self, engine_of: EngineOf, guard: Guard, recent: Recent, tokens: UserTokens) -> None:
        self._engine_of, self._guard, self._recent, self._tokens = engine_of, guard, recent, tokens

    def at_once(self, asked: Asked) -> Outcome:
        """Returns the answer. Raises what `prepare` raises, and what `Engine.decide` raises but for BadRequest."""
        found = self.prepare(asked)
        if isinstance(found, Outcome):
            return found
        try:
            return found.outcome(found.engine.decide(found.question))
        except BadRequest as ex:
            return unreadable(ex)

    def prepare(self, asked: Asked) -> Prepared | Outcome:
        """Returns the question, or the answer if there is none.

        Raises Unauthenticated, TooManyFailures, Forbidden, OutOfBounds for the gateway's own credential, NotFound for
        an unknown environment, KeysAreComing, and Stale.
        """
        try:
            headers = Headers(asked.fields)
            engine = self._admitted(asked, headers)
            return self._question(asked, headers, engine)
        except Refused as ex:
            return refused(str(ex))
        except NoSubject as ex:
            return no_subject(str(ex))
        except NoRoute:
            return no_route()

    def _admitted(self, asked: Asked, headers: Headers) -> Engine:
        header = headers.one(CREDENTIAL)
        if header is None:
            raise Unauthenticated(f"the gateway's credential is missing; send `{CREDENTIAL}: Bearer <key>`")
        credential = self._guard.admitted(header, lambda: asked.peer, Scope.READ, asked.env, self._recent.version())
        engine = self._engine_of(asked.env)
        refuse_other(engine, credential.bounds)
        return engine.pinned()

    def _question(self, asked: Asked, headers: Headers, engine: Engine) -> Prepared:
        settings = engine.gateway
        if settings is None:
            raise Refused(f"`{asked.env}` has no gateway settings; PUT /v1/environments/{asked.env}/gateway")
        trusted = is_trusted(asked.peer, settings.trusted_proxies)
        if asked.contract.told_by_headers and not trusted:
            raise Refused("the peer may not tell of requests; add the gateway to `trusted_proxies`")
        original = asked.contract.original(GatewayCall(asked.method, headers, asked.below, trusted))
        subject = subject_of(headers, settings, trusted, self._tokens)
        question = question_of(original, subject, headers, settings, engine.routes, trusted)

        def outcome(decision: Mapping[str, Any]) -> Outcome:
            if decision["decision"] is not True:
                return denied(decision)
            return allowed(settings, question, decision, engine.revision)

        return Prepared(engine, question, outcome)
