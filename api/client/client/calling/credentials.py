"""The credentials of a client: a key or token, or client credentials for tokens, which are renewed in time."""

import logging
from base64 import b64encode
from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias, TypeGuard
from urllib.parse import quote, urlencode

from ...bundles.errors import Error
from .answers import object_of
from .errors import BadAnswer, CallFailed, Refused
from .steps import Alone, Answer, Call, Steps

LOG: Final = "writ.client"
"""The name of the logger of clients."""

EARLY_SECONDS: Final = 60.0
"""The time before its end at which a token is renewed, but never before three quarters of its life are over."""

AGAIN_SECONDS: Final = 5.0
"""The pause after a renewal that failed while the token is still good."""

LIFETIME_SECONDS: Final = 300.0
"""The lifetime of a token whose answer does not tell it."""

_UNFIT: Final = "a token is printable ASCII; the end of a line from a file does not belong to it"

Token: TypeAlias = str | Callable[[], str]
"""An API key or an access token, or a function that reads the present one."""

Ask: TypeAlias = Callable[[Call, float], Steps[Answer]]
"""Makes a call without a credential, until a deadline."""


class Credential(Protocol):
    """The credential of a client. A refused one may be replaced by a new one, once for each call."""

    def authorization(self, ask: Ask, deadline: float) -> Steps[str | None]:
        """Returns the value of the header `Authorization`, or None."""

    def renewed(self, refused: str | None) -> bool:
        """Returns whether there is, or may be, another one than the one that was refused with 401."""


class KeyCredential:
    """A key or token that the application gives. A function is called for each request, so a token may change."""

    def __init__(self, token: Token | None):
        """Raises ValueError if the token is one that no header can have."""
        self._token = token
        if isinstance(token, str) and not _fits(token):
            raise ValueError(_UNFIT)

    def _value(self) -> str | None:
        token = self._token() if callable(self._token) else self._token
        if token is None:
            return None
        if not _fits(token):
            raise CallFailed(_UNFIT)
        return f"Bearer {token}"

    def authorization(self, _ask: Ask, _deadline: float) -> Steps[str | None]:
        """See `Credential`."""
        yield from ()
        return self._value()

    def renewed(self, refused: str | None) -> bool:
        """See `Credential`. A function may have read a new token."""
        return callable(self._token) and self._value() != refused


class ClientCredentials:
    """An OAuth client (RFC 6749, 4.4): its id and its secret, for access tokens.

    `scope` asks for fewer scopes than the client has. `token_url` is that of the token endpoint, by default Writ's.
    """

    def __init__(self, client_id: str, client_secret: str, *, scope: str | None = None, token_url: str | None = None):
        self.client_id, self.client_secret = client_id, client_secret
        self.scope, self.token_url = scope, token_url

    def __repr__(self) -> str:
        return f"ClientCredentials({self.client_id!r}, …)"


class RenewedToken:
    """The access token of client credentials. One call at a time renews it.

    `clock` gives the seconds of a monotonic clock.
    """

    def __init__(self, client: ClientCredentials, url: str, clock: Callable[[], float]):
        """`url` is that of the token endpoint."""
        self._client, self._url, self._clock = client, url, clock
        self._value: str | None = None
        self._renew_at = self._ends_at = 0.0
        self._renewing = False

    def authorization(self, ask: Ask, deadline: float) -> Steps[str | None]:
        """See `Credential`. Raises Refused, Unreachable or BadAnswer if there is no good token."""
        now = self._clock()
        is_good = self._value is not None and now < self._ends_at
        if not is_good or (now >= self._renew_at and not self._renewing):
            yield Alone(self._renew(ask, deadline, self._value), max(0.0, deadline - now))
        return self._value

    def renewed(self, refused: str | None) -> bool:
        """See `Credential`."""
        if self._value == refused:
            self._value = None
        return True

    def _renew(self, ask: Ask, deadline: float, seen: str | None) -> Steps[None]:
        now = self._clock()
        if self._value is not None and self._value != seen and now < self._renew_at:
            return  # another call has renewed it meanwhile
        self._renewing = True
        try:
            self._take((yield from ask(self._call(), deadline)), now)
        except Error as ex:
            if self._value is None or now >= self._ends_at:
                raise
            self._renew_at = now + AGAIN_SECONDS
            logging.getLogger(LOG).warning("the access token can't be renewed: %s", ex)
        finally:
            self._renewing = False

    def _call(self) -> Call:
        client = self._client
        form = {"grant_type": "client_credentials"} | ({} if client.scope is None else {"scope": client.scope})
        pair = f"{quote(client.client_id, safe='')}:{quote(client.client_secret, safe='')}"
        headers = {
            "Authorization": f"Basic {b64encode(pair.encode()).decode()}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        return Call("POST", self._url, urlencode(form).encode(), headers)

    def _take(self, answer: Answer, now: float) -> None:
        if answer.status in (400, 401):
            raise Refused(f"the token endpoint refuses the client `{self._client.client_id}`", answer.status)
        try:
            found: dict[str, Any] = object_of(answer)
        except BadAnswer:
            raise BadAnswer(f"`{self._url}` is no token endpoint") from None
        token: object = found.get("access_token")
        seconds = found.get("expires_in", LIFETIME_SECONDS)
        if not _fits(token):
            raise BadAnswer("the token endpoint answers without an `access_token`")
        lifetime = float(seconds) if isinstance(seconds, int | float) and seconds > 0 else LIFETIME_SECONDS
        self._ends_at, self._renew_at = now + lifetime, now + lifetime - min(EARLY_SECONDS, lifetime / 4)
        self._value = f"Bearer {token}"


def _fits(token: object) -> TypeGuard[str]:
    return isinstance(token, str) and token.isascii() and token.isprintable()


def credential_of(given: Token | ClientCredentials | None, token_url: str, clock: Callable[[], float]) -> Credential:
    """Returns the credential for what an application gives. `token_url` is that of Writ's token endpoint."""
    if isinstance(given, ClientCredentials):
        return RenewedToken(given, given.token_url or token_url, clock)
    return KeyCredential(given)
