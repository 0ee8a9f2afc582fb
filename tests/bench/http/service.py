"""What a service is to the benchmark."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.bench.http.questions import Question
from tests.bench.models import Document
from tests.support.certificates import Pair


@dataclass(frozen=True, slots=True)
class Call:
    """A POST as a service wants it."""

    path: str
    body: Document


@dataclass(frozen=True, slots=True)
class Running:
    """A service that answers at `url`. A call needs these `headers`."""

    pid: int
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)


class Service(Protocol):
    """One service over one model."""

    name: str
    version: str
    credential: str
    """What it checks on every request, in a few words."""

    def start(self, folder: Path, cores: list[int], pair: Pair | None) -> AbstractContextManager[Running]:
        """Runs the service on `cores` with its files in `folder`, over TLS if there is a `pair`."""

    def call(self, question: Question) -> Call:
        """Returns the call that asks a question."""

    def answers(self, question: Question, answer: Any) -> tuple[bool, ...]:
        """Returns what an answer says, in the form of `Question.right`."""


def scheme(pair: Pair | None) -> str:
    """Returns the beginning of a URL."""
    return "http" if pair is None else "https"
