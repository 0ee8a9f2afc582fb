"""Every page: it opens by its address and its key, everybody can use it, and nothing hostile gets out of its place."""

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.support.console import DESK, PHONE, UNSEEN, Desk, as_seen, expect
from tests.support.server import ROOT, Server

pytestmark = pytest.mark.browser

PAGES = [
    *("overview", "try", "who-can", "what-can", "matrix", "review", "ending"),
    *(
        "policies",
        "roles",
        "groups",
        "subjects",
        "resource-types",
        "resources",
        "assignments",
        "grants",
        "routes",
        "attributes",
        "extensions",
        "tests",
    ),
    *("history", "promotion"),
    *("environments", "clients", "sessions", "audit", "denials"),
]
HOSTILE = [
    "<script>alert(1)</script>",
    "\u202egnp.exe",
    "x" * 250,
    "a/b?c#d%2e",
    "'\"><img src=x onerror=alert(1)>",
    "..",
    " lead",
]
LISTED = [*HOSTILE, "=1+1", "{{7*7}} ${7*7}", "javascript:alert(1)", "a\r\nb\x00\x1b[2Kc", "\u2066apart\u2069 \u200bz"]
"""Names for the lists of elements, too: formulas, templates, addresses, lines, and orders to a terminal."""

ORDERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Characters that a page shows by their numbers."""

PRIMARY = ", ".join(
    f"{one}:not(.quiet, .plain, .danger, .link)" for one in ("button:enabled", "button:disabled", "a.button")
)
QUESTIONS = [
    *("{}", "[]", "5", "null", "true", '"text"', "{", "[[]]", '{"subject": 5, "action": [], "resource": null}'),
    *('{"subject": {"type": {}}}', '{"action": {"name": 5}, "context": "x"}'),
]
"""Questions that a link may have and nobody can ask."""


@pytest.fixture(scope="module")
def hostile(server: Server) -> Server:
    """The demo's service with an environment in which every name is hostile."""
    kinds = {
        "resource_types": [{"id": name, "name": name, "actions": ["read", name]} for name in LISTED],
        "roles": [{"id": name, "name": name} for name in LISTED],
        "groups": [{"id": name, "name": name, "members": [{"type": name, "id": name}]} for name in LISTED],
        "subjects": [{"type": name, "id": name, "attributes": {name: name}} for name in LISTED],
        "resources": [{"type": name, "id": name, "name": name, "attributes": {name: name}} for name in LISTED],
        "assignments": [{"role": name, "subject": {"type": name, "id": name}} for name in LISTED],
        "grants": [
            {
                "id": name,
                "subject": {"type": name, "id": name},
                "resource": {"type": name, "id": name},
                "actions": [name],
            }
            for name in LISTED
        ],
        "policies": [
            {
                "id": name,
                "name": name,
                "description": name,
                "effect": "ALLOW",
                "roles": [name],
                "resource_types": [{"resource_type_id": name, "actions": [name]}],
                "conditions": {"resource_attrs": [{"key": name, "op": "eq", "value": name}]},
            }
            for name in LISTED
        ],
        "routes": [
            {
                "id": name,
                "methods": ["GET"],
                "path": f"/<img-src=x-onerror=alert(1)>\u202e/{number}",
                "resource_type": name,
                "action": "read",
                "external_id": "<b>x</b>",
                "attributes": {name: f"query:{name}"},
            }
            for number, name in enumerate(LISTED)
        ],
        "attributes": {
            "subject": {name: {name: "string"} for name in LISTED},
            "context": {name: {"kind": "string", "one_of": [name]} for name in LISTED},
            "action": dict.fromkeys(LISTED, "string"),
        },
    }
    with server.client() as api:
        api.post("/v1/environments", json={"id": "hostile", "description": "<b>" + "\u202e"}).raise_for_status()
        written = api.put("/v1/environments/hostile/model", json={"model": 1, **kinds})
        assert written.status_code in (200, 201), written.text
        for name in LISTED:
            asked = {
                "subject": {"type": "user", "id": name},
                "action": {"name": name},
                "resource": {"type": name, "id": name},
            }
            tests = [{"name": name, "request": asked, "expect": {"decision": False}}]
            sent = api.post("/v1/environments/hostile/tests", json={"id": name, "tests": tests})
            assert sent.status_code == 201, sent.text
        api.post(
            "/v1/clients", json={"name": HOSTILE[0], "description": HOSTILE[1], "scopes": ["read"]}
        ).raise_for_status()
        api.post("/v1/api-keys", json={"name": HOSTILE[4], "scopes": ["read"]}).raise_for_status()
    return server


@pytest.fixture
def everywhere(window: Desk) -> Iterator[Desk]:
    """The shared window, at its usual size; what the browser complains about belongs to the test."""
    window.page.set_viewport_size(DESK)
    window.page.emulate_media(color_scheme="light")
    yield window
    complaints, window.complaints[:] = [*window.complaints], []
    assert complaints == []


def open_page(desk: Desk, place: str) -> None:
    desk.go(place)
    desk.page.locator("main h1").wait_for()
    desk.settle()


def open_anew(desk: Desk, place: str) -> None:
    """Open a place from one that shows nothing, so that what is seen then belongs to the place."""
    desk.go("#/default/nowhere")
    desk.page.get_by_role("heading", name="No such page").wait_for()
    desk.go(place)
    desk.page.get_by_role("heading", name="No such page").wait_for(state="detached")


def test_the_list_of_pages_is_the_console_s_own() -> None:
    text = (ROOT / "api/console/page/app/pages.js").read_text()
    assert [line.split('"')[1] for line in text.split("id: ")[1:]] == PAGES


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_everybody_can_use_every_page(everywhere: Desk, page: str, dark: bool) -> None:
    everywhere.page.emulate_media(color_scheme="dark" if dark else "light")
    open_page(everywhere, f"#/default/{page}")
    assert everywhere.serious() == []
    assert not everywhere.page.get_by_role("alert").count()


@pytest.mark.parametrize("page", PAGES)
def test_everybody_can_use_every_page_on_a_phone(everywhere: Desk, page: str) -> None:
    """Nothing scrolls sideways, and one button at most is the first to press."""
    everywhere.page.set_viewport_size(PHONE)
    everywhere.page.emulate_media(color_scheme="dark" if PAGES.index(page) % 2 else "light")
    open_page(everywhere, f"#/default/{page}")
    assert everywhere.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert everywhere.page.locator(f"main :is({PRIMARY})").all_inner_texts()[1:] == []
    assert everywhere.serious() == []


@pytest.mark.parametrize("page", PAGES)
def test_hostile_names_stay_text_on_every_page(hostile: Server, everywhere: Desk, page: str) -> None:
    open_page(everywhere, f"#/hostile/{page}")
    assert not everywhere.page.get_by_role("alert").count()
    assert everywhere.page.locator("main script, main img").count() == 0
    shown = everywhere.page.locator("main").inner_text()
    assert not UNSEEN.search(shown)
    assert not ORDERS.search(shown)
    assert everywhere.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("name", [name for name in HOSTILE if name != ".."])
@pytest.mark.parametrize(
    "page",
    ["policies/{}", "roles/{}", "groups/{}", "subjects/{}/{}", "resource-types/{}", "resources/{}/{}", "grants/{}"],
)
def test_an_element_with_a_hostile_name_opens(hostile: Server, everywhere: Desk, page: str, name: str) -> None:
    open_page(everywhere, "#/hostile/" + page.replace("{}", quote(name, safe="")))
    assert not everywhere.page.get_by_role("alert").count()
    assert everywhere.page.locator("main h1").inner_text().strip().startswith(as_seen(name.strip()[:10]))


@pytest.mark.parametrize(
    "page",
    [
        *("policies/..", "policies/..?edit=yes", "roles/..", "groups/.", "grants/..", "resource-types/.."),
        *("subjects/../..", "subjects/../alice", "subjects/../attributes", "subjects/user/..", "resources/../x"),
        *("tests/..", "history/..", "promotion/..", "clients/client/..", "clients/key/.."),
        "review/subject/../alice",
    ],
)
def test_an_id_that_browsers_do_not_send_is_told(hostile: Server, everywhere: Desk, page: str) -> None:
    """They take it for the folder above, and would show something else."""
    open_anew(everywhere, f"#/hostile/{page}")
    everywhere.sees("A browser can't ask for the id")
    everywhere.settle()
    assert not everywhere.page.get_by_text("holds nothing").count()


@pytest.mark.parametrize("page", ["overview", "policies", "subjects/user/alice", "try", "matrix", "clients"])
def test_an_environment_that_browsers_do_not_send_is_told(everywhere: Desk, page: str) -> None:
    open_anew(everywhere, f"#/../{page}")
    everywhere.settle()
    assert not everywhere.page.get_by_text("holds nothing").count()


def test_only_an_absent_subject_holds_nothing(everywhere: Desk) -> None:
    """Its environment may be absent as well; that says nothing about the subject."""
    everywhere.go("#/default/subjects/user/nobody-knows-me")
    everywhere.sees("Nothing in the model names this subject")
    open_anew(everywhere, "#/nowhere/subjects/user/nobody-knows-me")
    everywhere.sees("There is no environment")
    everywhere.settle()
    assert not everywhere.page.get_by_text("Nothing in the model names this subject").count()


@pytest.mark.parametrize("page", ["subjects/user", "subjects/user/hana.abdi/holdings", "roles/auditor/x"])
def test_an_address_with_another_number_of_ids_names_nothing(everywhere: Desk, page: str) -> None:
    """Its path leads to another answer of the API, which is no element."""
    open_anew(everywhere, f"#/default/{page}")
    everywhere.sees("This address names no")


@pytest.mark.parametrize("name", ["constructor", "__proto__"])
@pytest.mark.parametrize("page", ["clients", "review", "policies"])
def test_a_name_of_the_language_is_an_address_like_any_other(everywhere: Desk, page: str, name: str) -> None:
    open_anew(everywhere, f"#/default/{page}/{name}")
    everywhere.page.locator("main h1").wait_for()
    everywhere.settle()
    assert not everywhere.page.get_by_text("is not a function").count()


@pytest.mark.parametrize("page", ["try", "who-can", "what-can"])
def test_a_link_with_any_question_shows_the_form(everywhere: Desk, page: str) -> None:
    for question in QUESTIONS:
        open_anew(everywhere, f"#/default/{page}?q={quote(question)}")
        everywhere.page.get_by_label("Action", exact=True).wait_for()
        everywhere.settle()
        assert not everywhere.page.get_by_text("Cannot read").count()


@pytest.mark.parametrize(
    "page",
    [
        *("policies/{}", "policies/{}?edit=yes", "roles/{}", "subjects/user/{}", "resources/document/{}"),
        *("review/subject/user/{}", "review/role/{}", "clients/client/{}", "tests/{}"),
    ],
)
def test_a_title_names_what_the_page_shows(everywhere: Desk, page: str) -> None:
    """A page whose element is not there is named by its id; one of a credential has no name then."""
    open_anew(everywhere, "#/default/" + page.replace("{}", "alice%40example.com%E2%80%AE"))
    named = "…" if page.startswith("clients/") else "alice@example.com⟨U\\+202E⟩"
    expect(everywhere.page).to_have_title(re.compile(f"^(Edit )?{named} · .* · Writ$"))


def test_keys_open_pages_and_list_themselves(signed_in: Desk) -> None:
    signed_in.page.locator("main").focus()
    signed_in.page.keyboard.type("gp")
    signed_in.page.get_by_role("heading", name="Policies").first.wait_for()
    signed_in.page.keyboard.type("?")
    keys = signed_in.page.get_by_role("dialog", name="Keyboard")
    keys.wait_for()
    assert signed_in.serious() == []
    signed_in.page.keyboard.press("Escape")
    keys.wait_for(state="detached")


def test_an_address_without_a_page_says_so(signed_in: Desk) -> None:
    signed_in.go("#/default/nowhere")
    signed_in.sees("No such page")


def test_an_environment_that_is_not_there_is_told_by_the_api(signed_in: Desk) -> None:
    signed_in.go("#/nowhere/policies")
    signed_in.page.get_by_role("alert").first.wait_for()


def test_a_credential_of_another_environment_is_refused_in_the_api_s_words(hostile: Server, at_desk: Desk) -> None:
    with at_desk.client() as api:
        key = api.post("/v1/api-keys", json={"name": "bound", "scopes": ["read"], "environments": ["hostile"]}).json()
    at_desk.sign_in(key["key"], "#/default/policies")
    expect(at_desk.page.get_by_role("alert").first).to_contain_text("Request")
