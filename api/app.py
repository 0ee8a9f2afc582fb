"""The composition root: the HTTP application, built from its collaborators."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import falcon.asgi

from api.auth import ROUTES, AdminKey, Guard
from api.bodies import Bodies
from api.errors import ErrorAnswers
from api.evaluation import Evaluation
from api.evaluations import Evaluations
from api.health import Health, Readiness
from api.limits import HttpLimits
from api.request_id import RequestId
from runtime import Engine


@dataclass(frozen=True, slots=True)
class Collaborators:
    """What the application works with: it reads no environment, no clock and no file by itself.

    `clock` gives epoch seconds; `admin_key` is the SHA-256 of the administrator's key.
    """

    engine: Engine
    clock: Callable[[], float]
    admin_key: bytes
    limits: HttpLimits
    log: logging.Logger


def create_app(parts: Collaborators) -> falcon.asgi.App[Any, Any]:
    """The ASGI application with every route of the table, each behind the guard."""
    errors = ErrorAnswers(parts.log)
    middleware: list[Any] = [RequestId(), Guard([AdminKey(parts.admin_key)])]
    app = falcon.asgi.App(middleware=middleware)
    errors.register(app)
    resources = _resources(parts, errors)
    for path in ROUTES:
        app.add_route(path, resources[path])
    return app


def _resources(parts: Collaborators, errors: ErrorAnswers) -> Mapping[str, object]:
    engine, limits = parts.engine, parts.limits
    bodies = Bodies(limits)
    return {
        "/access/v1/evaluation": Evaluation(engine.decide, bodies),
        "/access/v1/evaluations": Evaluations(engine.decide, parts.clock, bodies, limits, errors.report),
        "/healthz": Health(),
        "/readyz": Readiness(engine),
    }
