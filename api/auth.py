"""Who may call what: the scope of every route, the credentials, and the check of each request."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Protocol

import falcon
import falcon.asgi

from api.management.kinds import KINDS
from api.rejections import Forbidden, Unauthenticated


class Scope(IntEnum):
    """What a credential may do; cumulative, so a higher one covers every lower one (contract 5)."""

    NONE = 0
    READ = 1
    WRITE = 2
    ADMIN = 3


_READABLE = {"GET": Scope.READ, "HEAD": Scope.READ}
_PUBLIC = {"GET": Scope.NONE, "HEAD": Scope.NONE}
_DECISION = {"POST": Scope.READ}
_ENVIRONMENT = "/v1/environments/{env}"

DECISION_CALLS: Final = ("evaluation", "evaluations", "search/resource", "search/subject", "search/action")
"""The calls under `/access/v1`, of the default environment and of each by its name."""

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
    f"{_ENVIRONMENT}/model": _READABLE | {"PUT": Scope.WRITE},
    f"{_ENVIRONMENT}/revisions": _READABLE,
    f"{_ENVIRONMENT}/revisions/{{revision}}": _READABLE,
    "/healthz": _PUBLIC,
    "/readyz": _PUBLIC,
    "/openapi.json": _READABLE,
}
"""Every route that is served, its methods, and the scope that each asks for; what has no row is not served."""


@dataclass(frozen=True, slots=True)
class Credential:
    """What a presented secret turned out to be; the change log names whoever has it as `actor`."""

    scope: Scope
    actor: str


class Verifier(Protocol):
    """One kind of credential."""

    def credential(self, token: bytes) -> Credential | None:
        """What `token`, the bytes after `Bearer `, stands for; None where it is none of this kind."""


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


class Guard:
    """Falcon middleware that lets a request through to its responder, or refuses it (authzen.md 68, 96, 97)."""

    def __init__(self, verifiers: Sequence[Verifier], routes: Mapping[str, Mapping[str, Scope]] = ROUTES) -> None:
        self._verifiers = verifiers
        self._routes = routes

    async def process_resource(
        self, req: falcon.asgi.Request, _resp: falcon.asgi.Response, _resource: object, _params: object
    ) -> None:
        """Pass when the route has the method and the request a credential of its scope.

        Raises:
            falcon.HTTPMethodNotAllowed: the route has no such method; known without a credential.
            Unauthenticated: no credential, or an unknown one.
            Forbidden: a known credential of a lower scope.
        """
        methods = self._routes[req.uri_template or ""]
        needed = methods.get(req.method)
        if needed is None:
            raise falcon.HTTPMethodNotAllowed(sorted(methods))
        if needed is Scope.NONE:
            return
        credential = self._presented(req)
        if credential.scope < needed:
            raise Forbidden(f"this needs a credential of the scope `{needed.name.lower()}`")
        req.context.actor = credential.actor

    def _presented(self, req: falcon.asgi.Request) -> Credential:
        header = req.get_header("Authorization")
        if header is None:
            raise Unauthenticated("a credential is missing; send `Authorization: Bearer <key>`")
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer":
            raise Unauthenticated("only the `Bearer` scheme is accepted in `Authorization`")
        presented = token.strip(" ").encode("latin-1")
        for verifier in self._verifiers:
            credential = verifier.credential(presented)
            if credential is not None:
                return credential
        raise Unauthenticated("the credential is not known")
