"""The service over its own store, without a server around it: for tests of the management endpoints."""

import logging
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from falcon import testing
from writ.api.engines.exports.export_counts import Exports
from writ.api.engines.jobs.job_messages import JobDatabase
from writ.api.identity.admin_key import AdminKey
from writ.api.identity.admin_keys import AdminKeys
from writ.api.identity.keys.signing_keys import new_key
from writ.api.service.app import create_app
from writ.api.service.parts import Engines, ServiceParts
from writ.api.settings.settings import HttpLimits, Settings
from writ.api.settings.sign_in_settings import SignInSettings
from writ.api.settings.store_settings import StoreSettings
from writ.api.store.environment_ids import DEFAULT
from writ.api.store.environments import Environment
from writ.api.store.leases.lengths import LEASE_SECONDS
from writ.api.store.leases.reaching import reached_without_lease
from writ.api.store.store import Store
from writ.bundles.errors import BundleError

from tests.support.server import KEY

LOG = logging.getLogger("tests")
SIGNING = new_key("EdDSA")[1].decode()
"""A key that signs tokens, as the setting takes it."""

OWN_URL = "http://127.0.0.1:8080"
ROOT = "/v1/environments/default"
MEMBERS: dict[str, dict[str, Any]] = {
    "resource-types": {"id": "document", "actions": ["read", "update"]},
    "roles": {"id": "editor", "name": "Editor"},
    "groups": {"id": "eng", "members": [{"type": "user", "id": "alice"}]},
    "subjects": {"type": "user", "id": "alice", "external_id": "idp|1"},
    "resources": {"type": "document", "id": "d1", "name": "Plan"},
    "assignments": {"id": "a1", "role": "editor", "group": "eng"},
    "grants": {
        "id": "g1",
        "subject": {"type": "user", "id": "alice"},
        "resource": {"type": "document", "id": "d1"},
        "actions": ["read"],
    },
    "policies": {
        "id": "p7",
        "effect": "ALLOW",
        "roles": ["editor"],
        "resource_types": [{"resource_type_id": "document", "actions": ["update"]}],
    },
    "routes": {
        "id": "read-document",
        "methods": ["GET"],
        "path": "/documents/{id}",
        "resource_type": "document",
        "action": "read",
    },
}
"""An element of each kind, by its path, such that each refers to ones before it."""


class OneEngine:
    """The engines of an application that decides by `engine` in every environment, or, without one, decides nothing."""

    def __init__(self, engine: Any = None) -> None:
        self._engine = engine

    def engine(self, _environment: str = DEFAULT) -> Any:
        """See `writ.api.service.parts.Engines`."""
        assert self._engine is not None, "nothing is decided here"
        return self._engine

    def report_damage(self, _environment: str, _error: BundleError) -> bool:
        """See `writ.api.service.parts.Engines`."""
        return True


class Managed(testing.TestClient):
    """A client, with the administrator's key, of the application over a store in `directory`; nothing is decided.

    With a `url`, the store is in that database of PostgreSQL.

    `activated` are the environments that were activated, as they were then.
    """

    def __init__(
        self,
        directory: Path,
        limits: HttpLimits | None = None,
        busy_seconds: float = 5.0,
        clock: Callable[[], float] = time.time,
        signing_key: str = SIGNING,
        engines: Engines | None = None,
        url: str | None = None,
        sign_in: SignInSettings | None = None,
        public_url: str | None = None,
    ) -> None:
        server = None if url is None else reached_without_lease(url)
        self.store = Store.open(directory, "NORMAL", busy_seconds, clock, server=server)  # no test here cuts the power
        self.activated: list[Environment] = []
        parts = ServiceParts(
            store=self.store,
            settings=Settings(
                limits=limits or HttpLimits(),
                signing_key=signing_key,
                store=StoreSettings(url=url),
                sign_in=sign_in or SignInSettings(),
                public_url=public_url,
            ),
            engines=engines or OneEngine(),
            activate=self._activate,
            clock=clock,
            admin_keys=AdminKeys(lambda: [AdminKey(sha256(KEY.encode()).digest())]),
            log=LOG,
            own_url=OWN_URL,
            exports=Exports(clock),
            job_database=lambda: None if url is None else JobDatabase(url, LEASE_SECONDS, None),
        )
        self.refused, self.uses = parts.refused, parts.uses
        super().__init__(create_app(parts), headers={"Authorization": f"Bearer {KEY}"})

    def create(self, kind: str, body: dict[str, Any]) -> testing.Result:
        """Add an element, which must succeed."""
        answer = self.simulate_post(f"{ROOT}/{kind}", json=body)
        assert answer.status_code == 201, answer.text
        return answer

    def create_all(self) -> None:
        """Add one element of each kind."""
        for kind, body in MEMBERS.items():
            self.create(kind, body)

    async def _activate(self, environment: Environment) -> None:
        self.activated.append(environment)
