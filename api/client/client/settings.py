"""The settings of a client, and all that one process makes of them."""

import random
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

from .calling.caller import Caller
from .calling.credentials import ClientCredentials, Token, credential_of
from .calling.discovery import Discovery, origin_of
from .calling.revision import Revisions
from .calling.tracing import TextNow, headers_now
from .management.grants import GrantCalls
from .management.groups import GroupCalls
from .management.registry import RegistryCalls
from .questions import Questions

TIMEOUT_SECONDS: Final = 1.0
"""The time limit of a question, with its repetitions, if the application gives none."""

WRITE_SECONDS: Final = 10.0
"""The same of a call that manages the model."""

DEFAULT_ENVIRONMENT: Final = "default"


@dataclass(frozen=True, kw_only=True)
class ClientSettings:
    """The parameters of a client; see `Client`."""

    url: str
    agent: str | None
    token: Token | ClientCredentials | None
    environment: str | None
    timeout: float
    write_timeout: float
    ca_file: str | Path | None
    request_id: TextNow | None
    traceparent: TextNow | None
    discover: bool
    origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises ValueError for a URL or an origin that is none, or a time limit that is not positive."""
        for url in (self.url,) if self.agent is None else (self.url, self.agent):
            if not _is_url(url):
                raise ValueError(f"`{url}` is no URL of a decision point, such as `https://writ.example`")
        for origin in self.origins:
            if origin_of(origin) is None:
                raise ValueError(f"`{origin}` is no origin, such as `https://search.example`")
        if not (self.timeout > 0 and self.write_timeout > 0):
            raise ValueError("a time limit is a positive number of seconds")

    @property
    def base(self) -> str:
        """The URL without a slash at its end."""
        return self.url.rstrip("/")

    @property
    def identifier(self) -> str:
        """The URL of the decision point: the agent's, or that of the environment if one is named."""
        if self.agent is not None:
            return self.agent.rstrip("/")
        return self.base if self.environment is None else f"{self.base}/environments/{quote(self.environment, safe='')}"

    @property
    def managed(self) -> str:
        """The URL below which the model is managed."""
        return f"{self.base}/v1/environments/{quote(self.environment or DEFAULT_ENVIRONMENT, safe='')}"

    def headers(self) -> Mapping[str, str]:
        """Returns the headers of the present call."""
        return headers_now(self.request_id, self.traceparent)

    def session_options(self) -> dict[str, Any]:
        """Returns the parameters of a session of httpx."""
        if self.ca_file is None:
            return {}
        return {"verify": ssl.create_default_context(cafile=str(self.ca_file))}


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        has_place = bool(parts.netloc) and parts.port != 0  # Python reads the port late, and raises for an odd one
    except ValueError:
        return False
    return has_place and parts.scheme in ("http", "https") and not parts.query and not parts.fragment


class Calls:
    """All calls of a client in one process. `revision` is a token that is known already, as by the parent of a fork.

    `service` makes those that manage a model. `longest_wait` bounds `Retry-After`; see `Caller`.
    """

    def __init__(self, settings: ClientSettings, revision: str | None, longest_wait: float | None = None):
        clock, name = time.monotonic, f"`{settings.identifier}`"
        credential = credential_of(settings.token, f"{settings.base}/v1/oauth/token", clock)
        caller = Caller(name, credential, settings.headers, clock, random.random, longest_wait)
        discovery = Discovery(settings.identifier, caller.plain, clock, settings.discover, settings.origins)
        self.revisions = Revisions(revision)
        self.questions = Questions(caller, discovery, self.revisions, settings.timeout)
        # An agent decides on while its service is away, so each has its own circuit.
        self.service = caller
        if settings.agent is not None:
            self.service = Caller(f"`{settings.base}`", credential, settings.headers, clock, random.random)
        managing = (self.service, settings.managed, self.revisions, settings.write_timeout)
        self.grants, self.groups, self.registry = GrantCalls(*managing), GroupCalls(*managing), RegistryCalls(*managing)
