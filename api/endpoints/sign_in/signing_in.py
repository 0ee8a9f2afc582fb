"""One sign-in: to the provider, and back with a code that becomes a session (OpenID Connect Core 3.1)."""

import hmac
import logging
import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

import falcon.asgi

from ....bundles.routing.settings import JwtSubject
from ...engines.live.store_work import StoreWork
from ...engines.work.fair_threads import FairThreads
from ...http.queries import parameters
from ...identity.issuers.key_sets import KeysAreComing, KeySets
from ...identity.issuers.user_tokens import BadToken, UserTokens
from ...identity.request_actor import unnamed_actor
from ...identity.secret_format import new_secret
from ...identity.sign_in.flows import Flow, Flows
from ...identity.sign_in.id_tokens import LONGEST_ID_TOKEN, check_id_token, expected_token, person_of
from ...identity.sign_in.options import SignInOptions
from ...identity.sign_in.provider import CodeRefused, Provider, ProviderMetadata, asked_url, sign_out_url
from ...identity.sign_in.provider_calls import ProviderUnavailable
from ...identity.sign_in.sessions import SESSION_SECRET
from ...store.errors import BadQuery, Conflict, NotPermitted
from ...store.sign_ins.newest_sign_in import Overtaken, SignIn
from ...store.sign_ins.session_rows import Person
from ...store.sign_ins.sign_ins import Rights

CALLING_THREADS: Final = 2
"""The threads of a worker that call the provider."""

MOST_CODE: Final = 4_096
"""The characters of a code that is sent on."""

_TRIES: Final = 3
_ERROR = re.compile(r"[a-z_]{1,64}")
_UNKNOWN: Final = "This sign-in is not known here, or it took too long."
_OVERTAKEN: Final = "A newer sign-in of yours came first. Sign in again."
_NO_GROUP: Final = "None of your groups gives you access to Writ."
_NO_ENVIRONMENT: Final = "None of the environments of your groups exists."


class SignInFailed(Exception):
    """A sign-in can't go on. The message is a text for the person. `refused`: the attempt counts as a failed one."""

    def __init__(self, message: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST, refused: bool = False) -> None:
        super().__init__(message)
        self.status, self.refused = status, refused


class SigningIn:
    """The sign-in at the provider of one service."""

    def __init__(
        self,
        options: SignInOptions,
        work: StoreWork,
        key: bytes,
        own_issuer: Callable[[], str],
        clock: Callable[[], float],
        log: logging.Logger,
    ) -> None:
        """`key` is the secret of all servers for sign-ins under way. `clock` gives epoch seconds."""
        self.options, self._work, self._clock, self._log = options, work, clock, log
        self._provider = Provider(options.issuer, options.client_id, options.secret_file)
        self._flows = Flows(key, clock)
        self._key_sets = KeySets(lambda sentence: log.warning("%s", sentence))
        self._tokens = UserTokens(self._key_sets, own_issuer, clock, LONGEST_ID_TOKEN)
        self._threads = FairThreads(CALLING_THREADS, "sign-in")

    async def begin(self) -> tuple[str, str]:
        """Returns the provider's URL where a person signs in, and the text of the cookie. Raises SignInFailed."""
        metadata, flow = await self._metadata(), self._flows.begin()
        asked = {
            "response_type": "code",
            "client_id": self.options.client_id,
            "redirect_uri": self.options.redirect_uri,
            "scope": self.options.scopes,
            "state": flow.state,
            "nonce": flow.nonce,
            "code_challenge": flow.challenge,
            "code_challenge_method": "S256",
        }
        return asked_url(metadata.authorization_endpoint, asked), flow.cookie

    async def sign_out_url(self) -> str | None:
        """Returns the provider's URL where a person signs out, or None if there is none, or no provider to ask now."""
        try:
            metadata = await self._metadata()
        except SignInFailed:
            return None
        return sign_out_url(metadata, self.options.client_id, self.options.signed_out_uri)

    async def finish(self, req: falcon.asgi.Request) -> str:
        """Returns the secret of the session that the provider's answer begins.

        Raises SignInFailed, StoreUnavailable.
        """
        sent, flow = self._answered(req)
        metadata = await self._metadata()
        _refuse_other_issuer(sent, metadata)
        claims = await self._claims(_code_in(sent), flow, metadata)
        try:
            check_id_token(claims, self.options.client_id, flow.nonce, self._clock())
            person, rights = person_of(claims), self.options.rules.rights(claims)
        except BadToken as ex:
            raise self._not_accepted(ex) from None
        return await self._begun(req, person, rights, SignIn(flow.id, flow.expires, int(claims["iat"])))

    async def _begun(self, req: falcon.asgi.Request, person: Person, rights: Rights | None, sign_in: SignIn) -> str:
        """Returns the secret of a new session. Without rights, the person's sessions end. Raises SignInFailed."""
        store, actor, now = self._work.store.sign_ins, unnamed_actor(req), self._clock()
        secret, digest = new_secret(SESSION_SECRET)
        try:
            if rights is not None:
                await self._stored(store.begin, actor, person, rights, digest, sign_in, now)
                return secret
            sentence = _NO_GROUP
        except NotPermitted:
            sentence = _NO_ENVIRONMENT
        await self._stored(store.end_without_rights, actor, person, sign_in, now)
        raise self._no_access(sentence)

    async def _stored(self, change: Callable[..., object], *arguments: object) -> None:
        """Runs a change of the store. Raises SignInFailed if the sign-in does not count, and what else it raises."""
        try:
            await self._work.change(change, *arguments)
        except Overtaken:
            raise SignInFailed(_OVERTAKEN) from None
        except Conflict:
            raise SignInFailed(_UNKNOWN) from None

    def _answered(self, req: falcon.asgi.Request) -> tuple[Mapping[str, str], Flow]:
        """Returns the provider's parameters, and the sign-in that they belong to, by state and cookie."""
        cookies = self.options.cookies
        flow = self._flows.of(cookies.sent(req, cookies.flow) or "")
        try:
            sent = parameters(req)
        except BadQuery:
            raise SignInFailed(_UNKNOWN) from None
        state = sent.get("state", "").encode("utf-8", "replace")
        if flow is None or not hmac.compare_digest(state, flow.state.encode()):
            raise SignInFailed(_UNKNOWN)
        return sent, flow

    async def _metadata(self) -> ProviderMetadata:
        try:
            return await self._threads.run(self._provider.metadata)
        except ProviderUnavailable as ex:
            raise self._unavailable(ex) from None

    async def _claims(self, code: str, flow: Flow, metadata: ProviderMetadata) -> Mapping[str, Any]:
        provider, uri = self._provider, self.options.redirect_uri
        try:
            token = await self._threads.run(lambda: provider.id_token(code, flow.verifier, uri))
            return await self._verified(token, expected_token(metadata, self.options.client_id))
        except ProviderUnavailable as ex:
            raise self._unavailable(ex) from None
        except (CodeRefused, BadToken) as ex:
            raise self._not_accepted(ex) from None

    async def _verified(self, token: str, expected: JwtSubject) -> Mapping[str, Any]:
        """Returns the claims of a token, once the keys are there: they may have changed since the last sign-in."""
        keys = self._key_sets.of(str(expected.jwks_url))
        for last in (False,) * (_TRIES - 1) + (True,):
            try:
                return self._tokens.claims(token, expected)
            except (KeysAreComing, BadToken) as ex:
                if last:
                    raise ex if isinstance(ex, BadToken) else ProviderUnavailable("its keys are not there") from None
            await keys.loaded()
        raise AssertionError

    def _unavailable(self, ex: Exception) -> SignInFailed:
        self._log.warning("people can't sign in: the provider %s can't be used: %s", self.options.issuer, ex)
        return SignInFailed("The sign-in provider can't be used now. Try again in a moment.", HTTPStatus.BAD_GATEWAY)

    def _not_accepted(self, ex: Exception) -> SignInFailed:
        self._log.warning("a sign-in is refused: %s", ex)
        return SignInFailed(f"The answer of the sign-in provider is not accepted: {ex}.", refused=True)

    def _no_access(self, sentence: str) -> SignInFailed:
        return SignInFailed(
            f"{sentence} To get access, ask {self.options.rules.ask}.", HTTPStatus.FORBIDDEN, refused=True
        )


def _refuse_other_issuer(sent: Mapping[str, str], metadata: ProviderMetadata) -> None:
    """Raises SignInFailed if the answer comes from another issuer (RFC 9207, 2.4)."""
    expected = metadata.issuer if metadata.authorization_response_iss_parameter_supported else None
    if sent.get("iss", metadata.issuer if expected is None else None) != metadata.issuer:
        raise SignInFailed("The answer is from another sign-in provider.", refused=True)


def _code_in(sent: Mapping[str, str]) -> str:
    error, code = sent.get("error"), sent.get("code", "")
    if error is not None:
        named = f": {error}" if _ERROR.fullmatch(error) else ""
        raise SignInFailed(f"The sign-in provider did not sign you in{named}.")
    if not 0 < len(code) <= MOST_CODE:
        raise SignInFailed(_UNKNOWN)
    return code
