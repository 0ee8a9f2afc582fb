"""A running service, as the commands call it over HTTP: with the client that applications use."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar
from urllib.parse import quote

import msgspec

from ...bundles.system_errors import reason_of
from ...client.calling.credentials import ClientCredentials
from ...client.calling.errors import CallFailed
from ...client.service_calls import ServiceCalls
from .output import CommandFailed

_JSON: Final = {"Content-Type": "application/json"}
_MAY_BE_REPEATED: Final = frozenset({"GET", "PUT"})
"""The methods that are repeated although the first request may have done its work. Not those of a PUT with `If-Match`:
the second one would find the work of the first.
"""

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
    """The service at `url`. `token` is an API key or an access token, or a client's id and secret.

    Every method raises ServiceRefused for an answer that is an error, and CommandFailed if there is no such service.
    """

    def __init__(self, url: str, token: str | ClientCredentials, ca_file: str | None = None) -> None:
        """Raises CommandFailed for a URL or a file that can't be used."""
        self._url, self._calls = url.rstrip("/"), service_calls(url, token, ca_file)

    def close(self) -> None:
        """Close the connections."""
        self._calls.close()

    def call(self, method: str, path: str, shape: type[_T], body: Mapping[str, Any] | None = None) -> _T:
        """Returns the answer to a call, as a value of `shape`."""
        return self._shaped(self.answer(method, path, body), shape)

    def answer(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> bytes:
        """Returns the body of the answer to a call, whose own body is JSON."""
        data = None if body is None else msgspec.json.encode(body)
        return self._sent(method, path, data, {} if data is None else _JSON)

    def send(
        self,
        method: str,
        path: str,
        document: Callable[[], Iterable[bytes]],
        headers: Mapping[str, str],
        shape: type[_T],
    ) -> _T:
        """Sends a document piece by piece. Returns the answer as a value of `shape`. `headers` name its type."""
        return self._shaped(self._sent(method, path, document, headers), shape)

    def _shaped(self, said: bytes, shape: type[_T]) -> _T:
        try:
            return msgspec.json.decode(said, type=shape)
        except msgspec.DecodeError as ex:
            raise CommandFailed(f"`{self._url}` answers what a service of Writ does not: {ex}") from None

    def _sent(
        self, method: str, path: str, body: bytes | Callable[[], Iterable[bytes]] | None, headers: Mapping[str, str]
    ) -> bytes:
        repeatable = method in _MAY_BE_REPEATED and "If-Match" not in headers
        try:
            answer = self._calls.answer(method, path, body, headers, repeatable)
        except CallFailed as ex:
            raise CommandFailed(str(ex)) from None
        if answer.status < 300:
            return answer.body
        try:
            problem = msgspec.json.decode(answer.body, type=_Problem)
        except msgspec.DecodeError:
            raise CommandFailed(f"`{self._url}` answers {answer.status}; is it a service of Writ?") from None
        raise ServiceRefused(answer.status, problem, answer.body, answer.headers.get("retry-after"))


def service_calls(
    url: str, token: str | ClientCredentials, ca_file: str | None, environment: str | None = None
) -> ServiceCalls:
    """Returns the calls to a service. Raises CommandFailed for a URL or a file that can't be used."""
    try:
        return ServiceCalls(url, token, ca_file, environment)
    except OSError as ex:
        raise CommandFailed(f"{ca_file}: {reason_of(ex)}") from None
    except ValueError as ex:
        raise CommandFailed(str(ex)) from None


def environment_path(env: str) -> str:
    """Returns the path of an environment.

    >>> environment_path("a/b")
    '/v1/environments/a%2Fb'
    """
    return f"/v1/environments/{segment(env)}"


def segment(text: str) -> str:
    """Returns a text as one segment of a path."""
    return quote(text, safe="")
