"""The sessions of people as credentials: the cookie of a request below `/v1/` or `/console/`."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Protocol

import falcon.asgi

from ...http.rejections import Forbidden, Unauthenticated
from ...store.actor import PERSON_PREFIX
from ...store.errors import NotFound, Stale, StoreUnavailable
from ...store.sign_ins.session_rows import Session
from ...store.sign_ins.sign_ins import USE_SECONDS, SignIns
from ..credential import Credential, highest
from ..secret_format import digest_of, is_well_formed
from .cookies import Cookies

SESSION_SECRET: Final = "writ_session_"  # noqa: S105 - what such a secret begins with
SESSION_HEADER: Final = "X-Writ-Session"
"""The header of a request that changes something. A form of another site can't send it."""

_PATHS: Final = ("/v1/", "/console/")
_SAFE: Final = ("GET", "HEAD")
_ENDED: Final = "the session has ended; sign in again"


class _Work(Protocol):
    """Runs calls of the store off the event loop."""

    def __call__(self, call: Callable[..., object], /, *arguments: object) -> Awaitable[object]:
        """Returns the result of the call."""


class PeopleSessions:
    """The sessions of the people at one server. Each request reads its session in the store: it may end anywhere."""

    def __init__(
        self, store: SignIns, read: _Work, change: _Work, cookies: Cookies, origin: str, clock: Callable[[], float]
    ) -> None:
        """`read` and `change` run calls of the store. `origin` is that of the public URL. `clock`: epoch seconds."""
        self._store, self._read, self._change = store, read, change
        self._cookies, self._origin, self._clock = cookies, origin, clock

    def counts(self, req: falcon.asgi.Request) -> bool:
        """Returns whether a cookie counts for a request, by the path of its route. A header always comes first."""
        return (req.uri_template or "").startswith(_PATHS) and req.get_header("Authorization") is None

    async def credential(self, req: falcon.asgi.Request) -> Credential | None:
        """Returns the credential of the request's session, or None if it has no cookie.

        Raises Unauthenticated if the session has ended, Forbidden if another site may have sent the request, and Stale.
        """
        secret = self._cookies.sent(req, self._cookies.session)
        if secret is None:
            return None
        if req.method not in _SAFE:
            self._refuse_other_sites(req)
        session = await self.open_session(secret)
        if session is None:
            raise Unauthenticated(_ENDED, "invalid_token")
        await self._use(session)
        return credential_of(session)

    async def open_session(self, secret: str) -> Session | None:
        """Returns the session of a secret that has not ended, or None. Raises Stale."""
        if not is_well_formed(secret, SESSION_SECRET):
            return None
        try:
            found = await self._read(self._store.session_with, digest_of(secret))
        except StoreUnavailable as ex:
            raise Stale("the store can't be read, so this session can't be checked") from ex
        assert found is None or isinstance(found, Session)
        return found if found is not None and self._clock() < found.until else None

    def checked_again(self, credential: Credential) -> Credential:
        """Returns the credential of a session as it is now. Raises Unauthenticated, Stale."""
        try:
            session = self._store.session(credential.session or "")
        except NotFound:
            raise Unauthenticated(_ENDED, "invalid_token") from None
        except StoreUnavailable as ex:
            raise Stale("the store can't be read, so this session can't be checked") from ex
        if not self._clock() < session.until:
            raise Unauthenticated(_ENDED, "invalid_token")
        return credential_of(session)

    def _refuse_other_sites(self, req: falcon.asgi.Request) -> None:
        """Raises Forbidden unless our own page sent the request: both headers are out of the reach of other sites."""
        if req.get_header(SESSION_HEADER) != "1":
            raise Forbidden(f"a session needs the header `{SESSION_HEADER}: 1` for this")
        if req.get_header("Origin") != self._origin:
            raise Forbidden(f"a session needs the `Origin` {self._origin} for this")

    async def _use(self, session: Session) -> None:
        now = self._clock()
        if now - session.used >= USE_SECONDS:
            with suppress(StoreUnavailable):  # it only ends earlier
                await self._change(self._store.use, session.id, now)


def credential_of(session: Session) -> Credential:
    """Returns the credential of a session that has not ended."""
    actor = f"{PERSON_PREFIX}{session.person.id}"
    scope = highest(session.scopes)
    return Credential(scope, actor, session.bounds, float(session.until), session=session.id, shown=session.person.name)
