"""What the tests of the service share: a small model, an application over it, and the service itself."""

import json
import logging
import shutil
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx
import psycopg
import pytest
from falcon import testing
from writ.api.engines.exports.export_counts import Exports
from writ.api.identity.admin_key import AdminKey
from writ.api.identity.admin_keys import AdminKeys
from writ.api.service.app import create_app
from writ.api.service.parts import ServiceParts
from writ.api.settings.settings import HttpLimits, Settings
from writ.api.store.environments import Environment
from writ.api.store.store import Store
from writ.runtime import Engine

from tests.support.bundling import engine_for
from tests.support.managed import OWN_URL, SIGNING, Managed, OneEngine
from tests.support.server import KEY, Server, running

_DATABASES: Final = count()

MODEL: dict[str, Any] = {
    "resource_types": [
        {"id": "document", "actions": ["read", "update", "delete"]},
        {"id": "vault", "actions": ["open"], "closed": True},
        {"id": "scroll", "actions": ["read"]},
    ],
    "roles": [{"id": "editor"}],
    "subjects": [{"type": "user", "id": "alice", "external_id": "idp|alice"}],
    "resources": [
        {"type": "document", "id": "d1", "external_id": "DOC-1", "name": "Plan"},
        {"type": "vault", "id": "v1"},
    ],
    "assignments": [{"role": "editor", "subject": {"type": "user", "id": "alice"}}],
    "grants": [
        {
            "id": "g1",
            "subject": {"type": "user", "id": "bob"},
            "resource": {"type": "document", "id": "d1"},
            "actions": ["delete"],
        }
    ],
    "policies": [
        {
            "id": "edit",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read", "update"]}],
        },
        {
            "id": "drafts",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["delete"]}],
            "conditions": {"resource_attrs": [{"key": "status", "op": "eq", "value": "draft"}]},
        },
        {
            "id": "secret",
            "effect": "DENY",
            "priority": 10,
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {"resource_attrs": [{"key": "secret", "op": "eq", "value": True}]},
        },
        {
            "id": "office",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "vault", "actions": ["open"]}],
            "conditions": {"context_attrs": [{"key": "mfa", "op": "eq", "value": True}]},
        },
        {
            "id": "ten-times",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "scroll", "actions": ["read"]}],
            "conditions": {"resource_attrs": [{"key": "text", "op": "ne", "value": number} for number in range(10)]},
        },
    ],
}

ALICE = {"type": "user", "id": "alice"}
BOB = {"type": "user", "id": "bob"}
PLAN = {"type": "document", "id": "d1"}
READ = {"name": "read"}
ALLOWED = {"subject": ALICE, "action": READ, "resource": PLAN}
DENIED = {"subject": BOB, "action": READ, "resource": PLAN}


def client_of(engine: Any, limits: HttpLimits | None = None, log: logging.Logger | None = None) -> testing.TestClient:
    """A client of an application that decides by `engine` in every environment, with the administrator's key."""
    with TemporaryDirectory() as directory:
        store = Store.open(Path(directory))
        store.close()
        parts = ServiceParts(
            store=store,
            settings=Settings(limits=limits or HttpLimits(), signing_key=SIGNING),
            engines=OneEngine(engine),
            activate=_activated,
            clock=lambda: 0.0,
            admin_keys=AdminKeys(lambda: [AdminKey(sha256(KEY.encode()).digest())]),
            log=log or logging.getLogger("tests"),
            own_url=OWN_URL,
            exports=Exports(lambda: 0.0),
        )
        app = create_app(parts)
    return testing.TestClient(app, headers={"Authorization": f"Bearer {KEY}"})


async def _activated(_environment: Environment) -> None:
    """Nothing follows the store here."""


@pytest.fixture(scope="session", autouse=True)
def certificates_read_once() -> Iterator[None]:
    """httpx would read the certificates of all authorities for each client, which takes 30 ms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpx._transports.default.create_ssl_context", cache(httpx.create_ssl_context))
        yield


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """An engine over the small model."""
    return engine_for(MODEL, tmp_path_factory.mktemp("engine") / "test.bundle")


@pytest.fixture(scope="session")
def app(engine: Engine) -> testing.TestClient:
    """The application, without a server around it."""
    return client_of(engine)


@pytest.fixture(scope="session")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small model as a document."""
    path = tmp_path_factory.mktemp("model") / "model.json"
    path.write_text(json.dumps({"model": 1} | MODEL))
    return path


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, model_file: Path) -> Iterator[Server]:
    """The service itself, with the default limits, for tests that leave it as it was."""
    with running(tmp_path_factory.mktemp("server") / "data", "--import", str(model_file)) as started:
        yield started


@pytest.fixture(scope="session")
def http(server: Server) -> Iterator[httpx.Client]:
    """A client of the service."""
    with server.client() as client:
        yield client


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Managed]:
    """The management of an empty store."""
    managed = Managed(tmp_path / "data")
    yield managed
    managed.store.close()


@pytest.fixture(scope="session")
def full_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a store with one element of each kind, to be copied."""
    directory = tmp_path_factory.mktemp("full") / "data"
    managed = Managed(directory)
    managed.create_all()
    managed.store.close()
    return directory


@pytest.fixture
def full(full_directory: Path, tmp_path: Path) -> Iterator[Managed]:
    """The management of a store with one element of each kind."""
    managed = Managed(Path(shutil.copytree(full_directory, tmp_path / "data")))
    yield managed
    managed.store.close()


@pytest.fixture
def database(postgresql: str) -> Iterator[str]:
    """The URL of a new database, for several services."""
    name, given = f"together_{next(_DATABASES)}", dict(part.split("=") for part in postgresql.split())
    with psycopg.connect(postgresql, autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name}".encode())
    yield f"postgresql://{given['user']}@/{name}?host={given['host']}"
    with psycopg.connect(postgresql, autocommit=True) as db:
        db.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
