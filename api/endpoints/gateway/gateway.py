"""Answers gateways: checks the gateway's credential, finds out who asks what, and decides."""

from collections.abc import Callable, Mapping
from time import perf_counter_ns
from typing import Any, Final

from msgspec import Struct

from ....bundles.conditions.values import Unreadable
from ....bundles.routing.settings import CREDENTIAL_HEADERS, GatewaySettings
from ....bundles.routing.typed_values import typed_value
from ....runtime import BadRequest, Engine
from ...engines.live.bound_engines import refuse_other
from ...http.bodies import ENCODER
from ...http.rejections import Unauthenticated
from ...identity.credential import Credential
from ...identity.issuers.user_tokens import UserTokens
from ...telemetry.decision_log.decision_log import NO_LOG, Log
from ...telemetry.decision_log.entry import Asker, EntryKind, Moment
from ...telemetry.log_lines import TRACE
from ...telemetry.metrics.counts import Counts
from ..decisions.admissions import Admissions
from .asked import GatewayQuestion
from .gateway_subjects import NoSubject
from .headers import GatewayRefused, Headers
from .outcome import Outcome, allowed, denied, no_route, no_subject, refused, unreadable
from .question import NoRoute, question_of
from .tellings import Tellings

CREDENTIAL: Final = "X-Writ-Authorization"
"""The header with the gateway's own credential. `Authorization` is the user's."""


_SECRET_FIELDS: Final = tuple(name.encode() for name in CREDENTIAL_HEADERS)


class Prepared(Struct, frozen=True, gc=False):
    """A question that the engine has to decide, the settings of its environment, and when and for whom it is decided.

    `engine` is pinned.
    """

    engine: Engine
    question: dict[str, Any]
    settings: GatewaySettings
    moment: Moment
    caller: str


class Gateway:
    """Answers the requests of gateways. It never lets one through that it can't read."""

    def __init__(
        self,
        admissions: Admissions,
        tokens: UserTokens,
        clock: Callable[[], float],
        counts: Counts,
        log: Log = NO_LOG,
    ) -> None:
        """`clock` gives epoch seconds. `log` is the decision log."""
        self.engine_of, self.counts, self._admissions = admissions.engine_of, counts, admissions
        self._tokens, self._clock, self._log = tokens, clock, log
        self._tellings: dict[str, Tellings] = {}

    def at_once(self, asked: GatewayQuestion) -> Outcome:
        """Returns the answer, and counts the decision if there was one.

        Raises what `admit`, `prepare` and `Admissions.of` raise, and TakesLong.
        Each of them leaves the request to `GatewayFront`, and leaves nothing counted that is counted there again.
        """
        header = self._header(asked)
        if isinstance(header, Outcome):
            return header
        credential, engine = self._admissions.of(header, asked.env)
        found = self._prepared(asked, engine, credential.actor)
        if isinstance(found, Outcome):
            return found
        try:
            decision = found.engine.decide(found.question, found.moment.now)
            outcome = self.outcome(asked, found, decision)
        except BadRequest as ex:
            self.counts.faulted(found.engine, ex.strict_faults)
            return unreadable(ex)
        self.counts.decided(found.engine, decision["context"]["reason_code"])
        return outcome

    def admit(self, asked: GatewayQuestion, address: Callable[[], str]) -> Credential | Outcome:
        """Returns the gateway's own credential, or the answer to a request that has several, or that strays.

        `address` gives the address for which a wrong credential counts. Raises what it raises, and Unauthenticated,
        TooManyFailures, Forbidden, OutOfBounds.
        """
        header = self._header(asked)
        if isinstance(header, Outcome):
            return header
        if header is None and not self._admissions.guard.admits_anybody:
            raise Unauthenticated(f"the gateway's credential is missing; send `{CREDENTIAL}: Bearer <key>`")
        return self._admissions.credential(header, address, asked.env)

    @staticmethod
    def _header(asked: GatewayQuestion) -> str | Outcome | None:
        """Returns the gateway's own credential as sent, or the answer to a request that has several, or strays."""
        if asked.strays:
            return refused("the path has a dot segment")
        try:
            return asked.own.one(CREDENTIAL)
        except GatewayRefused as ex:
            return refused(str(ex))

    def prepare(self, asked: GatewayQuestion, admitted: Credential, engine: Engine) -> Prepared | Outcome:
        """Returns the question, or the answer if there is none. Raises OutOfBounds, KeysAreComing, LogFull."""
        refuse_other(engine, admitted.bounds)
        return self._prepared(asked, engine.held(), admitted.actor)

    def _prepared(self, asked: GatewayQuestion, engine: Engine, caller: str) -> Prepared | Outcome:
        """Returns what `prepare` returns, by a pinned engine that the caller may ask."""
        try:
            return self._question(asked, engine, caller)
        except GatewayRefused as ex:
            return refused(str(ex))
        except NoSubject as ex:
            return no_subject(str(ex))
        except NoRoute:
            return no_route()

    def outcome(self, asked: GatewayQuestion, found: Prepared, decision: Mapping[str, Any]) -> Outcome:
        """Returns the answer for what `prepare` returned and the engine decided, and logs the decision."""
        if self._log.is_on:
            self._keep(asked, found, decision)
        if decision["decision"] is not True:
            answer = denied(decision)
        else:
            answer = allowed(found.settings, found.question, decision, found.engine, self._clock())
        # PERF: `replace` takes three times as long.
        return Outcome(answer.status, answer.headers, answer.body, answer.told, found.moment.id.decode())

    def _keep(self, asked: GatewayQuestion, found: Prepared, decision: Mapping[str, Any]) -> None:
        question, cut = without_credentials(found.question, asked.headers)
        question, unread = as_logged(question)
        answer, asker = ENCODER.encode(decision), Asker(found.caller, asked.id, asked.headers.fields.get(TRACE))
        self._log.keep(
            EntryKind.EVALUATION, found.moment, found.engine, ENCODER.encode(question), answer, asker, cut, unread
        )

    def _question(self, asked: GatewayQuestion, engine: Engine, caller: str) -> Prepared:
        headers, settings = asked.headers, engine.gateway
        if settings is None:
            raise GatewayRefused(f"`{asked.env}` has no gateway settings; PUT /v1/environments/{asked.env}/gateway")
        tellings = self._tellings.get(asked.env)
        if tellings is None or tellings.settings is not settings:
            tellings = self._tellings[asked.env] = Tellings(settings, self._tokens)
        telling = tellings.of(asked)
        question = question_of(telling.original, telling.asker, headers, settings, engine, telling.trusted)
        if settings.max_cache_seconds:
            question["options"] = {"valid_until": True}
        return Prepared(engine, question, settings, self._log.begin(perf_counter_ns()), caller)


def without_credentials(question: dict[str, Any], headers: Headers) -> tuple[dict[str, Any], bool]:
    """Returns a question for the decision log, and whether something was left out of it.

    A route may take an attribute from any header, also from one with a credential of the user.
    """
    properties = question["resource"].get("properties")
    if not properties:
        return question, False
    texts = [headers.fields[name].decode("latin-1") for name in _SECRET_FIELDS if name in headers.fields]
    secrets = {*texts, *map(Unreadable, texts), *(typed_value("number", text) for text in texts)}
    kept = {key: value for key, value in properties.items() if value not in secrets}
    if len(kept) == len(properties):
        return question, False
    return question | {"resource": question["resource"] | {"properties": kept}}, True


def as_logged(question: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Returns a question for the decision log, and the properties of its resource that are texts instead of values.

    A replay has to tell these texts from others (C11).
    """
    properties = question["resource"].get("properties", {})
    unread = tuple(key for key, value in properties.items() if isinstance(value, Unreadable))
    if not unread:
        return question, ()
    texts = {key: properties[key].text for key in unread}
    return question | {"resource": question["resource"] | {"properties": properties | texts}}, unread
