"""A request to an environment never reaches a new environment that gets the same id meanwhile (I3).

A credential is bound to environments, not to their ids.
"""

import json
import logging
from contextlib import ExitStack
from itertools import count
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from writ.api.engines.live.bundle_files import BundleFiles
from writ.api.engines.live.live_engines import LiveEngines
from writ.api.store.environment_ids import DEFAULT
from writ.api.store.errors import OutOfBounds
from writ.api.store.historical_model import historical_model
from writ.compiler.source import Source
from writ.runtime import Engine

from tests.support.managed import Managed, OneEngine
from tests.support.raw_http import RawConnection, request
from tests.support.server import running
from tests.support.stored import ACTOR

ROLE = {"id": "r1"}
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "doc", "actions": ["read"]}],
    "roles": [{"id": "r0"}],
    "subjects": [{"type": "user", "id": "a"}],
    "resources": [{"type": "doc", "id": "d"}],
    "policies": [
        {"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}]},
    ],
}
SUBJECT, RESOURCE, READ = {"type": "user", "id": "a"}, {"type": "doc", "id": "d"}, {"name": "read"}
ASKED = {"subject": SUBJECT, "action": READ, "resource": RESOURCE}
RESULTS = {"options": {"return": "both"}}
DECISIONS = {
    "evaluation": ASKED,
    "evaluations": ASKED | {"evaluations": [{}]},
    "search/resource": ASKED | {"resource": {"type": "doc"}} | RESULTS,
    "search/subject": ASKED | {"subject": {"type": "user"}},
    "search/action": {"subject": SUBJECT, "resource": RESOURCE},
}
ENV = "/v1/environments/staging"
REQUESTS: list[tuple[str, str, object]] = [
    ("PUT", f"{ENV}/model", MODEL),
    ("PUT", f"{ENV}/model?dry_run=true", MODEL),
    ("POST", f"{ENV}/roles", ROLE),
    ("POST", f"{ENV}/roles:batch", {"items": [ROLE]}),
    ("PATCH", f"{ENV}/roles/r0", {"name": "taken over"}),
    ("PUT", f"{ENV}/roles/r0", {"id": "r0", "name": "taken over"}),
    ("PATCH", ENV, {"protected": True}),
    ("PATCH", ENV, {}),
    *(("POST", f"/environments/staging/access/v1/{call}", body) for call, body in DECISIONS.items()),
]


def test_a_slow_request_does_not_reach_the_namesake_of_its_environment(tmp_path: Path) -> None:
    """The guard checks the credential before the body has arrived."""
    with running(tmp_path / "data") as server, server.client() as client, ExitStack() as connections:
        assert client.post("/v1/environments", json={"id": "staging"}).status_code == 201
        bound = {"name": "bound", "scopes": ["admin"], "environments": ["staging"]}
        key = client.post("/v1/api-keys", json=bound).json()["key"]
        begun = []
        for method, path, body in REQUESTS:
            connection = connections.enter_context(RawConnection(server.host, server.port))
            sent = request(method, path, json.dumps(body).encode(), key=key)
            connection.send(sent[:-1])
            begun.append((f"{method} {path}", connection, sent[-1:]))
        assert client.get("/healthz").status_code == 200  # the halves are read by now, and the credential is checked
        assert client.delete(ENV).status_code == 204
        assert client.post("/v1/environments", json={"id": "staging"}).status_code == 201
        assert client.put(f"{ENV}/model", json=MODEL).status_code == 200
        before = client.get(ENV).json(), client.get(f"{ENV}/model").json()
        for name, connection, rest in begun:
            connection.send(rest)
            answer = connection.answer()
            assert (name, answer.status in (403, 412), answer.json.keys()) == (name, True, {"error"})
        assert (client.get(ENV).json(), client.get(f"{ENV}/model").json()) == before


class Forwarded(OneEngine):
    """The engines of `service`, through the attribute that a test may replace."""

    service: "Deciding"

    def engine(self, environment: str = DEFAULT) -> Engine:
        """See `writ.api.service.parts.Engines`."""
        return self.service.engine(environment)


class Deciding(Managed):
    """The application, with engines that follow its store."""

    def __init__(self, directory: Path) -> None:
        engines = Forwarded()
        engines.service = self
        super().__init__(directory, engines=engines)
        self.files = BundleFiles(directory, self.store)
        self.engine = LiveEngines(self.store, self.files, 5.0, logging.getLogger("tests")).engine

    def make_staging(self) -> None:
        """Make an environment with so many roles that a list of them takes two reads."""
        roles = [{"id": f"r{number:03}"} for number in range(150)]
        self.store.create_environment(ACTOR, "staging")
        self.store.put_model("staging", ACTOR, [Source("model.json", json.dumps(MODEL | {"roles": roles}).encode())])
        self.files.build("staging")


@pytest.mark.parametrize(
    ("path", "read", "place"),
    [
        ("", "environment", 1),
        ("/roles", "finder.page", 1),
        ("/roles?limit=150", "finder.page", 2),
        ("/roles/r000", "get", 1),
        ("/model", "model", 1),
        ("/revisions", "history.find", 1),
        ("/search?q=r", "finder.overview", 1),
        ("/revisions/1", "environment", 1),
        ("/revisions/1", "revision", 1),
        ("search/resource", "resource_candidates", 1),
        ("search/subject", "subject_candidates", 1),
        *((call, "engine", 1) for call in DECISIONS),
    ],
)
def test_a_read_does_not_reach_it_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, read: str, place: int
) -> None:
    """The environment is recreated just before each read: of a list's second chunk, of an engine, of a search's
    results.
    """
    service = Deciding(tmp_path / "data")
    service.make_staging()
    bound = {"name": "bound", "scopes": ["read"], "environments": ["staging"]}
    key = service.simulate_post("/v1/api-keys", json=bound).json["key"]
    *owner, read = read.split(".")
    reader = service if read == "engine" else attrgetter(*owner)(service.store) if owner else service.store
    reading, calls = getattr(reader, read), count(1)

    def recreate_and_read(*arguments: Any, **named: Any) -> object:
        if next(calls) == place:
            service.store.delete_environment(ACTOR, "staging")
            service.make_staging()
        return reading(*arguments, **named)

    monkeypatch.setattr(reader, read, recreate_and_read)
    headers = {"Authorization": f"Bearer {key}"}
    if path in DECISIONS:
        answer = service.simulate_post(f"/environments/staging/access/v1/{path}", json=DECISIONS[path], headers=headers)
    else:
        answer = service.simulate_get(f"/v1/environments/staging{path}", headers=headers)
    assert next(calls) > place
    assert (answer.status_code, answer.json.keys()) == (403, {"error"})


def test_models_are_read_within_bounds(tmp_path: Path) -> None:
    service = Deciding(tmp_path / "data")
    bounds = frozenset({service.store.environment("default").uuid})
    service.make_staging()
    for read in (service.store.model, lambda env, bounds: historical_model(service.store, env, 0, bounds)):
        read("default", bounds).close()
        for env in ("staging", "absent"):
            with pytest.raises(OutOfBounds):
                read(env, bounds)
