"""The rotation of client secrets and API keys with an overlap: what works when, who used what, and what ends it."""

from typing import Any
from urllib.parse import urlencode

import jwt
import pytest
from falcon import testing
from writ.api.identity.credential_shapes import LONGEST_OVERLAP
from writ.api.store.audit.events import Event

from tests.support.clock import Clock
from tests.support.managed import Managed

KEYS, CLIENTS, TOKEN = "/v1/api-keys", "/v1/clients", "/v1/oauth/token"
NOON = 1_800_000_000.5


class Rotating:
    """A service on a clock that a test sets, with one client and one API key."""

    def __init__(self, directory: Any) -> None:
        self.clock = Clock(NOON)
        self.service = Managed(directory, clock=self.clock)
        self.client = self.made(CLIENTS, token_lifetime=3_600)
        self.key = self.made(KEYS)
        self.client_path, self.key_path = f"{CLIENTS}/{self.client['client_id']}", f"{KEYS}/{self.key['id']}"

    def made(self, path: str, **more: Any) -> dict[str, Any]:
        answer = self.service.simulate_post(path, json={"name": "app", "scopes": ["read"]} | more)
        assert answer.status_code == 201, answer.text
        return dict(answer.json)

    def rotated(self, path: str, **body: Any) -> dict[str, Any]:
        answer = self.service.simulate_post(path, json=body)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
        return dict(answer.json)

    def token(self, secret: str) -> testing.Result:
        fields = {"grant_type": "client_credentials", "client_id": self.client["client_id"], "client_secret": secret}
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return testing.TestClient(self.service.app).simulate_post(TOKEN, body=urlencode(fields), headers=headers)

    def statuses(self, *credentials: str) -> list[int]:
        """The statuses of a read with each credential."""
        return [
            self.service.simulate_get("/v1/caller", headers={"Authorization": f"Bearer {one}"}).status_code
            for one in credentials
        ]

    def note_uses(self) -> None:
        self.service.store.credentials.record_uses(self.service.uses.take(), self.clock())

    def last_event(self) -> dict[str, Any]:
        return dict(self.service.simulate_get("/v1/audit?limit=1").json["items"][0])


@pytest.fixture
def rotating(tmp_path: Any) -> Rotating:
    return Rotating(tmp_path)


def test_an_old_key_works_until_the_overlap_ends(rotating: Rotating) -> None:
    """The key is remembered from the last question, so its end counts there too."""
    old = rotating.key["key"]
    made = rotating.rotated(f"{rotating.key_path}/rotate", overlap_seconds=60)
    assert made["old_keys"] == [{"ends_at": "2027-01-15T08:01:00Z", "last_used_at": None}]
    assert rotating.statuses(old, made["key"]) == [200, 200]
    rotating.clock.now = NOON + 59.4
    assert rotating.statuses(old, made["key"]) == [200, 200]
    rotating.clock.now = NOON + 59.5
    assert rotating.statuses(old, made["key"]) == [401, 200]


def test_without_an_overlap_the_old_key_ends_with_the_answer(rotating: Rotating) -> None:
    old = rotating.key["key"]
    kept = rotating.rotated(f"{rotating.key_path}/rotate", overlap_seconds=60)["key"]
    answer = rotating.service.simulate_post(f"{rotating.key_path}/rotate")
    assert (answer.status_code, answer.json["old_keys"]) == (200, [])
    assert rotating.statuses(old, kept, answer.json["key"]) == [401, 401, 200]


def test_an_old_secret_gets_tokens_that_end_with_it(rotating: Rotating) -> None:
    old = rotating.client["client_secret"]
    before = rotating.token(old).json["access_token"]
    new = rotating.rotated(f"{rotating.client_path}/secret", overlap_seconds=60)["client_secret"]
    during, other = rotating.token(old), rotating.token(new)
    assert (during.json["expires_in"], other.json["expires_in"]) == (59, 3_600)
    claims = jwt.decode(during.json["access_token"], options={"verify_signature": False})
    assert claims["exp"] - claims["iat"] == 59
    tokens = before, during.json["access_token"], other.json["access_token"]
    assert rotating.statuses(*tokens) == [200, 200, 200]
    rotating.clock.now = NOON + 59.5
    assert rotating.statuses(*tokens) == [200, 401, 200]
    refused = rotating.token(old)
    assert (refused.status_code, refused.json) == (401, {"error": "invalid_client"})
    assert rotating.token(new).status_code == 200


def test_who_still_uses_what_is_shown(rotating: Rotating) -> None:
    old, first = rotating.key["key"], "2027-01-15T08:00:00Z"
    rotating.statuses(old)
    rotating.note_uses()
    new = rotating.rotated(f"{rotating.key_path}/rotate", overlap_seconds=600)
    assert (new["last_used_at"], new["key_last_used_at"], new["old_keys"][0]["last_used_at"]) == (first, None, first)
    rotating.clock.now = NOON + 120
    rotating.statuses(new["key"])
    rotating.note_uses()
    shown = rotating.service.simulate_get(rotating.key_path).json
    later = "2027-01-15T08:02:00Z"
    assert (shown["last_used_at"], shown["key_last_used_at"], shown["old_keys"][0]["last_used_at"]) == (
        *(later, later),
        first,
    )
    secret = rotating.rotated(f"{rotating.client_path}/secret", overlap_seconds=600)["client_secret"]
    rotating.token(rotating.client["client_secret"])
    assert rotating.last_event()["details"]["old_secret"] is True
    rotating.note_uses()
    shown = rotating.service.simulate_get(rotating.client_path).json
    assert (shown["secret_last_used_at"], shown["old_secrets"][0]["last_used_at"]) == (None, later)
    rotating.token(secret)
    assert "old_secret" not in rotating.last_event()["details"]


@pytest.mark.parametrize("how", ["revoked", "deleted", "ended"])
def test_the_end_of_a_credential_ends_its_old_secrets(rotating: Rotating, how: str) -> None:
    old = rotating.client["client_secret"]
    new = rotating.rotated(f"{rotating.client_path}/secret", overlap_seconds=60)["client_secret"]
    old_key, new_key = rotating.key["key"], rotating.rotated(f"{rotating.key_path}/rotate", overlap_seconds=60)["key"]
    ends = {
        "revoked": [("POST", f"{rotating.client_path}/revoke"), ("DELETE", rotating.key_path)],
        "deleted": [("DELETE", rotating.client_path), ("DELETE", rotating.key_path)],
        "ended": [("DELETE", f"{rotating.client_path}/old-secrets"), ("DELETE", f"{rotating.key_path}/old-keys")],
    }
    for method, path in ends[how]:
        assert rotating.service.simulate_request(method, path).status_code == 204
    works = how == "ended"
    assert [rotating.token(one).status_code for one in (old, new)] == [401, 200 if works else 401]
    assert rotating.statuses(old_key, new_key) == [401, 200 if works else 401]


def test_rotations_are_in_the_audit_log(rotating: Rotating) -> None:
    rotating.rotated(f"{rotating.key_path}/rotate", overlap_seconds=60, expires_at="2027-02-01T00:00:00Z")
    entry = rotating.last_event()
    assert (entry["event"], entry["details"]["id"]) == (Event.API_KEY_ROTATED, rotating.key["id"])
    assert (entry["details"]["overlap_seconds"], entry["details"]["expires_at"]) == (60, "2027-02-01T00:00:00Z")
    assert rotating.service.simulate_delete(f"{rotating.key_path}/old-keys").status_code == 204
    assert rotating.last_event()["event"] == Event.API_KEY_OLD_ENDED
    rotating.rotated(f"{rotating.client_path}/secret", overlap_seconds=7)
    entry = rotating.last_event()
    assert (entry["event"], entry["details"]) == (Event.CLIENT_SECRET_RENEWED, {"overlap_seconds": 7})
    for _ in range(2):  # the second has nothing to end
        assert rotating.service.simulate_delete(f"{rotating.client_path}/old-secrets").status_code == 204
    newest = [one["event"] for one in rotating.service.simulate_get("/v1/audit?limit=2").json["items"]]
    assert newest == [Event.CLIENT_OLD_SECRETS_ENDED, Event.CLIENT_SECRET_RENEWED]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"overlap_seconds": -1}, "$.overlap_seconds"),
        ({"overlap_seconds": LONGEST_OVERLAP + 1}, "$.overlap_seconds"),
        ({"overlap_seconds": "60"}, "$.overlap_seconds"),
        ({"overlap": 60}, "$"),
        ({"expires_at": "2027-01-15T08:00:00Z"}, "$.expires_at"),
        ({"expires_at": "tomorrow"}, "$.expires_at"),
    ],
)
def test_a_bad_rotation_changes_nothing(rotating: Rotating, body: dict[str, Any], where: str) -> None:
    answer = rotating.service.simulate_post(f"{rotating.key_path}/rotate", json=body)
    assert (answer.status_code, [one["path"] for one in answer.json["details"]]) == (400, [where])
    if "expires_at" not in body:
        answer = rotating.service.simulate_post(f"{rotating.client_path}/secret", json=body)
        assert (answer.status_code, answer.json["details"][0]["path"]) == (400, where)
    assert rotating.statuses(rotating.key["key"]) == [200]
    assert rotating.token(rotating.client["client_secret"]).status_code == 200


def test_an_ended_secret_is_no_guess(rotating: Rotating) -> None:
    """A program that was forgotten must not shut out the others behind its address."""
    rotating.rotated(f"{rotating.client_path}/secret", overlap_seconds=1)
    rotating.rotated(f"{rotating.key_path}/rotate", overlap_seconds=1)
    rotating.clock.now = NOON + 2
    assert {rotating.token(rotating.client["client_secret"]).status_code for _ in range(60)} == {401}
    assert {*rotating.statuses(*[rotating.key["key"]] * 60)} == {401}
