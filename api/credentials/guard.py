"""Who may call what: the scope of every route, the credentials, and the check of each request."""

import hashlib
import hmac
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Protocol

import falcon
import falcon.asgi

from ..http.rejections import Forbidden, TooManyFailures, Unauthenticated
from ..http.source_address import source_address
from ..management.kinds import KINDS
from ..store.credential_rows import Bounds
from ..store.environments import DEFAULT, refuse_outside


class Scope(IntEnum):
    """What a credential may do; cumulative, so a higher one covers every lower one (contract 5)."""

    NONE = 0
    READ = 1
    WRITE = 2
    ADMIN = 3


_READABLE = {"GET": Scope.READ, "HEAD": Scope.READ}
_PUBLIC = {"GET": Scope.NONE, "HEAD": Scope.NONE}
_ADMINISTRATION = {"GET": Scope.ADMIN, "HEAD": Scope.ADMIN}
_DECISION = {"POST": Scope.READ}
_ENVIRONMENT = "/v1/environments/{env}"

DECISION_CALLS: Final = ("evaluation", "evaluations", "search/resource", "search/subject", "search/action")
"""The calls under `/access/v1`, of the default environment and of each by its name."""

_WELL_KNOWN: Final = "/.well-known/authzen-configuration"
DISCOVERY: Final = (_WELL_KNOWN, f"{_WELL_KNOWN}/environments/{{env}}")
"""Where AuthZEN clients find out what is served (authzen.md 83), of the default environment and of each by its name."""

ROUTES: Final[Mapping[str, Mapping[str, Scope]]] = {
    **{f"{base}/access/v1/{call}": _DECISION for base in ("", "/environments/{env}") for call in DECISION_CALLS},
    "/v1/environments": _READABLE | {"POST": Scope.ADMIN},
    _ENVIRONMENT: _READABLE | {"PATCH": Scope.ADMIN, "DELETE": Scope.ADMIN},
    **{kind.list_path: _READABLE | {"POST": Scope.WRITE} for kind in KINDS},
    **{kind.batch_path: {"POST": Scope.WRITE} for kind in KINDS},
    **{
        kind.element_path: _READABLE | {"PUT": Scope.WRITE, "PATCH": Scope.WRITE, "DELETE": Scope.WRITE}
        for kind in KINDS
    },
    "/v1/audit": _ADMINISTRATION,
    "/v1/api-keys": _ADMINISTRATION | {"POST": Scope.ADMIN},
    "/v1/api-keys/{id}": _ADMINISTRATION | {"DELETE": Scope.ADMIN},
    "/v1/clients": _ADMINISTRATION | {"POST": Scope.ADMIN},
    "/v1/clients/{client_id}": _ADMINISTRATION | {"PATCH": Scope.ADMIN, "DELETE": Scope.ADMIN},
    "/v1/clients/{client_id}/secret": {"POST": Scope.ADMIN},
    "/v1/clients/{client_id}/revoke": {"POST": Scope.ADMIN},
    f"{_ENVIRONMENT}/model": _READABLE | {"PUT": Scope.WRITE},
    f"{_ENVIRONMENT}/revisions": _READABLE,
    f"{_ENVIRONMENT}/revisions/{{revision}}": _READABLE,
    "/v1/oauth/token": {"POST": Scope.NONE},
    "/v1/oauth/revoke": {"POST": Scope.NONE},
    "/.well-known/jwks.json": _PUBLIC,
    "/.well-known/oauth-authorization-server": _PUBLIC,
    "/healthz": _PUBLIC,
    "/readyz": _PUBLIC,
    "/openapi.json": _READABLE,
    **dict.fromkeys(DISCOVERY, _PUBLIC),
}
"""Every route that is served, its methods, and the scope that each asks for; what has no row is not served."""


ALL_ENVIRONMENTS: Final = frozenset(
    {
        "/openapi.json",
        "/v1/environments",
        "/v1/audit",
        *(route for route in ROUTES if route.startswith(("/v1/api-keys", "/v1/clients"))),
    }
)
"""The routes of no single environment; those of the root are of the default one.

A credential that is bound to environments may call these too, since they show and change only its part.
"""


@dataclass(frozen=True, slots=True)
class Credential:
    """What a presented secret turned out to be; the change log names whoever has it as `actor`.

    `bounds` are the UUIDs of the environments that it is bound to, None where it is bound to none. It is good until
    `expires`, in epoch seconds. `token` is the id of an access token.
    """

    scope: Scope
    actor: str
    bounds: Bounds = None
    expires: float = math.inf
    token: str | None = None


class Verifier(Protocol):
    """One kind of credential, or several."""

    def credential(self, token: bytes) -> Credential | None:
        """What `token`, the bytes after `Bearer `, stands for; None where it is none of this kind."""

    def spent(self, token: bytes) -> bool:
        """Whether `token`, which stands for nothing now, was made here once, and so is no guess. May take long."""


class Recent(Protocol):
    """What `Authorization` headers stood for a moment ago."""

    def version(self) -> object:
        """What differs where something was committed since, None where nobody can tell."""

    def credential(self, header: str, version: object) -> Credential | None:
        """What `header` stands for at `version`; None where a verifier has to say."""

    def keep(self, header: str, credential: Credential, version: object) -> None:
        """Remember what `header` stood for at `version`."""


ADMIN_ACTOR: Final = "admin-key"
"""Who the change log names for what was done with the administrator's key."""


class AdminKey:
    """The administrator's key, of which only the SHA-256 is known here."""

    def __init__(self, digest: bytes) -> None:
        self._digest = digest
        self._credential = Credential(Scope.ADMIN, ADMIN_ACTOR)

    def credential(self, token: bytes) -> Credential | None:
        """See `Verifier`; compared in constant time."""
        if hmac.compare_digest(hashlib.sha256(token).digest(), self._digest):
            return self._credential
        return None

    def spent(self, _token: bytes) -> bool:
        """See `Verifier`; nothing is kept of the keys before this one."""
        return False


class Guard:
    """Falcon middleware that lets a request through to its responder, or refuses it (authzen.md 68, 96, 97)."""

    def __init__(
        self,
        verifiers: Sequence[Verifier],
        recent: Recent,
        routes: Mapping[str, Mapping[str, Scope]] = ROUTES,
        uuid_of: Callable[[str], str | None] = lambda _: None,
        failed: Callable[[str], int | None] = lambda _: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`uuid_of` gives the UUID of an environment by its id, None where there is no such environment.

        `failed` is told of an address with a wrong credential; it gives the seconds to wait where there were too many.
        `clock` gives epoch seconds.
        """
        self._verifiers = verifiers
        self._routes = routes
        self._uuid_of = uuid_of
        self._failed = failed
        self._recent = recent
        self._clock = clock

    async def process_resource(
        self, req: falcon.asgi.Request, _resp: falcon.asgi.Response, _resource: object, params: Mapping[str, str]
    ) -> None:
        """Pass when the route has the method and the request a credential of its scope and environment.

        Raises:
            falcon.HTTPMethodNotAllowed: the route has no such method; known without a credential.
            Unauthenticated: no credential, or an unknown one.
            TooManyFailures: an unknown one, after too many others of this address.
            Forbidden, OutOfBounds: a known credential of a lower scope, or bound to other environments.
        """
        route = req.uri_template or ""
        methods = self._routes[route]
        needed = methods.get(req.method)
        if needed is None:
            raise falcon.HTTPMethodNotAllowed(sorted(methods))
        if needed is Scope.NONE:
            return
        version = self._recent.version()
        req.context.asked = needed, params, version
        self._let_pass(req, needed, params, version)

    def confirm(self, req: falcon.asgi.Request) -> None:
        """Check a request again whose body was long in coming: its credential may have ended meanwhile.

        Raises:
            Unauthenticated, TooManyFailures, Forbidden, OutOfBounds: as `process_resource`.
        """
        needed, params, before = req.context.asked
        version = self._recent.version()
        if version is None or version != before or req.context.credential.expires <= self._clock():
            self._let_pass(req, needed, params, version)

    def _let_pass(self, req: falcon.asgi.Request, needed: Scope, params: Mapping[str, str], version: object) -> None:
        credential = self._presented(req, version)
        if credential.scope < needed:
            scope = needed.name.lower()
            raise Forbidden(f"this needs a credential of the scope `{scope}`", scope)
        if credential.bounds is not None:
            self._check_bounds(credential.bounds, req.uri_template or "", params)
        req.context.credential = credential

    def _check_bounds(self, bounds: frozenset[str], route: str, params: Mapping[str, str]) -> None:
        """The same answer whether an environment outside is there or not."""
        if route not in ALL_ENVIRONMENTS:
            refuse_outside(self._uuid_of(params.get("env", DEFAULT)), bounds)

    def _presented(self, req: falcon.asgi.Request, version: object) -> Credential:
        header = req.get_header("Authorization")
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
        raise self._unknown(req, presented)

    def _unknown(self, req: falcon.asgi.Request, token: bytes) -> Exception:
        """A credential that was good once stays 401, at which its client gets another (contract 5)."""
        seconds = self._failed(source_address(req))
        if seconds is None or any(verifier.spent(token) for verifier in self._verifiers):
            return Unauthenticated("the credential is not known, or not any more", "invalid_token")
        return TooManyFailures(seconds)
