"""`/console/sign-in`, `/console/callback`, `/console/session` and `/console/sign-out`: people sign in and out."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

import falcon
import falcon.asgi
from msgspec import Struct

from ...console.page_files import HEADERS, MEDIA
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.openapi.operation import TEXT, Answer, Operation, Parameter
from ...http.openapi.vocabulary import CACHE_CONTROL, LOCATION
from ...http.public_url import below
from ...http.queries import known_parameters
from ...http.source_address import source_address
from ...identity.attempt_counts import RefusedAttempts
from ...identity.request_actor import actor_of
from ...identity.sign_in.sessions import PeopleSessions
from ...store.audit.events import Event
from ...store.errors import Conflict
from .sign_in_pages import failed_page, signed_in_page
from .signing_in import SignInFailed, SigningIn

_TAG: Final = "Sign-in"
_NO_STORE: Final = "no-store"
_HTML: Final = MEDIA[".html"].partition(";")[0]


class SessionState(Struct, frozen=True):
    """The sign-in that the service offers. `open` says that this browser has a session.

    `provider` is the name of the provider and `sign_in` the URL where the sign-in begins, or null if there is none.
    `ask` says whom to ask for access.
    """

    open: bool
    provider: str | None = None
    sign_in: str | None = None
    ask: str | None = None


class SignedOut(Struct, frozen=True):
    """The session has ended. At the URL `provider_sign_out`, the person can sign out of the provider too.

    It is null if the provider offers none, or can't be reached.
    """

    provider_sign_out: str | None


BEGIN: Final = Operation(
    "beginSignIn",
    _TAG,
    "Begin a sign-in: a browser is sent to the provider",
    {303: Answer("The provider is at the URL in `Location`.", headers=(LOCATION, CACHE_CONTROL))},
    errors=(400, 404),
)
FINISH: Final = Operation(
    "finishSignIn",
    _TAG,
    "Come back from the provider: the session begins",
    {
        200: Answer("A page that goes on to the console, with the cookie.", TEXT, (CACHE_CONTROL,), (_HTML,)),
        400: Answer("A page that says why the person is not signed in.", TEXT, (CACHE_CONTROL,), (_HTML,)),
    },
    query=(
        Parameter("state", "The sign-in that began in this browser."),
        Parameter("code", "The code of the provider."),
        Parameter("iss", "The issuer of the provider (RFC 9207)."),
        Parameter("error", "Why there is no code."),
    ),
    errors=(404,),
)
STATE: Final = Operation(
    "getSession",
    _TAG,
    "Read how people sign in, and whether this browser has a session",
    {200: Answer("The sign-in.", SessionState, (CACHE_CONTROL,))},
    errors=(400,),
)
END: Final = Operation(
    "signOut",
    _TAG,
    "Sign out: the session of the request ends everywhere",
    {200: Answer("The session has ended.", SignedOut, (CACHE_CONTROL,))},
    errors=(409,),
)


class SignIn:
    """`/console/sign-in`."""

    def __init__(self, signing_in: SigningIn | None) -> None:
        self._signing_in = signing_in

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 303 with the provider's URL, or a page if it can't be used."""
        known_parameters(req)
        signing_in = _offered(self._signing_in)
        resp.set_headers(HEADERS | {"Cache-Control": _NO_STORE})
        try:
            url, cookie = await signing_in.begin()
        except SignInFailed as ex:
            _show(resp, ex.status, failed_page(str(ex)))
            return
        signing_in.options.cookies.keep_flow(resp, cookie)
        resp.status = falcon.HTTP_303
        resp.set_header("Location", url)


class Callback:
    """`/console/callback`."""

    def __init__(
        self,
        signing_in: SigningIn | None,
        refused: RefusedAttempts,
        wrong_secret: Callable[[str], int | None],
    ) -> None:
        self._signing_in, self._refused, self._wrong_secret = signing_in, refused, wrong_secret

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 with the cookie of a new session, or a page that says why there is none."""
        signing_in = _offered(self._signing_in)
        resp.set_headers(HEADERS | {"Cache-Control": _NO_STORE})
        cookies = signing_in.options.cookies
        cookies.drop(resp, cookies.flow)
        try:
            cookies.keep_session(resp, await signing_in.finish(req))
        except SignInFailed as ex:
            self._fail(req, resp, ex)
            return
        _show(resp, HTTPStatus.OK, signed_in_page())

    def _fail(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, ex: SignInFailed) -> None:
        status = ex.status
        if ex.refused:
            address = source_address(req)
            self._refused.add(Event.SIGN_IN_REFUSED, address)
            seconds = self._wrong_secret(address)
            if seconds is not None:
                status = HTTPStatus.TOO_MANY_REQUESTS
                resp.set_header("Retry-After", str(seconds))
        _show(resp, status, failed_page(str(ex)))


class SessionStates:
    """`/console/session`."""

    def __init__(self, signing_in: SigningIn | None, sessions: PeopleSessions | None) -> None:
        self._signing_in, self._sessions = signing_in, sessions

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 to anyone. A session that has ended is none."""
        known_parameters(req)
        resp.set_header("Cache-Control", _NO_STORE)
        resp.data = ENCODER.encode(await self._state(req))

    async def _state(self, req: falcon.asgi.Request) -> SessionState:
        if self._signing_in is None or self._sessions is None:
            return SessionState(False)
        options = self._signing_in.options
        secret = options.cookies.sent(req, options.cookies.session)
        is_open = secret is not None and await self._sessions.open_session(secret) is not None
        begin = below(options.public_url, "/console/sign-in")
        return SessionState(is_open, options.provider, begin, options.rules.ask)


class SignOut:
    """`/console/sign-out`."""

    def __init__(self, work: StoreWork, signing_in: SigningIn | None) -> None:
        self._work, self._signing_in = work, signing_in

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200: no server takes the session any more, whatever the provider does then.

        Raises Conflict for another credential.
        """
        known_parameters(req)
        actor = actor_of(req)
        if actor.session is None or self._signing_in is None:
            raise Conflict("only a person who signed in has a session to end")
        await self._work.change(self._work.store.sign_ins.end, actor, actor.session)
        cookies = self._signing_in.options.cookies
        cookies.drop(resp, cookies.session)
        resp.set_header("Cache-Control", _NO_STORE)
        resp.data = ENCODER.encode(SignedOut(await self._signing_in.sign_out_url()))


def _offered(signing_in: SigningIn | None) -> SigningIn:
    """Returns the sign-in. Raises HTTPRouteNotFound if the service offers none."""
    if signing_in is None:
        raise falcon.HTTPRouteNotFound
    return signing_in


def _show(resp: falcon.asgi.Response, status: HTTPStatus, page: bytes) -> None:
    resp.status = status
    resp.content_type = MEDIA[".html"]
    resp.data = page
