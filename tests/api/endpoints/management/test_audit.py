"""The audit log over HTTP: every event with who, where from and what; filters, pages, and whose part one sees."""

from typing import Any

import pytest
from falcon import testing
from sqlite_utils import Database
from writ.api.identity.secret_format import API_KEY, new_secret
from writ.api.store.audit.events import Event

from tests.support.managed import MEMBERS, ROOT, Managed

AUDIT, CLIENTS, KEYS, ENVIRONMENTS = "/v1/audit", "/v1/clients", "/v1/api-keys", "/v1/environments"
ADDRESS = "192.0.2.7"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def entries(service: Managed, query: str = "", **headers: str) -> list[dict[str, Any]]:
    answer = service.simulate_get(AUDIT, query_string=query, headers=headers)
    assert answer.status_code == 200, answer.text
    return list(answer.json["items"])


def made_client(service: Managed, **more: Any) -> dict[str, Any]:
    answer = service.simulate_post(CLIENTS, json={"name": "c", "scopes": ["admin"]} | more)
    assert answer.status_code == 201, answer.text
    return dict(answer.json)


def token_for(service: Managed, client: dict[str, Any], secret: str | None = None) -> testing.Result:
    form = f"grant_type=client_credentials&client_id={client['client_id']}&client_secret="
    return service.simulate_post(
        "/v1/oauth/token", body=form + (secret or client["client_secret"]), headers=FORM, remote_addr=ADDRESS
    )


def test_each_call_that_changes_something_is_told(service: Managed) -> None:
    client = made_client(service, name="importer")
    path = f"{CLIENTS}/{client['client_id']}"
    token = token_for(service, client).json["access_token"]
    key = service.simulate_post(KEYS, json={"name": "k", "scopes": ["read"]}).json
    service.simulate_patch(path, json={"scopes": ["read"], "description": "nightly"})
    service.simulate_post(f"{path}/secret")
    form = f"client_id={client['client_id']}&client_secret={client['client_secret']}&token={token}"
    service.simulate_post("/v1/oauth/revoke", body=form, headers=FORM)  # by the old secret: refused
    for _ in range(2):
        assert service.simulate_post(f"{path}/revoke").status_code == 204
    service.simulate_delete(path)
    service.simulate_delete(f"{KEYS}/{key['id']}")
    service.simulate_post(ENVIRONMENTS, json={"id": "stage"})
    for protected in (True, True, False):
        service.simulate_patch(f"{ENVIRONMENTS}/stage", json={"protected": protected})
    service.simulate_delete(f"{ENVIRONMENTS}/stage")
    service.create("roles", MEMBERS["roles"])
    assert service.simulate_get(f"{ROOT}/model").status_code == 200
    service.simulate_head(f"{ROOT}/model")
    found = entries(service)
    assert [one["event"] for one in reversed(found)] == [
        "client.created",
        "token.issued",
        "api_key.created",
        "client.changed",
        "client.secret_renewed",
        "client.revoked",
        "client.deleted",
        "api_key.deleted",
        "environment.created",
        "environment.changed",
        "environment.changed",
        "environment.deleted",
        "model.changed",
        "model.exported",
    ]
    by_event = {one["event"]: one for one in found}
    changed = by_event["client.changed"]["details"]
    assert [changed[when]["scopes"] for when in ("before", "after")] == [["admin"], ["read"]]
    assert [changed[when]["description"] for when in ("before", "after")] == [None, "nightly"]
    assert by_event["model.changed"]["environment"] == "default"
    assert by_event["model.changed"]["details"] == {
        "revision": 1,
        "changes": {"roles": {"added": 1, "changed": 0, "removed": 0}},
    }
    assert by_event["environment.deleted"]["environment"] == "stage"


def test_an_entry_has_the_members_of_the_contract_and_whom_it_came_from(service: Managed) -> None:
    client = made_client(service)
    token = token_for(service, client).json["access_token"]
    headers = {"Authorization": f"Bearer {token}", "X-Request-ID": "r-" + "7" * 1_000}
    service.simulate_post(f"{ROOT}/roles", json={"id": "r"}, headers=headers, remote_addr=ADDRESS)
    (changed,) = entries(service, "event=model.changed")
    assert (changed["actor"], changed["client_id"]) == (f"client:{client['client_id']}", client["client_id"])
    assert changed["address"] == ADDRESS
    assert changed["request_id"] == "r-" + "7" * 198
    (issued,) = entries(service, "event=token.issued")
    assert set(issued) == {
        "id",
        "time",
        "event",
        "actor",
        "client_id",
        "environment",
        "address",
        "request_id",
        "actor_name",
        "details",
    }
    assert issued["details"]["scope"] == "admin"
    assert issued["client_id"] == client["client_id"]


def test_pages_and_filters(service: Managed) -> None:
    one, two = made_client(service), made_client(service)
    for client in (one, two, one):
        token_for(service, client)
    everything = entries(service)
    cursor, seen = "", []
    while cursor is not None:
        answer = service.simulate_get(AUDIT, query_string=f"limit=2{cursor and f'&cursor={cursor}'}").json
        seen += answer["items"]
        cursor = answer["next_cursor"]
    assert seen == everything
    of_one = entries(service, f"client_id={one['client_id']}")
    assert [entry["event"] for entry in of_one] == ["token.issued", "token.issued", "client.created"]
    assert entries(service, f"since={everything[0]['time']}&until=9999-01-01T00:00:00Z")[0] == everything[0]
    assert entries(service, f"until={everything[-1]['time']}") == []
    of_actor = entries(service, f"actor=client:{two['client_id']}&event=token.issued")
    assert [entry["client_id"] for entry in of_actor] == [two["client_id"]]
    assert entries(service, "actor=admin-key") == [entry for entry in everything if entry["actor"] == "admin-key"]
    assert entries(service, "actor=nobody-of-that-name") == []
    end = "9999-12-31T23:59:59.9999Z"
    assert (entries(service, f"since={end}"), entries(service, f"until={end}")) == ([], everything)
    for query in ("since=yesterday", "event=token.isued", "limit=0", "cursor=x", "who=x"):
        answer = service.simulate_get(AUDIT, query_string=query)
        assert answer.status_code == 400, query
    misspelt = service.simulate_get(AUDIT, query_string="event=token.isued").json
    assert misspelt == {"error": "there is no event `token.isued`; did you mean `token.issued`?"}


def test_a_bound_administrator_sees_its_part_alone(full: Managed) -> None:
    full.simulate_post(ENVIRONMENTS, json={"id": "stage"})
    key = full.simulate_post(KEYS, json={"name": "k", "scopes": ["admin"], "environments": ["stage"]}).json["key"]
    bearer = {"Authorization": f"Bearer {key}"}
    made_client(full)
    full.simulate_post(f"{ENVIRONMENTS}/stage/roles", json={"id": "r"})
    seen = entries(full, **bearer)
    assert [one["event"] for one in seen] == ["model.changed", "api_key.created", "environment.created"]
    assert {one["environment"] for one in seen} == {"stage", None}


def test_a_change_of_bounds_is_seen_by_whoever_is_bound_to_both(service: Managed) -> None:
    """Names of one environment are nothing that an administrator of another one may read."""
    bearers = {}
    for bound in (["one"], ["two"], ["one", "two"]):
        for id in bound:
            service.simulate_post(ENVIRONMENTS, json={"id": id})
        made = service.simulate_post(KEYS, json={"name": "k", "scopes": ["admin"], "environments": bound}).json
        bearers[" ".join(bound)] = {"Authorization": f"Bearer {made['key']}"}
    path = f"{CLIENTS}/{made_client(service, environments=['one'])['client_id']}"
    service.simulate_patch(path, json={"environments": ["two"]})
    service.simulate_patch(path, json={"environments": None})
    service.simulate_patch(path, json={"environments": ["one"]})
    changes = {who: entries(service, "event=client.changed", **bearer) for who, bearer in bearers.items()}
    assert {who: len(seen) for who, seen in changes.items()} == {"one": 0, "two": 0, "one two": 1}


def test_only_administrators_read_it(service: Managed) -> None:
    key = service.simulate_post(KEYS, json={"name": "k", "scopes": ["write"]}).json["key"]
    answer = service.simulate_get(AUDIT, headers={"Authorization": f"Bearer {key}"})
    assert (answer.status_code, answer.json["error"]) == (403, "this needs a credential of the scope `admin`")


def test_refused_attempts_are_told_of_together(service: Managed) -> None:
    client = made_client(service)
    for secret in ("wrong", "wrong too"):
        assert token_for(service, client, secret).status_code == 401
    assert token_for(service, {"client_id": "a-secret-in-the-wrong-field"}, "x").status_code == 401
    wrong = {"Authorization": f"Bearer {new_secret(API_KEY)[0]}"}
    assert service.simulate_get(AUDIT, headers=wrong, remote_addr=ADDRESS).status_code == 401
    service.store.audit.count_refusals(service.refused.take(), 0.0)
    service.store.audit.end(0.0)
    refused = [one for one in entries(service) if one["event"] in (Event.TOKEN_REFUSED, Event.CREDENTIAL_REFUSED)]
    assert sorted((one["event"], one["client_id"] or "", one["details"]["count"]) for one in refused) == [
        ("credential.refused", "", 1),
        ("token.refused", "", 1),
        ("token.refused", client["client_id"], 2),
    ]
    assert {one["address"] for one in refused} == {ADDRESS}
    assert "a-secret-in-the-wrong-field" not in str(entries(service))


TRIES = 40


def test_the_model_is_sent_while_the_disk_is_full(service: Managed, caplog: pytest.LogCaptureFixture) -> None:
    """An operator in trouble needs it. The log tells of it instead of the audit log."""
    service.create_all()
    _fill(service)
    for _ in range(TRIES):
        answer = service.simulate_get(f"{ROOT}/model")
        assert (answer.status_code, answer.json["model"]) == (200, 1)
    assert "exported a model, which is not in the audit log: the store `" in caplog.text


def test_only_an_administrator_reads_where_the_store_is(service: Managed) -> None:
    """A caller learns what is wrong, and not how the machine is laid out."""
    body = {"name": "writer", "scopes": ["write"]}
    writer = service.simulate_post("/v1/api-keys", json=body).json["key"]
    _fill(service)
    for key, place in ((None, f" `{service.store.path}`"), (writer, "")):
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        for _ in range(TRIES):
            answer = service.simulate_post(f"{ROOT}/roles", json={"name": "n" * 500}, headers=headers)
        assert (answer.status_code, answer.json["error"]) == (
            503,
            f"the store{place} can't grow: the disk is full or a limit is reached; make room",
        )


def _fill(service: Managed) -> None:
    """Let the store's file not grow any more, in any thread. Some of its pages have room for a few writes yet."""
    with service.store._connections.writing() as db:
        (pages,) = db.execute("PRAGMA page_count").fetchone()
    connect = service.store._connections._connect

    def limited() -> Database:
        made = connect()
        made.execute(f"PRAGMA max_page_count = {pages}")
        return made

    service.store._connections.close()
    service.store._connections._connect = limited  # type: ignore[method-assign]


def test_what_cannot_be_told_is_not_done(service: Managed) -> None:
    client = made_client(service)
    before = entries(service)
    with service.store._connections.writing() as db:
        db.execute("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'disk full'); END")
    answer = token_for(service, client)
    assert (answer.status_code, answer.json) == (500, {"error": "server_error"})
    assert service.simulate_get(f"{ROOT}/model").status_code == 500
    assert service.simulate_post(f"{ROOT}/roles", json={"id": "r"}).status_code == 500
    assert service.simulate_get(f"{ROOT}/roles").json["items"] == []
    assert entries(service) == before
