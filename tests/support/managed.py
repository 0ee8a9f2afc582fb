"""The service over a store of its own, without a server around it: for tests of the management endpoints."""

import logging
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from falcon import testing
from writ.api.app import Collaborators, create_app
from writ.api.credentials.keys.signing_keys import new_key
from writ.api.credentials.keys.sources import GivenKeys, KeySource
from writ.api.settings import HttpLimits
from writ.api.store.environments import Environment
from writ.api.store.store import Store
from writ.runtime import Engine

from tests.support.server import KEY

LOG = logging.getLogger("tests")
SIGNING = GivenKeys(new_key("EdDSA")[1].decode())
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
}
"""An element of each kind, by its path, such that each refers to ones before it."""


class Managed(testing.TestClient):
    """A client, with the administrator's key, of the application over a store in `directory`; nothing is decided.

    `activated` are the environments that were activated, as they were then.
    """

    def __init__(
        self,
        directory: Path,
        limits: HttpLimits | None = None,
        busy_seconds: float = 5.0,
        clock: Callable[[], float] = time.time,
        signing: KeySource = SIGNING,
    ) -> None:
        self.store = Store.open(directory, busy_seconds=busy_seconds, clock=clock)
        self.activated: list[Environment] = []
        parts = Collaborators(
            self.store,
            self._no_engine,
            self._activate,
            clock,
            sha256(KEY.encode()).digest(),
            limits or HttpLimits(),
            LOG,
            signing=signing,
        )
        self.refused = parts.refused
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

    def _no_engine(self, _environment: str) -> Engine:
        raise AssertionError("nothing is decided here")
