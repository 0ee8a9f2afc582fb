"""The sides that `writ explain` asks: a bundle, the store of a data directory, or a running service."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeAlias

from ....runtime import Engine, RateCounters
from ...http.rejections import BodyRejected
from ...review.testing.model_registry import ModelRegistry
from ..named_model import compiled_bundle, reading_bundle, stored_model
from ..output import CommandFailed
from ..remote_service import RemoteService, ServiceRefused, segment

Ask: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
"""Returns the answer to an evaluation request. Raises BodyRejected or BadRequest for a malformed one."""


@contextmanager
def bundle_answers(path: Path, now: float | None) -> Iterator[Ask]:
    """Yields what asks a bundle. Raises CommandFailed for a bundle that can't be used, OSError."""
    with reading_bundle(path):
        engine = Engine.open(path, counters=RateCounters())
        yield lambda request: engine.decide(request, now)


@contextmanager
def store_answers(directory: Path, env: str, now: float | None) -> Iterator[Ask]:
    """Yields what asks the newest model of an environment in a store. Raises CommandFailed."""
    model = stored_model(directory, env)
    engine = Engine(compiled_bundle(model), counters=RateCounters(), registry=ModelRegistry(model))
    yield lambda request: engine.decide(request, now)


@contextmanager
def service_answers(service: RemoteService, env: str | None) -> Iterator[Ask]:
    """Yields what asks a running service. Raises CommandFailed if it refuses more than one request's form."""
    prefix = "" if env is None else f"/environments/{segment(env)}"

    def ask(request: dict[str, Any]) -> dict[str, Any]:
        try:
            return service.call("POST", f"{prefix}/access/v1/evaluation", dict[str, Any], request)
        except ServiceRefused as ex:
            if ex.status == HTTPStatus.BAD_REQUEST:
                raise BodyRejected("refused", str(ex)) from None
            raise CommandFailed(f"{ex} ({ex.status})") from None

    yield ask
