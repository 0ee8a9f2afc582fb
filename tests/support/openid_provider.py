"""A small OpenID provider in this process: it signs whatever a test wants, also what no provider may sign."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

CLIENT, SECRET = "writ:console", "a secret/with signs"


class OpenIdProvider:
    """Its people are claims. `person` has those of the person at each browser that comes by itself.

    `changed` changes the claims of the next ID tokens, `header` their header, and `metadata` the metadata. `asked` are
    the forms that came to the token endpoint.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.key, self.kid = Ed25519PrivateKey.generate(), "k1"
        self.changed: dict[str, Any] = {}
        self.header: dict[str, Any] = {}
        self.metadata: dict[str, Any] = {}
        self.extra: dict[str, str] = {}
        self.asked: list[dict[str, str]] = []
        self.authorization: list[str | None] = []
        self.raw: bytes | None = None
        self.clock: Callable[[], float] = time.time
        self.person: dict[str, Any] = {}
        self._codes: dict[str, dict[str, str]] = {}

    def signs_in(self, url: str, **claims: Any) -> dict[str, str]:
        """Returns the query that the browser brings back once a person with these claims has signed in at `url`."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query, strict_parsing=True).items()}
        assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
        code = secrets.token_urlsafe()
        self._codes[code] = asked | {"claims": json.dumps(claims)}
        return {"code": code, "state": asked["state"], **self.extra}

    def token(self, form: dict[str, str]) -> tuple[int, bytes]:
        """The answer of the token endpoint. A code counts once, with its verifier."""
        asked = self._codes.pop(form.get("code", ""), None)
        verifier = form.get("code_verifier", "")
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        if asked is None or asked["code_challenge"] != challenge or asked["redirect_uri"] != form.get("redirect_uri"):
            return 400, b'{"error": "invalid_grant"}'
        now = int(self.clock())
        claims = {"iss": self.url, "aud": CLIENT, "nonce": asked["nonce"], "iat": now, "exp": now + 300}
        claims |= json.loads(asked["claims"]) | self.changed
        sent = {name: value for name, value in claims.items() if value is not None}
        signed = jwt.PyJWS().encode(json.dumps(sent).encode(), self.key, "EdDSA", {"kid": self.kid} | self.header)
        return 200, json.dumps({"token_type": "Bearer", "access_token": "a", "id_token": signed}).encode()

    def answer(self, path: str, form: dict[str, str] | None) -> tuple[int, bytes]:
        """The answer to a request."""
        if self.raw is not None:
            return 200, self.raw
        if form is not None:
            self.asked.append(form)
            return self.token(form)
        if path == "/jwks":
            public = json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(self.key.public_key()))
            return 200, json.dumps({"keys": [public | {"kid": self.kid, "alg": "EdDSA"}]}).encode()
        names = {"authorization_endpoint": "/auth?tenant=1", "token_endpoint": "/token", "jwks_uri": "/jwks"}
        found = {"issuer": self.url} | {name: self.url + at for name, at in names.items()} | self.metadata
        return 200, json.dumps(found).encode()


@contextmanager
def openid_provider() -> Iterator[OpenIdProvider]:
    """A provider that listens on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/auth?"):
                asked = parse_qs(urlsplit(self.path).query)
                self.send_response(303)
                back = query(found.signs_in(self.path, **found.person))
                self.send_header("Location", f"{asked['redirect_uri'][0]}?{back}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self._send(*found.answer(self.path, None))

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            found.authorization.append(self.headers.get("Authorization"))
            self._send(*found.answer(self.path, {name: one[0] for name, one in parse_qs(text).items()}))

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found = OpenIdProvider(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield found
        finally:
            server.shutdown()
            thread.join()


def query(sent: dict[str, str]) -> str:
    """The query that the browser brings back."""
    return urlencode(sent)
