"""`POST /v1/oauth/token` and `/v1/oauth/revoke`: the client-credentials grant, and revocation.

RFC 6749 and RFC 7009; every error is `{"error": code}` (contract 7.1).
"""

import hmac
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

import falcon.asgi

from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.source_address import source_address
from ...identity.attempt_counts import RefusedAttempts
from ...identity.credential import highest
from ...identity.credential_shapes import SCOPES, TokenAnswer, in_order
from ...identity.keys.signing_keys import UnusableSigningKey
from ...identity.request_actor import client_actor
from ...identity.secret_format import digest_of
from ...identity.tokens.access_tokens import AccessTokens, IssuedToken
from ...identity.tokens.forms import ClientForm, OAuthRejected, read_form
from ...identity.tokens.token_claims import ROUNDING_SECONDS
from ...store.audit.entries import AuditEntry
from ...store.audit.events import Event
from ...store.credential_rows import Client
from ...store.errors import StoreUnavailable

WHY_HEADER: Final = "Error-Description"
"""Tells developers more than the body, whose shape the contract fixes (7.1)."""

_WRONG_CLIENT: Final = "client_id or client_secret is wrong, or the client was revoked"
_STATUS: Final = {"invalid_client": HTTPStatus.UNAUTHORIZED, "server_error": HTTPStatus.INTERNAL_SERVER_ERROR}
"""The status of an error code. That of any other is 400."""

_NOBODY: Final = bytes(32)
"""Is compared in place of the SHA-256 of the secret of an unknown client."""


@dataclass(frozen=True, slots=True)
class OAuth:
    """The parts that the two endpoints share.

    `report` gets failures of the service itself. `failed` counts a wrong secret, as in `guard.Guard`, and `refused`
    counts it for the audit log. `used` notes the use of a client's secret (see
    `Credential.used_as`).
    """

    work: StoreWork
    tokens: AccessTokens
    report: Callable[[Exception], None]
    log: logging.Logger
    failed: Callable[[str], int | None]
    refused: RefusedAttempts
    used: Callable[[str], None]

    async def answer(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, work: Awaitable[bytes]) -> None:
        """Answer with the result of `work`, or with an error of RFC 6749. No answer may be cached (5.1)."""
        resp.set_headers({"Cache-Control": "no-store", "Pragma": "no-cache"})
        try:
            resp.data = await work
        except OAuthRejected as ex:
            self._refuse(resp, ex.code, self._wait(source_address(req), ex))
            if ex.why:
                resp.set_header(WHY_HEADER, ex.why)
        except (StoreUnavailable, UnusableSigningKey) as ex:
            self.log.error("no token can be issued or ended: %s", ex)
            self._refuse(resp, "server_error")
        except Exception as ex:
            self.report(ex)
            self._refuse(resp, "server_error")

    def _wait(self, address: str, refused: OAuthRejected) -> int | None:
        """Counts a failed attempt. Returns the seconds until the next one, or None if it need not wait."""
        if refused.client is not None or refused.code == "invalid_client":
            self.refused.add(Event.TOKEN_REFUSED, address, refused.client)
        if refused.code != "invalid_client":
            return None
        seconds = self.failed(address)
        return None if refused.ended else seconds

    def client_of(self, form: ClientForm) -> "Proven":
        """Returns the client that sent a form. Raises OAuthRejected.

        The time tells nothing about a secret. It does tell whether there is a client of that id, which is no secret
        (RFC 6749, 2.2).
        """
        client = self.work.store.credentials.known_client(form.client_id)
        sent = digest_of(form.client_secret)
        right = hmac.compare_digest(sent, _NOBODY if client is None else client.secret)
        old = () if client is None else client.old_secrets
        ends = [one.ends for one in old if hmac.compare_digest(sent, one.secret)]
        if client is None or not (right or ends):
            raise OAuthRejected("invalid_client", None if client is None else client.id, why=_WRONG_CLIENT)
        lifetime = client.token_lifetime
        if not right:  # a token of an old secret ends with it
            lifetime = min(lifetime, ends[0] - int(self.work.now()) - ROUNDING_SECONDS)
        if client.revoked is not None or lifetime < 1:
            raise OAuthRejected("invalid_client", client.id, ended=True, why=_WRONG_CLIENT)
        return Proven(client, sent, lifetime)

    def _refuse(self, resp: falcon.asgi.Response, code: str, wait: int | None = None) -> None:
        """`wait` is the seconds until the next attempt after too many, or None if it need not wait."""
        status = _STATUS.get(code, HTTPStatus.BAD_REQUEST) if wait is None else HTTPStatus.TOO_MANY_REQUESTS
        resp.status = status
        if wait is not None:
            resp.set_header("Retry-After", str(wait))
        elif status == HTTPStatus.UNAUTHORIZED:
            resp.set_header("WWW-Authenticate", 'Basic realm="writ"')
        resp.data = ENCODER.encode({"error": code})


@dataclass(frozen=True, slots=True)
class Proven:
    """A client that sent a right secret. `digest` is the SHA-256 of that, `lifetime` the seconds of a token for it."""

    client: Client
    digest: bytes
    lifetime: int


class Token:
    """`/v1/oauth/token`: issues tokens."""

    def __init__(self, oauth: OAuth) -> None:
        self._oauth = oauth

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 with a token (contract 4.1)."""
        await self._oauth.answer(req, resp, self._token(req))

    async def _token(self, req: falcon.asgi.Request) -> bytes:
        form = await read_form(req, "grant_type")
        if form.fields["grant_type"] != "client_credentials":
            raise OAuthRejected("unsupported_grant_type", why="the only grant_type is client_credentials")
        proven, issued, scope = await self._oauth.work.read_credential(self._issued, form)
        client, lifetime = proven.client, proven.lifetime
        details: dict[str, object] = {"jti": issued.id, "scope": scope, "expires_in": lifetime}
        if proven.digest != client.secret:
            details["old_secret"] = True
        actor, time = client_actor(req, client), self._oauth.work.time()
        # Before the answer: a token that is not in the audit log must not exist.
        await self._oauth.work.record(AuditEntry.of(time, actor, Event.TOKEN_ISSUED, details, within=client.bounds))
        self._oauth.used(f"{actor.name} {proven.digest.hex()}")
        return ENCODER.encode(TokenAnswer(issued.text, "Bearer", lifetime, scope))

    def _issued(self, form: ClientForm) -> tuple[Proven, IssuedToken, str]:
        proven = self._oauth.client_of(form)
        scopes = _granted(proven.client, form.fields.get("scope"))
        return proven, self._oauth.tokens.issue(proven.client, scopes, proven.lifetime), " ".join(scopes)


class Revocation:
    """`/v1/oauth/revoke`: revokes a token before it expires."""

    def __init__(self, oauth: OAuth) -> None:
        self._oauth = oauth

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200, for an unknown or expired token too (RFC 7009, 2.2)."""
        await self._oauth.answer(req, resp, self._revoked(req))

    async def _revoked(self, req: falcon.asgi.Request) -> bytes:
        form = await read_form(req, "token")
        work = self._oauth.work
        client = (await work.read_credential(self._oauth.client_of, form)).client
        token = await work.read_credential(self._oauth.tokens.read, form.fields["token"])
        if token is not None:
            if token.client != client.id:
                raise OAuthRejected("invalid_grant", client.id, why="the token is another client's")
            if await work.read_credential(work.store.credentials.is_revoked, token.id):
                await work.confirm()  # without a write, for which other writers would wait
                return b"{}"
            actor = client_actor(req, client)
            await work.change(work.store.credentials.revoke_token, actor, token.id, token.expires, work.now())
        return b"{}"


def _granted(client: Client, asked: str | None) -> Sequence[str]:
    """Returns the scopes of a token: those that its client asks for, or all of the client's (RFC 6749, 3.3).

    Raises OAuthRejected.
    """
    if asked is None:
        return client.scopes
    scopes = asked.split(" ")
    if not all(scope in SCOPES for scope in scopes) or highest(scopes) > highest(client.scopes):
        raise OAuthRejected("invalid_scope", client.id, why=f"the client may ask for {' '.join(client.scopes)}")
    return in_order(scopes)
