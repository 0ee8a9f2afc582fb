"""The guard: checks the credential of each request against what its route asks for."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import falcon
import falcon.asgi

from ..http.caller import CALLER, Who
from ..http.rejections import Forbidden, TooManyFailures, Unauthenticated
from ..http.source_address import source_address
from ..store.environment_ids import DEFAULT, refuse_outside
from .credential import Credential, Recent, Scope, Sessions, Verifier


class Access(NamedTuple):
    """The access rule of a route: the scope of each method, and whether the route belongs to one environment.

    A route of one environment belongs to the one that its path names as `env`, or to the default one. A credential that
    is bound to environments may call a route of no environment too, since such a route shows and changes only the
    credential's part.
    """

    scopes: Mapping[str, Scope]
    one_environment: bool = True


class Guard:
    """Falcon middleware that lets a request through to its responder, or refuses it (authzen.md 68, 96, 97)."""

    def __init__(
        self,
        verifiers: Sequence[Verifier],
        recent: Recent,
        routes: Mapping[str, Access],
        uuid_of: Callable[[str], str | None] = lambda _: None,
        failed: Callable[[str], int | None] = lambda _: None,
        clock: Callable[[], float] = time.time,
        anonymous: Credential | None = None,
        sessions: Sessions | None = None,
    ) -> None:
        """`uuid_of` returns the UUID of an environment by its id, or None if there is no such environment.

        `failed` counts a wrong credential from an address. It returns the seconds to wait after too many, or else None.
        `clock` gives epoch seconds. `anonymous` is the credential of a request that has none, or None to refuse it.
        `sessions` are those of people, or None if they have no sign-in here.
        """
        self._verifiers = verifiers
        self._routes = routes
        self._uuid_of = uuid_of
        self._failed = failed
        self._recent = recent
        self._clock = clock
        self._anonymous = anonymous
        self._sessions = sessions

    @property
    def admits_anybody(self) -> bool:
        """True if a request needs no credential."""
        return self._anonymous is not None

    async def process_resource(
        self, req: falcon.asgi.Request, _resp: falcon.asgi.Response, _resource: object, params: Mapping[str, str]
    ) -> None:
        """Checks that the route has the method, and that the credential has its scope and environment.

        Raises:
            falcon.HTTPMethodNotAllowed: the route has no such method. This needs no credential.
            Unauthenticated: the credential is missing or unknown.
            TooManyFailures: the credential is unknown, like too many others from this address.
            Forbidden, OutOfBounds: the credential has a lower scope, or is bound to other environments, or another site
                may have sent the request of a session.
        """
        access = self._routes[req.uri_template or ""]
        needed = access.scopes.get(req.method)
        if needed is None:
            raise falcon.HTTPMethodNotAllowed(sorted(access.scopes))
        if needed is Scope.NONE:
            return
        env = params.get("env", DEFAULT) if access.one_environment else None
        version = self._recent.version()
        req.context.asked = needed, env, version
        found = None
        if self._sessions is not None and self._sessions.counts(req):
            found = await self._sessions.credential(req)
        if found is None:
            found = self._credential_of(req, needed, env, version)
        else:
            self._require(found, needed, env)
        req.context.credential = found
        CALLER.set(self._who(env, req.context.credential))

    def _who(self, env: str | None, credential: Credential) -> Who:
        """Returns what to note of an admitted request to an environment, or to none."""
        return env or "", credential.actor

    notes = False
    """Tells whether `note` does anything. PERF: else it is not called for each decision."""

    def note(self, env: str, credential: Credential) -> None:
        """Notes the caller of a request that was admitted before, for the access log if there is one."""

    def confirm(self, req: falcon.asgi.Request) -> None:
        """Checks a request again after its body has arrived: its credential may have ended since.

        Raises:
            Unauthenticated, TooManyFailures, Forbidden, OutOfBounds: as `process_resource`.
        """
        needed, env, before = req.context.asked
        version = self._recent.version()
        if version is None or version != before or not req.context.credential.is_valid_at(self._clock()):
            req.context.credential = self._confirmed(req, needed, env, version)

    def _confirmed(self, req: falcon.asgi.Request, needed: Scope, env: str | None, version: object) -> Credential:
        credential: Credential = req.context.credential
        if credential.session is None or self._sessions is None:
            return self._credential_of(req, needed, env, version)
        found = self._sessions.checked_again(credential)
        self._require(found, needed, env)
        return found

    def _credential_of(self, req: falcon.asgi.Request, needed: Scope, env: str | None, version: object) -> Credential:
        return self.admitted(req.get_header("Authorization"), partial(source_address, req), needed, env, version)

    def admitted(
        self, header: str | None, address: Callable[[], str], needed: Scope, env: str | None, version: object
    ) -> Credential:
        """Returns the credential of a request, whatever server took it.

        Args:
            header: the request's `Authorization` header, or None if it has none.
            address: gives the address that the request came from, as text.
            needed: the scope that the call needs.
            env: the id of the environment that the call belongs to, or None if it belongs to none.
            version: the version of the known credentials when the request came (see `Recent.version`).

        Raises:
            Unauthenticated, TooManyFailures, Forbidden, OutOfBounds: as `process_resource`.
        """
        credential = self._presented(header, address, version)
        self._require(credential, needed, env)
        return credential

    def _require(self, credential: Credential, needed: Scope, env: str | None) -> None:
        """Raises Forbidden, OutOfBounds if a credential does not permit a call."""
        require_scope(credential, needed)
        if credential.bounds is not None and env is not None:
            refuse_outside(self._uuid_of(env), credential.bounds)

    def _presented(self, header: str | None, address: Callable[[], str], version: object) -> Credential:
        if header is None and self._anonymous is not None:
            return self._anonymous
        if header is None:
            raise Unauthenticated("a credential is missing; send `Authorization: Bearer <key>`")
        recent = self._recent.credential(header, version)
        if recent is not None:
            return recent
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer":
            raise Unauthenticated("only the `Bearer` scheme is accepted in `Authorization`")
        presented = token.strip(" ").encode("latin-1")
        for verifier in self._verifiers:
            credential = verifier.credential(presented)
            if credential is not None:
                self._recent.keep(header, credential, version)
                return credential
        raise self._unknown(address(), presented)

    def _unknown(self, address: str, token: bytes) -> Exception:
        """Returns the error for an unknown credential. One that has ended stays 401, so that its client renews it."""
        seconds = self._failed(address)
        if seconds is None or any(verifier.was_issued(token) for verifier in self._verifiers):
            return Unauthenticated("the credential is not known, or not any more", "invalid_token")
        return TooManyFailures(seconds)


def require_scope(credential: Credential, needed: Scope) -> None:
    """Raises Forbidden if the scope of a credential is lower than the needed one."""
    if credential.scope < needed:
        scope = needed.name.lower()
        raise Forbidden(f"this needs a credential of the scope `{scope}`", scope)
