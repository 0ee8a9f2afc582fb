"""The settings of the sign-in and the file of rules: what can be used, and what each fault is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from writ.api.identity.sign_in.options import sign_in_options
from writ.api.identity.sign_in.role_rules import MOST_BYTES, MOST_GROUPS, read_role_rules
from writ.api.settings.settings import BadSetting, settings_from
from writ.api.store.sign_ins.sign_ins import Rights

RULE = {"group": "g", "scope": "read"}
ISSUER, CLIENT, FILE = "WRIT_OIDC_ISSUER", "WRIT_OIDC_CLIENT_ID", "WRIT_OIDC_ROLES"


def rules(folder: Path, document: Any) -> Path:
    path = folder / "rules.json"
    path.write_bytes(document if isinstance(document, bytes) else json.dumps(document).encode())
    return path


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (b"", "input data was truncated"),
        (b"\xff", "is no file of rules"),
        (b"[" * 100_000, "is no file of rules"),
        (b" " * (MOST_BYTES + 1), f"it has more than {MOST_BYTES} bytes"),
        ([], "expected `object`, got `array`"),
        ({"rules": [RULE]}, "missing required field `ask`"),
        ({"ask": "", "rules": [RULE]}, "at `$.ask`"),
        ({"ask": "me", "rules": []}, "at `$.rules`"),
        ({"ask": "me", "rules": [RULE], "roles": 1}, "unknown field `roles`"),
        ({"ask": "me", "rules": [RULE | {"scope": "owner"}]}, "at `$.rules[0].scope`"),
        ({"ask": "me", "rules": [RULE | {"scopes": []}]}, "unknown field `scopes` - at `$.rules[0]`"),
        ({"ask": "me", "rules": [RULE | {"environments": []}]}, "at `$.rules[0].environments`"),
        ({"ask": "me", "rules": [RULE | {"environments": ["a b"]}]}, "no environment can have the id `a b`"),
        ({"ask": "me", "rules": [RULE, RULE]}, "the group `g` has two rules"),
        ({"ask": "me", "rules": [RULE], "claim": 1}, "at `$.claim`"),
    ],
)
def test_a_faulty_file_is_told_with_its_place(tmp_path: Path, document: Any, words: str) -> None:
    with pytest.raises(BadSetting) as raised:
        read_role_rules(rules(tmp_path, document))
    assert str(raised.value).startswith("`WRIT_OIDC_ROLES`: ")
    assert words in str(raised.value)
    with pytest.raises(BadSetting, match="can't be read"):
        read_role_rules(tmp_path)


def test_the_first_rule_that_fits_counts(tmp_path: Path) -> None:
    listed = [RULE | {"group": "a", "scope": "admin"}, RULE | {"group": "b", "environments": ["e"]}]
    read = read_role_rules(rules(tmp_path, {"ask": "me", "rules": listed}))
    assert read.rights({"groups": ["b", "a"]}) == Rights(("admin",))
    assert read.rights({"groups": ["b", 1, None]}) == Rights(("read",), ("e",))
    assert read.rights({"groups": "b"}) == Rights(("read",), ("e",))
    for groups in ([], ["A"], {"a": 1}, None, ["x"] * MOST_GROUPS + ["a"]):
        assert read.rights({"groups": groups}) is None
    assert read.rights({}) is None


def test_groups_may_lie_deeper(tmp_path: Path) -> None:
    document = {"ask": "me", "rules": [RULE], "claim": ["realm_access", "roles"]}
    read = read_role_rules(rules(tmp_path, document))
    assert read.rights({"realm_access": {"roles": ["g"]}}) == Rights(("read",))
    for claims in ({"realm_access": ["g"]}, {"realm_access": {"roles": {"g": 1}}}, {"roles": ["g"]}):
        assert read.rights(claims) is None


@pytest.mark.parametrize(
    ("given", "url", "words"),
    [
        ({CLIENT: "c"}, "https://w.example", f"`{CLIENT}` has no effect without `{ISSUER}`"),
        ({ISSUER: "https://i.example"}, "https://w.example", f"`{ISSUER}` needs `{CLIENT}`"),
        ({ISSUER: "https://i.example", CLIENT: "c"}, "https://w.example", f"`{ISSUER}` needs `{FILE}`"),
        (
            {ISSUER: "https://i.example", CLIENT: "c", FILE: "f", "WRIT_OIDC_SCOPES": "email"},
            "https://w.example",
            "must have the scope `openid`",
        ),
        ({ISSUER: "https://i.example", CLIENT: "c", FILE: "f"}, "http://0.0.0.0:8080", "needs `WRIT_PUBLIC_URL`"),
        (
            {ISSUER: "https://i.example", CLIENT: "c", FILE: "f", "WRIT_OIDC_CLIENT_SECRET_FILE": "/none"},
            "https://w.example",
            "names no file",
        ),
    ],
)
def test_settings_that_do_not_fit_together(given: dict[str, str], url: str, words: str) -> None:
    with pytest.raises(BadSetting) as raised:
        sign_in_options(settings_from(given).sign_in, url)
    assert words in str(raised.value)


def test_an_issuer_without_https_is_this_machine_alone() -> None:
    with pytest.raises(BadSetting, match="`WRIT_OIDC_ISSUER` must begin with `https://`"):
        settings_from({ISSUER: "http://i.example"})


def test_on_this_machine_cookies_are_plain_ones(tmp_path: Path) -> None:
    given = {
        ISSUER: "http://localhost:8180/realms/x",
        CLIENT: "c",
        FILE: str(rules(tmp_path, {"ask": "m", "rules": [RULE]})),
    }
    options = sign_in_options(settings_from(given).sign_in, "http://127.0.0.1:8080/writ/")
    assert options is not None
    assert (options.cookies.session, options.cookies.secure) == ("writ-session", False)
    assert (options.origin, options.redirect_uri) == (
        "http://127.0.0.1:8080",
        "http://127.0.0.1:8080/writ/console/callback",
    )
    assert sign_in_options(settings_from({}).sign_in, "http://0.0.0.0") is None
