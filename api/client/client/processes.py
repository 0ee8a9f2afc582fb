"""All that a client has in one process. A forked process makes its own connections, and goes on with the rest."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from .calling.credentials import ClientCredentials, Token
from .calling.tracing import TextNow
from .settings import TIMEOUT_SECONDS, WRITE_SECONDS, Calls, ClientSettings

SessionT = TypeVar("SessionT")
DriverT = TypeVar("DriverT")


class _Forks:
    """Counts the forks that led to this process. A process may have the id of an ancestor that has ended."""

    count = 0

    @classmethod
    def add(cls) -> None:
        """Count one, in the child."""
        cls.count += 1


os.register_at_fork(after_in_child=_Forks.add)


def _present() -> tuple[int, int]:
    """Returns what tells this process from those that it comes from."""
    return _Forks.count, os.getpid()


class Process(NamedTuple, Generic[DriverT]):
    """The calls of a client in one process, and the driver that takes their steps."""

    calls: Calls
    driver: DriverT


class OfProcesses(Generic[SessionT, DriverT]):
    """The base of the clients. Any thread may use it, and so may a forked process."""

    def __init__(
        self,
        url: str,
        *,
        agent: str | None = None,
        token: Token | ClientCredentials | None = None,
        environment: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        write_timeout: float = WRITE_SECONDS,
        session: SessionT | None = None,
        ca_file: str | Path | None = None,
        request_id: TextNow | None = None,
        traceparent: TextNow | None = None,
        discover: bool = True,
        origins: Iterable[str] = (),
    ):
        """Nothing is sent yet.

        Args:
            url: The URL of the decision point, such as `https://writ.example`.
            agent: The URL of an agent that answers all questions. Then `url` is that of the service for other calls.
            token: An API key or an access token, a function that reads it for each call, or `ClientCredentials`.
            environment: The environment of Writ, instead of `default`.
            timeout: The seconds that a question may take, with all repetitions. A search takes it for each page.
            write_timeout: The same for a call that manages the model.
            session: The session to send with. It is not closed, and must not be used across a fork.
            ca_file: The certificates of the authorities for the server's certificate, instead of those of httpx.
            request_id: Gives the `X-Request-ID` of a call: a function or a context variable.
            traceparent: Gives the `traceparent` of a call. By default, it names the current span of OpenTelemetry.
            discover: Whether to read the metadata of the decision point. If not, it has the URLs of Writ's service.
            origins: Other origins that its metadata may name, such as `https://search.example`. They get the token.

        Raises:
            ValueError: The URL or a time limit can't be used.
            OSError: `ca_file` can't be read.
        """
        self._settings = ClientSettings(
            url=url,
            agent=agent,
            token=token,
            environment=environment,
            timeout=timeout,
            write_timeout=write_timeout,
            ca_file=ca_file,
            request_id=request_id,
            traceparent=traceparent,
            discover=discover,
            origins=tuple(origins),
        )
        self._session = session
        self._processes: dict[tuple[int, int], Process[DriverT]] = {}
        self._open(None)

    def _driver(self) -> DriverT:
        """Returns a driver with the session of the application, or with one for this process."""
        raise NotImplementedError

    def _open(self, revision: str | None) -> Process[DriverT]:
        """Returns the part of this process. Of two threads, one makes it."""
        # The parts of the parents stay: their end would close the parents' connections.
        return self._processes.setdefault(_present(), Process(Calls(self._settings, revision), self._driver()))

    def _here(self) -> Process[DriverT]:
        found = self._processes.get(_present())
        if found is None:
            newest = list(self._processes.values())[-1]
            found = self._open(newest.calls.revisions.token)
        return found

    @property
    def revision(self) -> str | None:
        """The token of the newest write of this client, which it sends with each question. It may be set, too.

        Raises ValueError if it is set to something else, such as a changed cookie.
        """
        return self._here().calls.revisions.token

    @revision.setter
    def revision(self, token: str | None) -> None:
        self._here().calls.revisions.replace(token)
