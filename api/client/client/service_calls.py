"""Any call to a service of Writ, for commands: with the credential, the repetitions and the messages of a client."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import httpx

from .calling.blocking import BlockingDriver, Patience
from .calling.credentials import ClientCredentials, Token
from .calling.steps import Answer, Call, Pieces
from .processes import Process
from .settings import Calls, ClientSettings
from .sync_managing import Grants

WHOLE_SECONDS: Final = 3_600.0
"""The time limit of a call. It may send a large model over a slow line."""

LONGEST_WAIT_SECONDS: Final = 5.0
"""The longest `Retry-After` that is waited for. A person would rather know of a longer one."""

PATIENCE: Final = Patience(connect_seconds=10.0, idle_seconds=120.0, most_bytes=2**29)
"""The time in which a service begins to answer is as long as its work on a large model. A model has 256 MiB at most."""


class ServiceCalls:
    """The service at `url`, for one process. `ca_file` and `environment` are those of `Client`."""

    def __init__(
        self, url: str, token: Token | ClientCredentials, ca_file: str | Path | None, environment: str | None = None
    ):
        """Raises ValueError for a URL that is none, and OSError if `ca_file` can't be read."""
        settings = ClientSettings(
            url=url,
            agent=None,
            token=token,
            environment=environment,
            timeout=WHOLE_SECONDS,
            write_timeout=WHOLE_SECONDS,
            ca_file=ca_file,
            request_id=None,
            traceparent=None,
            discover=False,
        )
        self._base = settings.base
        self._process = Process(
            Calls(settings, None, LONGEST_WAIT_SECONDS),
            BlockingDriver(httpx.Client(**settings.session_options()), True, PATIENCE),
        )

    def answer(
        self,
        method: str,
        path: str,
        body: bytes | Pieces | None,
        headers: Mapping[str, str],
        repeatable: bool,
    ) -> Answer:
        """Returns the answer to a call, whatever its status. The other parameters are those of `Call`.

        Raises CallFailed if there is no answer.
        """
        calls, driver = self._process
        call = Call(method, self._base + path, body, headers, repeatable)
        return driver.run(calls.service.sent(call, calls.service.deadline(WHOLE_SECONDS)))

    def close(self) -> None:
        """Close the connections."""
        self._process.driver.close()

    @property
    def grants(self) -> Grants:
        """The grants of the environment."""
        return Grants(lambda: self._process)
