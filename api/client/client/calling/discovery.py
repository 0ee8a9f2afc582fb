"""The URLs of a decision point: from its AuthZEN metadata, or else the standard paths (authzen.md 82-90)."""

import logging
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from .answers import object_of
from .credentials import LOG, Ask
from .errors import BadAnswer, Unreachable
from .steps import Alone, Answer, Broken, Call, Steps

CACHE_SECONDS: Final = 3_600.0
"""The time for which the metadata are kept, and for which their absence is."""

AGAIN_SECONDS: Final = 30.0
"""The time for which the standard paths serve, if the metadata could not be read for now."""

WELL_KNOWN: Final = "/.well-known/authzen-configuration"

_URL: Final = re.compile(r"[a-z]+://[^\s@#\\\x00-\x20\x7f-\U0010ffff]{1,2000}", re.ASCII)
_PORTS: Final = {"http": 80, "https": 443}

_IDENTIFIER: Final = "policy_decision_point"


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The URLs of the calls, or None for a call that the decision point does not offer. `filter` is Writ's own."""

    evaluation: str
    evaluations: str | None
    subject: str | None
    resource: str | None
    action: str | None
    filter: str | None


_MEMBERS: Final = {
    "evaluation": ("access_evaluation_endpoint", "evaluation"),
    "evaluations": ("access_evaluations_endpoint", "evaluations"),
    "subject": ("search_subject_endpoint", "search/subject"),
    "resource": ("search_resource_endpoint", "search/resource"),
    "action": ("search_action_endpoint", "search/action"),
    "filter": ("writ_filter_endpoint", "search/resource"),
}
"""The member of the metadata with the URL of each call, and its standard path below `/access/v1/`."""

_AUTHZEN: Final = frozenset(_MEMBERS) - {"filter"}


class Discovery:
    """The URLs of the decision point with the identifier `identifier`, a URL without a slash at its end.

    `clock` gives the seconds of a monotonic clock. If `asks` is false, the standard paths hold, Writ's own included.
    `origins` are those that the metadata may name beside the identifier's own.
    """

    def __init__(
        self,
        identifier: str,
        ask: Ask,
        clock: Callable[[], float],
        asks: bool = True,
        origins: Iterable[str] = (),
    ):
        self._identifier, self._ask, self._clock = identifier, ask, clock
        self._origins = {origin_of(one) for one in (identifier, *origins)}
        self._found = None if asks else standard(identifier, _MEMBERS.keys())
        self._until = 0.0 if asks else float("inf")

    def endpoints(self, deadline: float) -> Steps[Endpoints]:
        """Returns the URLs. They are read when they are first needed, and again after an hour.

        Raises Unreachable if the decision point can't be reached, and was never reached before.
        """
        now = self._clock()
        if self._found is None or now >= self._until:
            try:
                yield Alone(self._read(deadline), max(0.0, deadline - now))
            except (Broken, Unreachable) as ex:
                if self._found is None:
                    raise ex if isinstance(ex, Unreachable) else Unreachable(f"{self._identifier}: {ex}") from None
        assert self._found is not None
        return self._found

    def _read(self, deadline: float) -> Steps[None]:
        if self._found is not None and self._clock() < self._until:
            return  # another call has read them meanwhile
        if self._found is not None:
            self._until = self._clock() + AGAIN_SECONDS  # the others go on with what is known
        answer = yield from self._ask(Call("GET", well_known(self._identifier)), deadline)
        if answer.status >= 500 or answer.status == 429:
            self._found = self._found or standard(self._identifier, _AUTHZEN)
            self._until = self._clock() + AGAIN_SECONDS
        else:
            self._found, self._until = (
                _endpoints_in(self._identifier, answer, self._origins),
                self._clock() + CACHE_SECONDS,
            )


def standard(identifier: str, offered: Iterable[str]) -> Endpoints:
    """Returns the standard URLs of the calls that are offered."""
    return _endpoints({name: f"{identifier}/access/v1/{_MEMBERS[name][1]}" for name in offered})


def _endpoints(urls: Mapping[str, str]) -> Endpoints:
    return Endpoints(urls["evaluation"], *(urls.get(name) for name in list(_MEMBERS)[1:]))


def well_known(identifier: str) -> str:
    """Returns the URL of the metadata of an identifier: the well-known path comes before its own (authzen.md 83).

    >>> well_known("https://h/tenant1")
    'https://h/.well-known/authzen-configuration/tenant1'
    """
    parts = urlsplit(identifier)
    return urlunsplit((parts.scheme, parts.netloc, WELL_KNOWN + parts.path.rstrip("/"), "", ""))


def origin_of(url: str) -> tuple[str, str, int | None] | None:
    """Returns the scheme, the host and the port of a URL that a client may call, or None for another one.

    A URL with a user or a fragment is none, nor one with a character that a URL does not have.

    >>> origin_of("https://Writ.example/access")
    ('https', 'writ.example', 443)
    >>> origin_of("https://user:pw@writ.example")
    """
    if _URL.fullmatch(url) is None:
        return None
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    return (parts.scheme, parts.hostname.rstrip("."), port) if parts.hostname else None


def _endpoints_in(identifier: str, answer: Answer, origins: Collection[object]) -> Endpoints:
    """Returns what the metadata say, if they are those of the identifier (authzen.md 85, 86).

    Metadata with another identifier come from a decision point that knows itself by another URL, as behind a proxy.
    Their URLs are not used, since they may lead anywhere. But the calls that they offer are there.
    """
    if answer.status != 200:
        return standard(identifier, _AUTHZEN)
    try:
        metadata = object_of(answer)
    except BadAnswer:
        return standard(identifier, _AUTHZEN)
    said = {name: metadata.get(member) for name, (member, _) in _MEMBERS.items()}
    urls = {name: url for name, url in said.items() if isinstance(url, str) and url}
    offered = {"evaluation", *urls}
    own = metadata.get(_IDENTIFIER)
    if not isinstance(own, str) or own.rstrip("/") != identifier or "evaluation" not in urls:
        logging.getLogger(LOG).warning(
            "the decision point at %s calls itself %.200r: its URLs are not used, but the standard paths are",
            identifier,
            own,
        )
        return standard(identifier, offered)
    strange = next((url for url in urls.values() if (origin := origin_of(url)) is None or origin not in origins), None)
    if strange is not None:  # a credential goes only where the application sends it
        logging.getLogger(LOG).warning(
            "the metadata of %s name %.200r, which is none of its own URLs: the standard paths are used. Name its "
            "origin in `origins`, if it may have the client's credential",
            identifier,
            strange,
        )
        return standard(identifier, offered)
    return _endpoints(urls)
