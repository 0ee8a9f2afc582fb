"""The token endpoint and the revocation of tokens: contract 4.1, 5 and 7.1, RFC 6749, RFC 7009."""

import logging
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus, urlencode

import falcon.asgi
import pytest
from falcon import testing
from writ.api.endpoints.tokens.endpoints import WHY_HEADER
from writ.api.endpoints.tokens.metadata import CACHE, ServerMetadata
from writ.api.identity.keys.signing_keys import new_key
from writ.api.identity.tokens.token_claims import LONGEST_TOKEN
from writ.api.store.credentials.credentials import ClientSpec

from tests.support.managed import Managed
from tests.support.stored import ACTOR

TOKEN, REVOKE, CLIENTS, ENVIRONMENTS = "/v1/oauth/token", "/v1/oauth/revoke", "/v1/clients", "/v1/environments"
FORM = "application/x-www-form-urlencoded"


def client_of(service: Managed, *scopes: str, **more: Any) -> dict[str, Any]:
    answer = service.simulate_post(CLIENTS, json={"name": "app", "scopes": scopes or ["read"]} | more)
    assert answer.status_code == 201, answer.text
    return dict(answer.json)


def post(service: Managed, fields: Any, path: str = TOKEN, **headers: str) -> testing.Result:
    """A form, as a client sends it: without the administrator's key."""
    sent = {"Content-Type": FORM} | headers
    return testing.TestClient(service.app).simulate_post(path, body=urlencode(fields), headers=sent)


def credentials(client: dict[str, Any]) -> dict[str, str]:
    return {"client_id": client["client_id"], "client_secret": client["client_secret"]}


def basic(id: str, secret: str) -> str:
    return "Basic " + b64encode(f"{quote_plus(id)}:{quote_plus(secret)}".encode()).decode()


def token_of(service: Managed, client: dict[str, Any], **more: str) -> str:
    answer = post(service, {"grant_type": "client_credentials"} | credentials(client) | more)
    assert answer.status_code == 200, answer.text
    return str(answer.json["access_token"])


def with_token(service: Managed, token: str, method: str = "GET", path: str = ENVIRONMENTS) -> int:
    return service.simulate_request(method, path, headers={"Authorization": f"Bearer {token}"}).status_code


def test_a_client_gets_a_token_that_works(full: Managed) -> None:
    client = client_of(full, "write", "read", token_lifetime=60)
    answer = post(full, {"grant_type": "client_credentials"} | credentials(client))
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert {**answer.json, "access_token": ""} == {
        "access_token": "",
        "token_type": "Bearer",
        "expires_in": 60,
        "scope": "read write",
    }
    token = answer.json["access_token"]
    made = full.simulate_post(
        f"{ENVIRONMENTS}/default/roles", json={"id": "new"}, headers={"Authorization": f"Bearer {token}"}
    )
    assert made.status_code == 201
    (newest, *_) = full.simulate_get(f"{ENVIRONMENTS}/default/revisions").json["items"]
    assert newest["by"] == f"client:{client['client_id']}"
    assert with_token(full, token, path=CLIENTS) == 403


def test_the_lifetime_is_an_hour_unless_the_client_says_otherwise(service: Managed) -> None:
    client = client_of(service)
    answer = post(service, {"grant_type": "client_credentials"} | credentials(client))
    assert (client["token_lifetime"], answer.json["expires_in"]) == (3600, 3600)


GRANT = {"grant_type": "client_credentials"}


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"grant_type": None}, 400, "invalid_request"),
        ({"client_id": None}, 400, "invalid_request"),
        ({"client_secret": None}, 400, "invalid_request"),
        ({"client_secret": ""}, 400, "invalid_request"),
        ({"grant_type": ""}, 400, "invalid_request"),
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
        ({"grant_type": "CLIENT_CREDENTIALS"}, 400, "unsupported_grant_type"),
        ({"client_id": "nobody"}, 401, "invalid_client"),
        ({"client_id": "\x00é"}, 401, "invalid_client"),
        ({"client_secret": "wrong"}, 401, "invalid_client"),
        ({"client_secret": "wrong", "client_id": "nobody"}, 401, "invalid_client"),
        ({"scope": "write"}, 400, "invalid_scope"),
        ({"scope": "read root"}, 400, "invalid_scope"),
        ({"scope": "READ"}, 400, "invalid_scope"),
        ({"padding": "x" * 2 * LONGEST_TOKEN}, 400, "invalid_request"),
        ({str(number): "x" for number in range(40)}, 400, "invalid_request"),
    ],
)
def test_a_bad_request_is_refused_by_its_code(
    service: Managed, change: dict[str, str | None], status: int, code: str
) -> None:
    fields = GRANT | credentials(client_of(service)) | change
    answer = post(service, {name: value for name, value in fields.items() if value is not None})
    assert (answer.status_code, answer.json) == (status, {"error": code})
    assert (answer.headers["Cache-Control"], answer.headers["Pragma"]) == ("no-store", "no-cache")
    said = answer.headers[WHY_HEADER]
    assert all(value not in said for value in fields.values() if value and len(value) > 20), "it quotes nothing"
    assert answer.headers.get("WWW-Authenticate") == ('Basic realm="writ"' if status == 401 else None)


def test_only_a_form_is_read_and_no_field_twice(service: Managed) -> None:
    fields = GRANT | credentials(client_of(service))
    for content_type in ("application/json", "text/plain", "multipart/form-data", ""):
        answer = post(service, fields, **{"Content-Type": content_type})
        assert (answer.status_code, answer.json) == (400, {"error": "invalid_request"}), content_type
    assert service.simulate_post(TOKEN, json=fields).json == {"error": "invalid_request"}
    twice = post(service, [*fields.items(), ("client_id", fields["client_id"])])
    assert (twice.status_code, twice.json) == (400, {"error": "invalid_request"})
    body = urlencode(fields) + "&x=%ff"
    answer = service.simulate_post(TOKEN, body=body, headers={"Content-Type": FORM})
    assert (answer.status_code, answer.json) == (400, {"error": "invalid_request"})
    assert post(service, fields, **{"Content-Type": f"{FORM}; charset=utf-8"}).status_code == 200


def test_a_client_may_say_who_it_is_by_http_basic(service: Managed) -> None:
    client = client_of(service)
    id, secret = credentials(client).values()
    right = {"Authorization": basic(id, secret)}
    assert post(service, GRANT, **right).status_code == 200
    assert post(service, GRANT | {"client_id": id}, **right).status_code == 200
    for fields, header, status, code in [
        (GRANT | {"client_secret": secret}, right["Authorization"], 400, "invalid_request"),
        (GRANT | credentials(client), right["Authorization"], 400, "invalid_request"),
        (GRANT | {"client_id": "other"}, right["Authorization"], 400, "invalid_request"),
        (GRANT, basic(id, "wrong"), 401, "invalid_client"),
        (GRANT, basic("nobody", secret), 401, "invalid_client"),
        (GRANT, "Basic ", 401, "invalid_client"),
        (GRANT, "Basic !", 401, "invalid_client"),
        (GRANT, "Basic " + b64encode(b"no colon").decode(), 401, "invalid_client"),
        (GRANT, "Basic " + b64encode(b"\xff:x").decode(), 401, "invalid_client"),
    ]:
        answer = post(service, fields, Authorization=header)
        assert (answer.status_code, answer.json) == (status, {"error": code}), header
    other_scheme = post(service, GRANT | credentials(client), Authorization="Bearer x")
    assert other_scheme.status_code == 200, "the form says who it is"


@pytest.mark.parametrize(
    ("has", "asked", "gets"),
    [
        (["admin"], None, "admin"),
        (["admin"], "read", "read"),
        (["read"], "decide", "decide"),
        (["write"], "read write", "read write"),
        (["read", "write"], "write", "write"),
    ],
)
def test_a_token_may_have_fewer_scopes_than_its_client(
    service: Managed, has: list[str], asked: str | None, gets: str
) -> None:
    scope = {} if asked is None else {"scope": asked}
    answer = post(service, GRANT | credentials(client_of(service, *has)) | scope)
    assert (answer.status_code, answer.json["scope"]) == (200, gets)
    assert with_token(service, answer.json["access_token"], path=CLIENTS) == (200 if gets == "admin" else 403)


def test_a_token_for_decisions_alone_reads_no_model(full: Managed) -> None:
    client = client_of(full, "decide")
    for scope in ({}, {"scope": "decide"}):
        token = token_of(full, client, **scope)
        asked = testing.TestClient(full.app, headers={"Authorization": f"Bearer {token}"})
        for path in ("/access/v1/evaluation", "/access/v1/search/action", "/v1/authorize"):
            assert asked.simulate_post(path, json={}).status_code not in (401, 403)
        for path in (f"{ENVIRONMENTS}/default/roles", "/v1/caller", "/metrics"):
            refused = asked.simulate_get(path)
            assert (refused.status_code, 'scope="read"' in refused.headers["WWW-Authenticate"]) == (403, True)
    assert post(full, GRANT | credentials(client) | {"scope": "read"}).json == {"error": "invalid_scope"}


def test_a_new_secret_refuses_the_old_one_and_leaves_tokens(service: Managed) -> None:
    client = client_of(service)
    token = token_of(service, client)
    renewed = service.simulate_post(f"{CLIENTS}/{client['client_id']}/secret")
    assert (renewed.status_code, renewed.headers["Cache-Control"]) == (200, "no-store")
    assert renewed.json.keys() == client.keys()
    assert post(service, GRANT | credentials(client)).json == {"error": "invalid_client"}
    assert post(service, GRANT | credentials(renewed.json)).status_code == 200
    assert with_token(service, token) == 200


@pytest.mark.parametrize("deleted", [False, True])
def test_a_revoked_or_deleted_client_and_its_tokens_end_at_once(service: Managed, deleted: bool) -> None:
    client, other = client_of(service), client_of(service)
    tokens = [token_of(service, one) for one in (client, other)]
    assert [with_token(service, token) for token in tokens] == [200, 200]
    path = f"{CLIENTS}/{client['client_id']}"
    ended = service.simulate_delete(path) if deleted else service.simulate_post(f"{path}/revoke")
    assert ended.status_code == 204
    assert [with_token(service, token) for token in tokens] == [401, 200]
    answer = post(service, GRANT | credentials(client))
    assert (answer.status_code, answer.json) == (401, {"error": "invalid_client"})
    if not deleted:
        assert service.simulate_post(f"{path}/revoke").status_code == 204
        assert service.simulate_post(f"{path}/secret").status_code == 409
        assert service.simulate_get(path).json["revoked"]


def test_a_live_token_is_cut_down_to_what_its_client_may_now(full: Managed) -> None:
    full.simulate_post(ENVIRONMENTS, json={"id": "stage"})
    client = client_of(full, "admin")
    path = f"{CLIENTS}/{client['client_id']}"
    token, narrow = token_of(full, client), token_of(full, client, scope="read")
    assert with_token(full, token, path=CLIENTS) == 200
    assert full.simulate_patch(path, json={"scopes": ["read"], "environments": ["stage"]}).status_code == 200
    assert with_token(full, token, path=CLIENTS) == 403
    assert with_token(full, token, path=f"{ENVIRONMENTS}/stage") == 200
    assert with_token(full, token, path=f"{ENVIRONMENTS}/default") == 403
    bound = token_of(full, client)
    assert full.simulate_patch(path, json={"scopes": ["admin"], "environments": None}).status_code == 200
    assert with_token(full, token, path=CLIENTS) == 200
    assert with_token(full, narrow, path=CLIENTS) == 403, "a token never has more than it says"
    assert with_token(full, bound, path=f"{ENVIRONMENTS}/default") == 403


def test_a_token_is_revoked_by_its_client_alone(service: Managed) -> None:
    client, other = client_of(service), client_of(service)
    token, kept = token_of(service, client), token_of(service, client)
    refused = post(service, credentials(other) | {"token": token}, REVOKE)
    assert (refused.status_code, refused.json) == (400, {"error": "invalid_grant"})
    assert with_token(service, token) == 200
    wrong = post(service, credentials(client) | {"token": token, "client_secret": "wrong"}, REVOKE)
    assert (wrong.status_code, wrong.json) == (401, {"error": "invalid_client"})
    assert post(service, credentials(client), REVOKE).json == {"error": "invalid_request"}
    for presented in (token, token, "no token", token + "x"):
        done = post(service, credentials(client) | {"token": presented, "token_type_hint": "any"}, REVOKE)
        assert (done.status_code, done.headers["Cache-Control"]) == (200, "no-store")
    assert [with_token(service, one) for one in (token, kept)] == [401, 200]
    longest = {"token": "x" * LONGEST_TOKEN, "token_type_hint": "access_token"}
    assert post(service, credentials(client) | longest, REVOKE).status_code == 200


def test_a_token_ends_soon_after_its_key_was_taken_away(tmp_path: Path) -> None:
    """Though no credential in the store changes."""
    path, now = tmp_path / "key.pem", [1_800_000_000.0]
    (_, bad), (_, good) = new_key("EdDSA"), new_key("EdDSA")
    path.write_bytes(bad)
    service = Managed(tmp_path / "data", clock=lambda: now[0], signing_key=str(path))
    client = client_of(service)
    token = token_of(service, client)
    assert with_token(service, token) == 200
    path.write_bytes(good)
    now[0] += 1
    assert with_token(service, token) == 401
    assert with_token(service, token_of(service, client)) == 200
    service.store.close()


def test_more_environments_than_fit_into_a_token_are_refused(
    service: Managed, caplog: pytest.LogCaptureFixture
) -> None:
    """And a client that has them from before is told so by a failure, not by a token that never works."""
    ids = [f"e{number}" for number in range(150)]
    for id in ids:
        service.store.create_environment(ACTOR, id)
    for path in (CLIENTS, "/v1/api-keys"):
        answer = service.simulate_post(path, json={"name": "app", "scopes": ["read"], "environments": ids[:101]})
        assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "$.environments"), path
        assert "100" in answer.text
    client = client_of(service, environments=ids[:100])
    assert with_token(service, token_of(service, client), path=f"{ENVIRONMENTS}/e99") == 200
    wanted = ClientSpec("app", ["read"], 60, None, ids)
    service.store.credentials.change_client(ACTOR, client["client_id"], lambda _: wanted)
    answer = post(service, GRANT | credentials(client))
    assert (answer.status_code, answer.json) == (500, {"error": "server_error"})
    assert "bound to 150 environments" in caplog.text


@pytest.mark.parametrize("key", ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "no/such/file"])
def test_without_a_signing_key_tokens_fail_and_all_else_goes_on(
    tmp_path: Path, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    service = Managed(tmp_path / "data", signing_key=key)
    caplog.clear()
    client = client_of(service)
    with caplog.at_level(logging.ERROR, "tests"):
        answer = post(service, GRANT | credentials(client))
    assert (answer.status_code, answer.json) == (500, {"error": "server_error"})
    assert "no token can be issued" in caplog.text
    assert "AAAA" not in caplog.text
    assert client["client_secret"] not in caplog.text
    api_key = service.simulate_post("/v1/api-keys", json={"name": "k", "scopes": ["read"]}).json["key"]
    assert with_token(service, api_key) == 200
    keys = service.simulate_get("/.well-known/jwks.json")
    assert (keys.json, keys.headers["Cache-Control"]) == ({"keys": []}, "no-store")
    service.store.close()


def test_metadata_leads_to_everything(service: Managed) -> None:
    public = testing.TestClient(service.app)
    metadata = public.simulate_get("/.well-known/oauth-authorization-server").json
    issuer = metadata["issuer"]
    assert metadata["token_endpoint"] == f"{issuer}{TOKEN}"
    assert metadata["grant_types_supported"] == ["client_credentials"]
    found = public.simulate_get(metadata["jwks_uri"].removeprefix(issuer))
    assert [key.keys() for key in found.json["keys"]] == [{"kty", "crv", "x", "kid", "alg", "use"}], "nothing private"
    assert found.headers["Cache-Control"] == CACHE


def test_a_public_url_that_ends_with_a_slash_gives_no_double_one() -> None:
    app: falcon.asgi.App[Any, Any] = falcon.asgi.App()
    app.add_route("/", ServerMetadata("https://x/"))
    metadata = testing.TestClient(app).simulate_get("/").json
    assert metadata["issuer"] == "https://x/"
    assert metadata["token_endpoint"] == "https://x/v1/oauth/token"
    assert metadata["revocation_endpoint"] == "https://x/v1/oauth/revoke"
    assert metadata["jwks_uri"] == "https://x/.well-known/jwks.json"
