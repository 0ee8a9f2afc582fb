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
from api.in_force import Damaged, EngineOf
from api.limits import HttpLimits
from api.management.batch import ElementBatch
from api.management.elements import Element, ElementList, Serving
from api.management.environments import Environments, OneEnvironment
from api.management.kinds import KINDS
from api.management.revisions import OneRevision, Revisions
from api.management.store_work import Settle, StoreWork
from api.management.whole_model import WholeModel
from api.openapi.resource import OpenApi
from api.raw_paths import RawPaths
from api.request_id import RequestId
from api.searches.actions import ActionSearches
from api.searches.resources import ResourceSearches
from api.searches.serving import Searching
from api.searches.subjects import SubjectSearches
from api.searches.tokens import PageTokens
from api.store.store import Store


@dataclass(frozen=True, slots=True)
class Collaborators:
    """What the application works with: it reads no environment, no clock and no file by itself.

    `in_force` gives the engine of an environment, at the newest committed revision, and `settle` sees that a commit
    is in force. `clock` gives epoch seconds; `admin_key` is the SHA-256 of the administrator's key. `damaged` is told
    of a bundle that can't be decided from any more.
    """

    store: Store
    in_force: EngineOf
    settle: Settle
    clock: Callable[[], float]
    admin_key: bytes
    limits: HttpLimits
    log: logging.Logger
    damaged: Damaged = lambda *_: True


def create_app(parts: Collaborators) -> falcon.asgi.App[Any, Any]:
    """The ASGI application with every route of the table, each behind the guard."""
    errors = ErrorAnswers(parts.log, parts.damaged)
    middleware: list[Any] = [RequestId(), RawPaths(), Guard([AdminKey(parts.admin_key)])]
    app = falcon.asgi.App(middleware=middleware)
    errors.register(app)
    work = StoreWork(parts.store, parts.settle, parts.clock)
    resources = {**_decisions(parts, errors, work), **_management(parts, work)}
    for path in ROUTES:
        app.add_route(path, resources[path])
    return app


def _decisions(parts: Collaborators, errors: ErrorAnswers, work: StoreWork) -> Mapping[str, object]:
    bodies = Bodies(parts.limits)
    tokens = PageTokens(parts.admin_key)
    searching = Searching(parts.in_force, work, bodies, tokens, parts.limits, parts.clock)
    calls = {
        "evaluation": Evaluation(parts.in_force, bodies),
        "evaluations": Evaluations(parts.in_force, parts.clock, bodies, parts.limits, errors.report),
        "search/resource": ResourceSearches(searching),
        "search/subject": SubjectSearches(searching),
        "search/action": ActionSearches(searching),
    }
    return {
        **{f"/access/v1/{call}": resource for call, resource in calls.items()},
        **{f"/environments/{{env}}/access/v1/{call}": resource for call, resource in calls.items()},
        "/healthz": Health(),
        "/readyz": Readiness(parts.in_force),
        "/openapi.json": OpenApi(),
    }


def _management(parts: Collaborators, work: StoreWork) -> Mapping[str, object]:
    serving = Serving(work, Bodies(parts.limits), parts.limits)
    return {
        "/v1/environments": Environments(serving),
        "/v1/environments/{env}": OneEnvironment(serving),
        "/v1/environments/{env}/model": WholeModel(serving),
        "/v1/environments/{env}/revisions": Revisions(serving),
        "/v1/environments/{env}/revisions/{revision}": OneRevision(serving),
        **{kind.list_path: ElementList(kind, serving) for kind in KINDS},
        **{kind.batch_path: ElementBatch(kind, serving) for kind in KINDS},
        **{kind.element_path: Element(kind, serving) for kind in KINDS},
    }
