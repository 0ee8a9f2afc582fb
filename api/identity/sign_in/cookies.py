"""The cookies of the sign-in: one for a sign-in under way, and one for a session (RFC 6265bis).

With `https`, their names begin with `__Host-`: no other host can set them. A browser takes such a name with `Secure`
alone. So on `http`, which is for this machine alone, the names lack both.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import falcon.asgi

from .flows import SIGN_IN_SECONDS

_PREFIX: Final = "__Host-"
_LONGEST: Final = 256
_PAST: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Cookies:
    """The cookies below a public URL. `secure`: it begins with `https`."""

    secure: bool

    @property
    def session(self) -> str:
        """The name of the cookie with the secret of a session."""
        return self._named("writ-session")

    @property
    def flow(self) -> str:
        """The name of the cookie of a sign-in under way."""
        return self._named("writ-sign-in")

    def sent(self, req: falcon.asgi.Request, name: str) -> str | None:
        """Returns the value of a cookie, or None if there is none, or if there are several of the name."""
        values = req.get_cookie_values(name) or []
        return values[0] if len(values) == 1 and 0 < len(values[0]) <= _LONGEST else None

    def keep_flow(self, resp: falcon.asgi.Response, value: str) -> None:
        """Sets the cookie of a sign-in. The provider's redirect comes from another site, so it is `Lax`."""
        self._set(resp, self.flow, value, SIGN_IN_SECONDS, "Lax")

    def keep_session(self, resp: falcon.asgi.Response, value: str) -> None:
        """Sets the cookie of a session. The browser forgets it when it closes."""
        self._set(resp, self.session, value, None, "Strict")

    def drop(self, resp: falcon.asgi.Response, name: str) -> None:
        """Removes a cookie. Falcon's own way to do so lacks `Secure`, without which such a name is not taken."""
        resp.set_cookie(name, "", expires=_PAST, path="/", secure=self.secure, http_only=True, same_site="Strict")

    def _set(self, resp: falcon.asgi.Response, name: str, value: str, seconds: int | None, same_site: str) -> None:
        resp.set_cookie(name, value, max_age=seconds, path="/", secure=self.secure, http_only=True, same_site=same_site)

    def _named(self, name: str) -> str:
        return f"{_PREFIX}{name}" if self.secure else name
