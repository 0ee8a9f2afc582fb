"""Each text that a caller may send, with characters that PostgreSQL takes in no text: both engines answer alike."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
import pytest
from writ.api.store.copying.store_copy import copy_store
from writ.api.store.database.postgresql.place import DatabasePlace
from writ.api.store.database.sqlite.place import DirectoryPlace

from tests.support.clock import Clock
from tests.support.managed import ROOT, Managed
from tests.support.store_engines import END_SESSIONS, Engine, empty_schema
from tests.support.stores_with_history import contents

NOW = 1_767_225_600.0
TEXTS = ["a\0b", "\0", "\1", "\1\0\2", "\\\0\\", "\\u0000", 'a"\0\\"']
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
VARYING = re.compile(
    r'"(uuid|client_id|client_secret|key|key_id|digest|request_id|id|cursor|next_cursor|acting_client|prefix|from_uuid|time)":'
    r' ?"[^"]*"|[0-9a-f]{8}-[0-9a-f-]{27}|(client|api-key):[A-Za-z0-9_-]+'
)


def calls(text: str) -> Iterator[tuple[str, str, Any]]:
    """Methods, paths and bodies with a text in each place that takes one."""
    end, path = f"{TEXTS.index(text)}", quote(text, safe="")
    yield "POST", "/v1/environments", {"id": f"e{end}", "description": text}
    yield "POST", "/v1/environments", {"id": text}
    yield "PATCH", f"/v1/environments/e{end}", {"description": f"{text}2"}
    yield "POST", "/v1/clients", {"name": text, "scopes": ["read"], "description": text}
    yield "POST", "/v1/clients", {"name": "n", "scopes": [text], "environments": [text]}
    yield "POST", "/v1/api-keys", {"name": text, "scopes": ["read"]}
    yield "POST", f"{ROOT}/resource-types", {"id": text, "actions": [text], "name": text}
    yield "POST", f"{ROOT}/roles", {"id": text, "name": text}
    yield "POST", f"{ROOT}/groups", {"id": text, "members": [{"type": text, "id": text}], "name": text}
    attrs = {"owner": text, "labels": [text], text: text}
    yield "POST", f"{ROOT}/subjects", {"type": text, "id": text, "external_id": text, "attributes": attrs}
    yield (
        "POST",
        f"{ROOT}/resources",
        {"type": text, "id": text, "external_id": text, "name": text, "attributes": attrs},
    )
    subject, resource = {"type": text, "id": text}, {"type": text, "id": text}
    yield "POST", f"{ROOT}/assignments", {"id": text, "role": text, "subject": subject}
    yield "POST", f"{ROOT}/grants", {"id": text, "subject": subject, "resource": resource, "actions": [text]}
    condition = {"subject_attrs": [{"key": text, "op": "eq", "value": text}]}
    allowed = {"roles": [text], "resource_types": [{"resource_type_id": text, "actions": [text]}]}
    policy = {"id": text, "effect": "ALLOW", **allowed, "conditions": condition, "description": text, "name": text}
    yield "POST", f"{ROOT}/policies", policy
    route = {"id": text, "methods": ["GET"], "path": f"/{end}/{{id}}", "resource_type": text, "action": text}
    yield "POST", f"{ROOT}/routes", route
    for kind in ("roles", "groups", "policies", "assignments", "grants", "routes", "resource-types"):
        yield "GET", f"{ROOT}/{kind}/{path}", None
        yield "GET", f"{ROOT}/{kind}?name={path}", None
        yield "GET", f"{ROOT}/{kind}?cursor={path}", None
    yield "PATCH", f"{ROOT}/roles/{path}", {"name": f"{text}3"}
    yield "GET", f"{ROOT}/subjects/{path}/{path}", None
    yield "GET", f"{ROOT}/subjects?type={path}&external_id={path}", None
    asked = {"subject": subject, "action": {"name": text}, "resource": resource}
    test = {"name": text, "request": asked, "expect": {"decision": True}}
    yield "POST", f"{ROOT}/tests", {"id": text, "tests": [test]}
    yield "PUT", f"{ROOT}/gateway", {"subject": {"header": text}, "trusted_proxies": [text]}
    yield "PUT", f"{ROOT}/gateway", {"subject": {"header": "X-User"}, "trusted_proxies": ["unix"]}
    yield "POST", f"/v1/environments/e{end}/promotions", {"from": "default", "note": text}
    yield "POST", f"/v1/environments/e{end}/promotions", {"from": text}
    yield "GET", f"/v1/environments/{path}", None
    yield "GET", f"{ROOT}/revisions", None
    for name in ("actor", "client_id", "event", "since", "cursor"):
        yield "GET", f"/v1/audit?{name}={path}", None
    yield "DELETE", f"/v1/clients/{path}", None
    yield "DELETE", f"/v1/api-keys/{path}", None
    yield "FORM", "/v1/oauth/token", {"grant_type": "client_credentials", "client_id": text, "client_secret": text}
    yield "FORM", "/v1/oauth/revoke", {"token": text, "client_id": text, "client_secret": text}
    yield "BASIC", "/v1/oauth/token", text
    yield "DELETE", f"{ROOT}/grants/{path}", None
    yield "GET", "/v1/audit?limit=100", None
    yield "GET", ROOT + "/model", None


def answer(client: Managed, method: str, path: str, body: Any) -> tuple[int, str]:
    """The status and the text of an answer, without what differs between two stores."""
    if method == "FORM":
        found = client.simulate_post(path, body=urlencode(body), headers=FORM)
    elif method == "BASIC":
        pair = base64.b64encode(f"{quote(body)}:{quote(body)}".encode()).decode()
        form = urlencode({"grant_type": "client_credentials"})
        found = client.simulate_post(path, body=form, headers={**FORM, "Authorization": f"Basic {pair}"})
    else:
        place, _, query = path.partition("?")
        found = client.simulate_request(method, place, query_string=query, json=body)
    return found.status_code, VARYING.sub("…", found.text)


def end_sessions(server: str) -> None:
    """End the connections of the services and of their jobs: a store in use is not copied."""
    with psycopg.connect(server, autocommit=True) as control:
        control.execute(END_SESSIONS)


@pytest.fixture(scope="module")
def database(postgresql: str) -> Iterator[Engine]:
    with empty_schema(postgresql) as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any-text")


@pytest.fixture(scope="module")
def clients(database: Engine, folder: Path) -> Iterator[list[Managed]]:
    """The services on a file and on a database."""
    clock = Clock(NOW)
    found = [Managed(folder / "file", clock=clock), Managed(folder / "own", clock=clock, url=database.url)]
    yield found
    for client in found:
        client.store.close()


@pytest.mark.postgresql
@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_both_engines_answer_any_text_alike(text: str, clients: list[Managed]) -> None:
    made = 0
    for method, path, body in calls(text):
        file, database = (answer(client, method, path, body) for client in clients)
        assert file == database, (method, path)
        assert database[0] < 500, (method, path, database)
        made += database[0] in (200, 201)
    assert made > 25


@pytest.mark.postgresql
def test_copies_of_any_text_keep_each_row(clients: list[Managed], database: Engine, folder: Path) -> None:
    """Also the audit log: its hashes are over the bytes of its entries."""
    assert database.url is not None
    filled, back = DatabasePlace(database.url), DirectoryPlace(folder / "back")
    end_sessions(database.url)
    copy_store(filled, back, lambda *_: None)
    assert contents(back) == contents(filled)


@pytest.mark.postgresql
def test_a_copy_to_a_database_keeps_each_row(clients: list[Managed], postgresql: str, folder: Path) -> None:
    with empty_schema(postgresql) as empty:
        assert empty.url is not None
        target, file = DatabasePlace(empty.url), DirectoryPlace(folder / "file")
        clients[0].store.close()
        end_sessions(postgresql)
        copy_store(file, target, lambda *_: None)
        assert contents(target) == contents(file)
