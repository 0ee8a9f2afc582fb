"""The cookie of a session: where it counts, against whom it is guarded, and how it ends."""

from urllib.parse import parse_qs, urlsplit

import pytest
from writ.api.endpoints.errors import CHALLENGE
from writ.api.identity.sign_in.provider import Provider
from writ.api.identity.sign_in.provider_calls import ProviderUnavailable
from writ.api.identity.sign_in.sessions import PeopleSessions
from writ.api.store.actor import COMMAND_LINE, Actor
from writ.api.store.sign_ins.newest_sign_in import SignIn
from writ.api.store.sign_ins.session_rows import IDLE_SECONDS, Session
from writ.api.store.sign_ins.sign_ins import SESSION_SECONDS, USE_SECONDS, Rights

from tests.support.openid_provider import CLIENT
from tests.support.server import KEY
from tests.support.signing_in import PUBLIC, Browser

SESSION = "__Host-writ-session"
NEW = {"json": {"id": "made"}}


def test_the_cookie_counts_below_v1_and_the_console_alone(browser: Browser) -> None:
    browser.signs_in()
    assert browser.call("GET", "/v1/environments").status_code == 200
    question = {"subject": {"type": "user", "id": "a"}, "resource": {"type": "d", "id": "1"}, "action": {"name": "r"}}
    for method, path in [
        ("POST", "/access/v1/evaluation"),
        ("POST", "/access/v1/evaluations"),
        ("POST", "/access/v1/search/resource"),
        ("POST", "/environments/default/access/v1/evaluation"),
        ("POST", "/environments/default/v1/authorize"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
    ]:
        answer = browser.call(method, path, json=question if method == "POST" else None)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, CHALLENGE), path


def test_an_authorization_header_comes_first(browser: Browser) -> None:
    browser.signs_in(groups=["readers"])
    assert browser.call("GET", "/v1/caller", headers={"Authorization": f"Bearer {KEY}"}).json["kind"] == "admin_key"
    for header in ("Bearer wrong", "Basic x", ""):
        assert browser.call("GET", "/v1/caller", headers={"Authorization": header}).status_code == 401, header
    made = browser.call("POST", "/v1/environments", own=False, headers={"Authorization": f"Bearer {KEY}"}, **NEW)
    assert made.status_code == 201, "a key needs no header of a session"


def test_the_secret_of_a_session_is_no_key(browser: Browser) -> None:
    browser.signs_in()
    secret = browser.cookies.pop(SESSION)
    for path in ("/v1/caller", "/metrics"):
        assert browser.call("GET", path, headers={"Authorization": f"Bearer {secret}"}).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Writ-Session": "1"},
        {"Origin": PUBLIC},
        {"X-Writ-Session": "1", "Origin": "https://evil.example"},
        {"X-Writ-Session": "1", "Origin": "null"},
        {"X-Writ-Session": "1", "Origin": f"{PUBLIC}:8443"},
        {"X-Writ-Session": "1", "Origin": f"{PUBLIC}.evil.example"},
        {"X-Writ-Session": "1", "Origin": "http://writ.example"},
        {"X-Writ-Session": "yes", "Origin": PUBLIC},
    ],
)
def test_another_site_changes_nothing(browser: Browser, headers: dict[str, str]) -> None:
    browser.signs_in()
    calls = [("POST", "/v1/environments"), ("PATCH", "/v1/environments/stage"), ("DELETE", "/v1/environments/stage")]
    for method, path in [*calls, ("POST", "/console/sign-out")]:
        answer = browser.call(method, path, own=False, headers=headers, json={"id": "made"})
        assert answer.status_code == 403, (method, path)
    assert browser.caller().status_code == 200
    assert {one["id"] for one in browser.call("GET", "/v1/environments").json["items"]} == {"default", "stage"}


def test_our_own_page_changes_what_it_may(browser: Browser) -> None:
    browser.signs_in()
    assert browser.call("POST", "/v1/environments", **NEW).status_code == 201
    assert browser.call("DELETE", "/v1/environments/made").status_code == 204


def test_answers_of_a_session_are_not_kept(browser: Browser) -> None:
    browser.signs_in()
    for path in ("/v1/environments", "/v1/environments/stage", "/v1/caller"):
        assert browser.call("GET", path).headers["cache-control"] == "no-store", path


def test_cookies_that_are_no_session(browser: Browser) -> None:
    browser.signs_in()
    secret = browser.cookies[SESSION]
    for value in ("", "x", secret[:-1], secret + "0", "writ_session_" + "0" * 49, "\u00e9", "x" * 10_000):
        browser.cookies = {SESSION: value}
        assert browser.caller().status_code == 401, value
    browser.cookies = {"writ-session": secret}  # a name that another host can set
    assert browser.caller().status_code == 401
    twice = {"Cookie": f"{SESSION}={secret}; {SESSION}={secret[:-1]}x"}
    browser.cookies = {}
    assert browser.call("GET", "/v1/caller", headers=twice).status_code == 401


def test_a_session_ends_after_idle_time(browser: Browser) -> None:
    browser.signs_in()
    for _ in range(3):
        browser.clock.now += IDLE_SECONDS - 1
        assert browser.caller().status_code == 200
    browser.clock.now += IDLE_SECONDS
    answer = browser.caller()
    assert (answer.status_code, answer.json["error"]) == (401, "the session has ended; sign in again")
    assert browser.call("GET", "/console/session").json["open"] is False


def test_a_session_ends_after_eight_hours_however_it_is_used(browser: Browser) -> None:
    browser.signs_in()
    for _ in range(SESSION_SECONDS // 1_200 - 1):
        browser.clock.now += 1_200
        assert browser.caller().status_code == 200
    browser.clock.now += 1_200
    assert browser.caller().status_code == 401


def test_a_use_is_stored_once_a_minute(browser: Browser) -> None:
    browser.signs_in()

    def used() -> object:
        return browser.service.store.sign_ins.sessions(None, 10)[0][0].used

    first = used()
    browser.clock.now += USE_SECONDS - 1
    browser.caller()
    assert used() == first
    browser.clock.now += 1
    browser.caller()
    assert used() == int(browser.clock.now)


def test_sign_out_ends_a_session_for_all_who_have_its_cookie(browser: Browser) -> None:
    browser.signs_in()
    kept = dict(browser.cookies)
    assert browser.call("GET", "/console/session").json["open"] is True
    answer = browser.call("POST", "/console/sign-out")
    assert (answer.status_code, answer.cookies[SESSION].secure, answer.cookies[SESSION].path) == (200, True, "/")
    assert answer.json == {"provider_sign_out": None}, "this provider has no endpoint for it"
    assert SESSION not in browser.cookies
    browser.cookies = kept
    assert browser.caller().status_code == 401
    ended = browser.service.simulate_get("/v1/audit", params={"event": "session.ended"}).json["items"]
    assert [one["actor_name"] for one in ended] == ["Ann"]


@pytest.mark.parametrize("endpoint", ["https://idp.example/out", "https://idp.example/out?tenant=1"])
def test_a_person_signs_out_of_the_provider_too(browser: Browser, endpoint: str) -> None:
    browser.provider.metadata["end_session_endpoint"] = endpoint
    browser.signs_in()
    headers = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "Referer": "https://evil.example/"}
    url = browser.call("POST", "/console/sign-out", headers=headers).json["provider_sign_out"]
    assert url.startswith(f"{endpoint}{'&' if '?' in endpoint else '?'}")
    asked = parse_qs(urlsplit(url).query)
    asked.pop("tenant", None)
    assert asked == {"client_id": [CLIENT], "post_logout_redirect_uri": [f"{PUBLIC}/console/"]}
    given = {"post_logout_redirect_uri": "https://evil.example/"}
    browser.signs_in()
    assert browser.call("POST", "/console/sign-out", params=given).status_code == 400
    assert browser.caller().status_code == 200
    assert browser.call("GET", "/console/sign-out").status_code == 405, "no link signs anyone out"


@pytest.mark.parametrize("endpoint", ["http://idp.example/out", "javascript:alert(1)", "https://a@idp.example/", ""])
def test_an_unsafe_place_to_sign_out_is_none(browser: Browser, endpoint: str) -> None:
    browser.provider.metadata["end_session_endpoint"] = endpoint
    browser.signs_in()
    assert browser.call("POST", "/console/sign-out").json == {"provider_sign_out": None}
    assert browser.caller().status_code == 401


def test_the_own_session_ends_while_the_provider_is_away(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    browser.signs_in()

    def away(_: Provider) -> None:
        assert browser.service.store.sign_ins.sessions(None, 10)[0] == [], "ours ends first"
        raise ProviderUnavailable("it is away")

    monkeypatch.setattr(Provider, "metadata", away)
    answer = browser.call("POST", "/console/sign-out")
    assert (answer.status_code, answer.json) == (200, {"provider_sign_out": None})


def test_a_key_can_not_sign_out(browser: Browser) -> None:
    assert browser.service.simulate_post("/console/sign-out").status_code == 409


def test_a_bound_administrator_lists_no_people(browser: Browser) -> None:
    """They belong to no environment. A person is named by the id that a history has."""
    browser.signs_in()
    bound = {"name": "k", "scopes": ["admin"], "environments": ["default"]}
    key = browser.service.simulate_post("/v1/api-keys", json=bound).json["key"]
    headers = {"Authorization": f"Bearer {key}"}
    assert browser.service.simulate_get("/v1/people", headers=headers).status_code == 403
    (person,) = browser.service.simulate_get("/v1/people").json["items"]
    assert browser.service.simulate_get(f"/v1/people/{person['id']}", headers=headers).status_code == 200


def test_an_administrator_sees_sessions_and_ends_them(browser: Browser) -> None:
    browser.signs_in(groups=["readers"])
    assert browser.call("GET", "/v1/sessions").status_code == 403
    (session,) = browser.service.simulate_get("/v1/sessions").json["items"]
    assert (session["name"], session["scopes"]) == ("Ann", ["read"])
    assert browser.service.simulate_delete(f"/v1/sessions/{session['id']}").status_code == 204
    assert browser.caller().status_code == 401
    assert browser.service.simulate_delete(f"/v1/sessions/{session['id']}").status_code == 404


def test_an_administrator_ends_all_sessions_of_a_person(browser: Browser) -> None:
    browser.signs_in(groups=["readers"])
    browser.signs_in(groups=["readers"])
    (person,) = browser.service.simulate_get("/v1/people").json["items"]
    where = f"/v1/people/{person['id']}/sessions"
    assert browser.call("DELETE", where).status_code == 403
    bound = {"name": "k", "scopes": ["admin"], "environments": ["default"]}
    key = browser.service.simulate_post("/v1/api-keys", json=bound).json["key"]
    assert browser.service.simulate_delete(where, headers={"Authorization": f"Bearer {key}"}).status_code == 403
    assert len(browser.service.simulate_get("/v1/sessions").json["items"]) == 2
    assert browser.service.simulate_delete(where).status_code == 204
    assert browser.service.simulate_get("/v1/sessions").json["items"] == []
    assert browser.caller().status_code == 401
    assert browser.service.simulate_delete("/v1/people/nobody/sessions").status_code == 404


def test_an_older_session_has_the_rights_of_the_newest_sign_in(browser: Browser) -> None:
    """The groups that a person has lost gave rights to the sessions before for eight hours more."""
    browser.signs_in()
    older = dict(browser.cookies)
    assert browser.caller().json["scopes"][-1] == "admin"
    browser.cookies.clear()
    browser.signs_in(groups=["readers"])
    browser.cookies.clear()
    browser.cookies.update(older)
    assert browser.caller().json["scopes"][-1] == "read"
    assert browser.call("GET", "/v1/sessions").status_code == 403


@pytest.mark.parametrize("groups", [[], ["lost"]])
def test_a_sign_in_without_access_ends_the_older_sessions(browser: Browser, groups: list[str]) -> None:
    browser.signs_in()
    older = dict(browser.cookies)
    browser.cookies.clear()
    assert browser.signs_in(groups=groups).status_code == 403
    browser.cookies.clear()
    browser.cookies.update(older)
    assert browser.caller().status_code == 401
    assert browser.service.simulate_get("/v1/sessions").json["items"] == []


def test_a_session_that_ends_while_the_body_is_on_its_way_changes_nothing(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.signs_in()

    async def ended(_: PeopleSessions, session: Session) -> None:
        browser.service.store.sign_ins.end(COMMAND_LINE, session.id)

    monkeypatch.setattr(PeopleSessions, "_use", ended)
    assert browser.call("POST", "/v1/environments", **NEW).status_code == 401


def other_browser(browser: Browser) -> Browser:
    """Another browser in front of the same service."""
    return Browser(browser.service, browser.provider, browser.clock)


def test_an_older_sign_in_that_arrives_later_gives_nothing(browser: Browser) -> None:
    other = other_browser(browser)
    url = other.begun()
    browser.signs_in(groups=["readers"])
    browser.provider.changed = {"iat": int(browser.clock.now) - 1}
    late = other.came_back(browser.provider.signs_in(url, sub="1", groups=["admins"]))
    assert (late.status_code, "newer sign-in" in late.text) == (400, True)
    assert other.caller().status_code == 401
    assert browser.call("POST", "/v1/environments", **NEW).status_code == 403
    assert other.came_back(browser.provider.signs_in(other.begun(), sub="1", groups=[])).status_code == 400
    assert browser.caller().status_code == 200


def test_rights_that_end_while_the_body_is_on_its_way_change_nothing(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.signs_in()

    async def signed_in_again(_: PeopleSessions, session: Session) -> None:
        sign_in, now = SignIn(b"again", int(browser.clock.now) + 9, int(browser.clock.now)), browser.clock.now
        browser.service.store.sign_ins.begin(Actor(""), session.person, Rights(("read",)), bytes(32), sign_in, now)

    monkeypatch.setattr(PeopleSessions, "_use", signed_in_again)
    assert browser.call("POST", "/v1/environments", **NEW).status_code == 403


def test_two_people_promote_together(browser: Browser) -> None:
    browser.call(
        "POST", "/v1/environments", headers={"Authorization": f"Bearer {KEY}"}, json={"id": "prod", "approvals": 1}
    )
    browser.signs_in(sub="1", name="Ann")
    asked = browser.call("POST", "/v1/environments/prod/promotions", json={"from": "stage"})
    assert (asked.status_code, asked.json["status"]) == (202, "pending"), asked.text
    where = f"/v1/environments/prod/promotions/{asked.json['id']}"
    own = browser.call("POST", f"{where}/approve", json={})
    assert (own.status_code, "another person" in own.json["error"]) == (403, True)
    key = browser.service.simulate_post(f"{where}/approve", json={})
    assert (key.status_code, "another person" in key.json["error"]) == (403, True)
    ann = browser.caller().json["id"]
    browser.signs_in(sub="2", name="Ben")
    done = browser.call("POST", f"{where}/approve", json={})
    assert done.status_code == 200, done.text
    assert (done.json["promoted_by"], done.json["decided_by"]) == (
        f"person:{ann}",
        f"person:{browser.caller().json['id']}",
    )
