"""The OpenID provider: its metadata (OpenID Connect Discovery 1.0), and the exchange of a code (Core 3.1.3)."""

import base64
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Final
from urllib.parse import quote_plus, urlencode, urlsplit

import msgspec
from msgspec import Struct

from ....bundles.prepared import prepared
from .provider_calls import ProviderUnavailable, called, is_safe

METADATA_SECONDS: Final = 300.0
"""The seconds after which the metadata is read again."""

RETRY_SECONDS: Final = 5.0
"""The seconds for which a provider that could not be reached is not tried again."""

_LONGEST_SECRET: Final = 4_096
_BASIC: Final = "client_secret_basic"
_POST: Final = "client_secret_post"
_WELL_KNOWN: Final = "/.well-known/openid-configuration"


@prepared
class ProviderMetadata(Struct, frozen=True):
    """The members of the metadata that Writ needs. They have the names of the specification."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = (_BASIC,)
    authorization_response_iss_parameter_supported: bool = False
    end_session_endpoint: str | None = None


def asked_url(endpoint: str, query: Mapping[str, str]) -> str:
    """Returns the URL of an endpoint with a query. The endpoint may have a query already (RFC 6749, 3.1).

    >>> asked_url("https://idp.example/auth?tenant=1", {"state": "a b"})
    'https://idp.example/auth?tenant=1&state=a+b'
    """
    return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(query)}"


def sign_out_url(metadata: ProviderMetadata, client_id: str, back: str) -> str | None:
    """Returns the URL where a person signs out of the provider, or None if it has none that can be used.

    No ID token is kept for a hint, so the provider asks the person (OpenID Connect RP-Initiated Logout 1.0, 2).
    """
    endpoint = metadata.end_session_endpoint
    if endpoint is None or not is_safe(endpoint):
        return None
    return asked_url(endpoint, {"client_id": client_id, "post_logout_redirect_uri": back})


@prepared
class _Tokens(Struct, frozen=True):
    token_type: str
    id_token: str


class CodeRefused(Exception):
    """The provider does not take the code, or not this client."""


class Provider:
    """The provider of one issuer, for the threads of a worker."""

    def __init__(
        self,
        issuer: str,
        client_id: str,
        secret_file: Path | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` gives monotonic seconds."""
        self.issuer, self.client_id = issuer, client_id
        self._secret_file, self._clock = secret_file, clock
        self._lock = Lock()
        self._metadata: ProviderMetadata | None = None
        self._failure: ProviderUnavailable | None = None
        self._due = 0.0

    def metadata(self) -> ProviderMetadata:
        """Returns the metadata, which is read again when it is old. Raises ProviderUnavailable.

        The last metadata counts while the provider can't be reached.
        """
        with self._lock:
            if self._clock() >= self._due:
                self._read()
            if self._metadata is None:
                raise self._failure or ProviderUnavailable("it was not asked yet")
            return self._metadata

    def id_token(self, code: str, verifier: str, redirect_uri: str) -> str:
        """Returns the ID token for a code. Raises CodeRefused, ProviderUnavailable."""
        metadata = self.metadata()
        fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri}
        headers = self._authenticated(fields, metadata)
        answer = called("POST", metadata.token_endpoint, urlencode(fields | {"code_verifier": verifier}), headers)
        if answer.status != 200:
            raise CodeRefused(f"the provider answers {answer.status} for the code")
        try:
            tokens = msgspec.json.decode(answer.body, type=_Tokens)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise CodeRefused("the provider sends no ID token") from None
        if tokens.token_type.lower() != "bearer":
            raise CodeRefused("the provider sends another type of token")
        return tokens.id_token

    def _read(self) -> None:
        try:
            self._metadata, self._failure = self._fetched(), None
            self._due = self._clock() + METADATA_SECONDS
        except ProviderUnavailable as ex:
            self._failure, self._due = ex, self._clock() + RETRY_SECONDS

    def _fetched(self) -> ProviderMetadata:
        answer = called("GET", self.issuer.removesuffix("/") + _WELL_KNOWN)
        if answer.status != 200:
            raise ProviderUnavailable(f"it answers {answer.status} for its metadata")
        try:
            found = msgspec.json.decode(answer.body, type=ProviderMetadata)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise ProviderUnavailable("its metadata can't be read") from None
        if found.issuer != self.issuer:
            raise ProviderUnavailable("its metadata names another issuer")
        if not all(map(is_safe, (found.authorization_endpoint, found.token_endpoint, found.jwks_uri))):
            raise ProviderUnavailable("its metadata has a URL without `https`")
        return found

    def _authenticated(self, fields: dict[str, str], metadata: ProviderMetadata) -> dict[str, str]:
        """Adds the client to the form. Returns the headers that authenticate it (RFC 6749, 2.3.1)."""
        secret = None if self._secret_file is None else read_secret(self._secret_file)
        methods = metadata.token_endpoint_auth_methods_supported
        if secret is None or (_BASIC not in methods and _POST in methods):
            fields |= {"client_id": self.client_id} | ({} if secret is None else {"client_secret": secret})
            return {}
        pair = f"{quote_plus(self.client_id)}:{quote_plus(secret)}"
        return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def read_secret(file: Path) -> str:
    """Returns the secret of a client in a file. Raises CodeRefused."""
    try:
        with file.open("rb") as opened:
            secret = opened.read(_LONGEST_SECRET).decode().strip()
    except (OSError, UnicodeDecodeError):
        raise CodeRefused("the file with the secret of the client can't be read") from None
    if not secret:
        raise CodeRefused("the file with the secret of the client is empty")
    return secret
