"""API keys: made within what their maker has, shown once, stored hashed, bound, expired, deleted (contract 5)."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from falcon import testing
from writ.api.identity.secret_format import API_KEY, is_well_formed
from writ.api.store.database.sqlite.opening import FILE

from tests.support.managed import Managed

KEYS, CLIENTS, ENVIRONMENTS = "/v1/api-keys", "/v1/clients", "/v1/environments"

Ask = Callable[..., testing.Result]


def made(service: Managed, scopes: list[str], environments: list[str] | None = None, **more: Any) -> dict[str, Any]:
    answer = service.simulate_post(KEYS, json={"name": "k", "scopes": scopes, "environments": environments} | more)
    assert answer.status_code == 201, answer.text
    return dict(answer.json)


def asking(service: Managed, key: str) -> Ask:
    """Calls of the service with an API key."""

    def ask(method: str, path: str, body: object = None) -> testing.Result:
        headers = {"Authorization": f"Bearer {key}"}
        return service.simulate_request(method, path, headers=headers, **({} if body is None else {"json": body}))

    return ask


@pytest.fixture
def staged(full: Managed) -> Managed:
    """A service with the environment `stage` beside the default one."""
    assert full.simulate_post(ENVIRONMENTS, json={"id": "stage"}).status_code == 201
    return full


def test_a_key_is_shown_once_and_found_by_scanners(service: Managed) -> None:
    answer = service.simulate_post(KEYS, json={"name": "ci", "scopes": ["write", "read", "read"]})
    key = answer.json["key"]
    assert re.fullmatch(API_KEY + "[0-9A-Za-z]{49}", key)
    assert is_well_formed(key, API_KEY)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
    shown = {name: value for name, value in answer.json.items() if name != "key"}
    assert shown["scopes"] == ["read", "write"]
    assert service.simulate_get(answer.headers["Location"]).json == shown
    assert service.simulate_get(KEYS).json == {"items": [shown], "next_cursor": None}


def test_the_store_and_its_backup_have_the_hash_alone(service: Managed, tmp_path: Path) -> None:
    key = made(service, ["read"])["key"]
    secret = service.simulate_post(CLIENTS, json={"name": "c", "scopes": ["read"]}).json["client_secret"]
    backup = tmp_path / "backup.db"
    service.store.backup(backup)
    service.store.close()
    for file in [backup, *service.store.path.parent.glob(f"{FILE}*")]:
        content = file.read_bytes()
        assert key.encode() not in content
        assert secret.encode() not in content
    with closing(sqlite3.connect(backup)) as db:
        assert db.execute("SELECT secret FROM api_keys").fetchall() == [(sha256(key.encode()).digest(),)]
        assert db.execute("SELECT secret FROM clients").fetchall() == [(sha256(secret.encode()).digest(),)]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"scopes": ["read"]}, "$"),
        ({"name": "", "scopes": ["read"]}, "$.name"),
        ({"name": "k", "scopes": []}, "$.scopes"),
        ({"name": "k", "scopes": ["root"]}, "$.scopes[0]"),
        ({"name": "k", "scopes": "read"}, "$.scopes"),
        ({"name": "k", "scopes": ["read"], "environments": []}, "$.environments"),
        ({"name": "k", "scopes": ["read"], "environments": ["none"]}, "$.environments[0]"),
        ({"name": "k", "scopes": ["read"], "expires_at": "2020-01-01T00:00:00Z"}, "$.expires_at"),
        ({"name": "k", "scopes": ["read"], "expires_at": "tomorrow"}, "$.expires_at"),
        ({"name": "k", "scopes": ["read"], "id": "x"}, "$"),
    ],
)
def test_a_bad_key_is_not_made(service: Managed, body: dict[str, Any], path: str) -> None:
    answer = service.simulate_post(KEYS, json=body)
    assert (answer.status_code, [one["path"] for one in answer.json["details"]]) == (400, [path])
    assert service.simulate_get(KEYS).json["items"] == []


def test_scopes_are_cumulative_and_a_missing_one_is_named(full: Managed) -> None:
    reached = {
        scope: [
            asking(full, made(full, [scope])["key"])(method, path, body).status_code
            for method, path, body in [
                ("GET", f"{ENVIRONMENTS}/default/roles", None),
                ("POST", f"{ENVIRONMENTS}/default/roles", {}),
                ("GET", KEYS, None),
            ]
        ]
        for scope in ("read", "write", "admin")
    }
    assert reached == {"read": [200, 403, 403], "write": [200, 201, 403], "admin": [200, 201, 200]}
    refused = asking(full, made(full, ["write"])["key"])("GET", KEYS)
    assert "`admin`" in refused.json["error"]


def test_the_change_log_names_the_key(full: Managed) -> None:
    key = made(full, ["write"])
    asking(full, key["key"])("POST", f"{ENVIRONMENTS}/default/roles", {"id": "new"})
    (newest, *_) = full.simulate_get(f"{ENVIRONMENTS}/default/revisions").json["items"]
    assert newest["by"] == f"api-key:{key['id']}"


def test_a_deleted_key_is_refused_at_once(full: Managed) -> None:
    key = made(full, ["read"])
    ask = asking(full, key["key"])
    assert ask("GET", ENVIRONMENTS).status_code == 200
    assert full.simulate_delete(f"{KEYS}/{key['id']}").status_code == 204
    refused = ask("GET", ENVIRONMENTS)
    assert refused.status_code == 401
    assert 'error="invalid_token"' in refused.headers["WWW-Authenticate"]
    assert full.simulate_delete(f"{KEYS}/{key['id']}").status_code == 404


def test_a_key_that_was_made_elsewhere_is_refused(full: Managed, tmp_path: Path) -> None:
    other = Managed(tmp_path / "other")
    key = made(other, ["admin"])["key"]
    other.store.close()
    assert asking(full, key)("GET", ENVIRONMENTS).status_code == 401


def test_a_key_ends_when_it_expires(tmp_path: Path) -> None:
    now = [1_000_000_000.0]  # 2001-09-09T01:46:40Z
    service = Managed(tmp_path / "data", clock=lambda: now[0])
    ask = asking(service, made(service, ["read"], expires_at="2001-09-09T03:46:41+02:00")["key"])
    assert service.simulate_get(KEYS).json["items"][0]["expires_at"] == "2001-09-09T01:46:41Z"
    statuses = []
    for now[0] in (1_000_000_000.0, 1_000_000_000.999, 1_000_000_001.0):
        statuses.append(ask("GET", ENVIRONMENTS).status_code)
    assert statuses == [200, 200, 401]
    service.store.close()


def test_a_bound_key_gets_403_outside_whether_it_is_there_or_not(staged: Managed) -> None:
    ask = asking(staged, made(staged, ["admin"], ["stage"])["key"])
    assert ask("GET", f"{ENVIRONMENTS}/stage").status_code == 200
    assert ask("POST", f"{ENVIRONMENTS}/stage/roles", {"id": "r"}).status_code == 201
    answers = [ask("GET", f"{ENVIRONMENTS}/{env}/roles") for env in ("default", "none", "STAGE", "%00")]
    assert [answer.status_code for answer in answers] == [403] * 4
    assert len({answer.text for answer in answers}) == 1
    for method, path, body in [
        ("POST", "/access/v1/evaluation", {}),
        ("POST", "/environments/default/access/v1/evaluation", {}),
        ("PUT", f"{ENVIRONMENTS}/default/model", {"model": 1}),
        ("DELETE", f"{ENVIRONMENTS}/default", None),
        ("POST", ENVIRONMENTS, {"id": "third"}),
    ]:
        assert ask(method, path, body).status_code == 403, path


def test_a_bound_key_sees_its_part_of_lists(staged: Managed) -> None:
    own = made(staged, ["admin"], ["stage"])
    ask = asking(staged, own["key"])
    others = [made(staged, ["read"]), made(staged, ["read"], ["default"]), made(staged, ["read"], ["default", "stage"])]
    assert [one["id"] for one in ask("GET", ENVIRONMENTS).json["items"]] == ["stage"]
    assert [one["id"] for one in ask("GET", KEYS).json["items"]] == [own["id"]]
    for other in (*others, {"id": "none"}):
        assert [ask(method, f"{KEYS}/{other['id']}").status_code for method in ("GET", "DELETE")] == [403, 403]
    assert len(staged.simulate_get(KEYS).json["items"]) == 4


@pytest.mark.parametrize("path", [KEYS, CLIENTS])
def test_minting_is_bounded_by_the_maker(staged: Managed, path: str) -> None:
    ask = asking(staged, made(staged, ["admin"], ["stage"])["key"])
    wanted = {"name": "k", "scopes": ["read"]}
    outside: list[dict[str, Any]] = [{}, {"environments": ["default"]}, {"environments": ["stage", "default"]}]
    outside += [{"environments": ["none"]}, {"environments": None}]
    assert [ask("POST", path, wanted | one).status_code for one in outside] == [403] * 5
    assert ask("POST", path, wanted | {"environments": ["stage"]}).status_code == 201


def test_a_binding_is_to_the_environment_and_not_to_its_name(staged: Managed) -> None:
    key = made(staged, ["admin"], ["stage"])
    ask = asking(staged, key["key"])
    assert ask("GET", f"{ENVIRONMENTS}/stage").status_code == 200
    staged.simulate_delete(f"{ENVIRONMENTS}/stage")
    assert staged.simulate_post(ENVIRONMENTS, json={"id": "stage"}).status_code == 201
    assert ask("GET", f"{ENVIRONMENTS}/stage").status_code == 403
    assert ask("GET", ENVIRONMENTS).json["items"] == []
    assert staged.simulate_get(f"{KEYS}/{key['id']}").json["environments"] == []


def test_a_client_of_a_deleted_environment_is_no_other_administrator_s(staged: Managed) -> None:
    """A merge patch (RFC 7396) that leaves its environments out leaves it bound to what is gone."""
    wanted = {"name": "c", "scopes": ["read"], "environments": ["stage"]}
    path = f"{CLIENTS}/{staged.simulate_post(CLIENTS, json=wanted).json['client_id']}"
    staged.simulate_delete(f"{ENVIRONMENTS}/stage")
    assert staged.simulate_patch(path, json={"name": "renamed"}).json["environments"] == []
    ask = asking(staged, made(staged, ["admin"], ["default"])["key"])
    for method, place in [("GET", path), ("PATCH", path), ("POST", f"{path}/secret"), ("DELETE", path)]:
        assert ask(method, place, {} if method == "PATCH" else None).status_code == 403, method
    assert ask("GET", CLIENTS).json["items"] == []


def test_keys_are_listed_in_pages(service: Managed) -> None:
    ids = sorted(made(service, ["read"])["id"] for _ in range(5))
    seen, cursor = [], ""
    while cursor is not None:
        page = service.simulate_get(f"{KEYS}?limit=2{cursor and f'&cursor={cursor}'}").json
        seen += [one["id"] for one in page["items"]]
        cursor = page["next_cursor"]
    assert seen == ids
    assert service.simulate_get(f"{KEYS}?cursor=x").status_code == 400
