"""A running service, as the commands call it over HTTP."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar
from urllib.parse import quote

import msgspec
import urllib3

from .output import CommandFailed

CONNECT_SECONDS: Final = 10.0
"""Time to connect to the service."""

ANSWER_SECONDS: Final = 120.0
"""Time in which the service must begin to answer."""

MOST_BYTES: Final = 2**29
"""The most bytes of an answer. A model has half of them at most."""

_T = TypeVar("_T")


class _Problem(msgspec.Struct, frozen=True):
    """The body of an error."""

    error: str
    details: list[dict[str, str]] = []


class ServiceRefused(Exception):
    """The service answers with an error. The message is its sentence; `body` is the whole answer.

    `details` are further sentences. `retry_after` is the time in which the same call may succeed, as the service
    wrote it, or None.
    """

    def __init__(self, status: int, problem: _Problem, body: bytes, retry_after: str | None = None):
        super().__init__(problem.error)
        self.status, self.body, self.retry_after = status, body, retry_after
        self.details = [one["message"] for one in problem.details if "message" in one]


class RemoteService:
    """The service at `url`. `token` is an API key or an access token.

    Every method raises ServiceRefused for an answer that is an error, and CommandFailed if there is no such service.
    """

    def __init__(self, url: str, token: str, ca_file: str | None = None) -> None:
        options: dict[str, Any] = {} if ca_file is None else {"ca_certs": ca_file}
        self._http = urllib3.PoolManager(
            retries=False,
            timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=ANSWER_SECONDS),
            headers={"Authorization": f"Bearer {token}"},
            **options,
        )
        self._url = url.rstrip("/")

    def call(self, method: str, path: str, shape: type[_T], body: Mapping[str, Any] | None = None) -> _T:
        """Returns the answer to a call, as a value of `shape`."""
        return self._shaped(self.answer(method, path, body), shape)

    def answer(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> bytes:
        """Returns the body of the answer to a call, whose own body is JSON."""
        data = None if body is None else msgspec.json.encode(body)
        return self._sent(method, path, data, {} if data is None else {"Content-Type": "application/json"})

    def send(
        self, method: str, path: str, document: Iterable[bytes], headers: Mapping[str, str], shape: type[_T]
    ) -> _T:
        """Sends a document piece by piece. Returns the answer as a value of `shape`. `headers` name its type."""
        return self._shaped(self._sent(method, path, document, headers), shape)

    def _shaped(self, said: bytes, shape: type[_T]) -> _T:
        try:
            return msgspec.json.decode(said, type=shape)
        except msgspec.DecodeError as ex:
            raise CommandFailed(f"`{self._url}` answers what a service of Writ does not: {ex}") from None

    def _sent(self, method: str, path: str, body: bytes | Iterable[bytes] | None, headers: Mapping[str, str]) -> bytes:
        sent = {**self._http.headers, "Accept": "application/json", **headers}
        try:
            answer = self._http.request(
                method, self._url + path, body=body, headers=sent, redirect=False, preload_content=False
            )
            said = answer.read(MOST_BYTES)
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as ex:
            raise CommandFailed(f"`{self._url}` can't be reached: {str(ex).partition('): ')[2] or ex}") from None
        if answer.status < 300:
            return said
        try:
            problem = msgspec.json.decode(said, type=_Problem)
        except msgspec.DecodeError:
            raise CommandFailed(f"`{self._url}` answers {answer.status}; is it a service of Writ?") from None
        raise ServiceRefused(answer.status, problem, said, answer.headers.get("Retry-After"))


def environment_path(env: str) -> str:
    """Returns the path of an environment.

    >>> environment_path("a/b")
    '/v1/environments/a%2Fb'
    """
    return f"/v1/environments/{segment(env)}"


def segment(text: str) -> str:
    """Returns a text as one segment of a path."""
    return quote(text, safe="")
