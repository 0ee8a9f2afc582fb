"""The URL of a store: what is read, and that nothing of a password is taken for another part, or quoted."""

from urllib.parse import quote, unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict
from writ.api.settings.settings import BadSetting, settings_from
from writ.api.settings.store_url import url_fault

PARTS = ["a", "1", "%", "%40", "@", "/", ":", "#", "?", "&", "=", ",", " ", "[", "]", "%2F", "%3A", "%00", "é", "\n"]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://",
        "postgres:///writ",
        "postgresql://writ@db.example/writ?sslmode=verify-full&sslrootcert=system",
        "postgresql://writ:a%40b%2Fc@db1.example:5433,db2.example/writ?target_session_attrs=read-write",
        "postgresql://writ:#?:&=@[::1]:5432/writ",
        "postgresql://writ@%2Fvar%2Frun%2Fpostgresql/writ",
        "postgresql://writ@/writ?host=/var/run/postgresql&options=-c%20search_path%3Dwrit",
    ],
)
def test_what_is_read(url: str) -> None:
    assert url_fault(url) is None
    assert conninfo_to_dict(url).get("dbname") in ("writ", None)
    assert settings_from({"WRIT_STORE": url}).store.url == url


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:p%SECRET@h",
        "postgresql://u:p@SECRET@h",
        "postgresql://u:12/SECRET@h",
        "postgresql://u:12/SECRET?a=b@h",
        "postgresql://u:SECRET/p@h",
        "postgresql://u:SECRET",
        "postgresql://u:p SECRET@h",
        "postgresql://u:SECRET%00@h",
        "postgresql://u%3ASECRET@h",
        "postgresql://u%3ASECRET%40h",
        "postgresql://u%40SECRET@h",
        "postgresql://u@h:70000/SECRET",
        "postgresql://u@h:0,h/SECRET",
        "postgresql://u@h/db?SECRET",
        "mysql://u:SECRET@h",
    ],
)
def test_what_is_refused_is_not_quoted(url: str) -> None:
    with pytest.raises(BadSetting, match=r"`WRIT_STORE` (can't be read; write|must be a URL)") as raised:
        settings_from({"WRIT_STORE": url})
    assert "SECRET" not in str(raised.value)


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=8).map("".join))
@example("12/a?a=a")
@example("1,a:2/a")
@example("%aa")
def test_a_password_is_refused_or_read_as_one_by_the_driver(password: str) -> None:
    url = f"postgresql://writ:{password}@db.example/writ"
    if url_fault(url) is None:
        assert conninfo_to_dict(url) == {
            "user": "writ",
            "password": unquote(password),
            "host": "db.example",
            "dbname": "writ",
        }
    assert url_fault(f"postgresql://writ:{quote(password, safe='')}@db.example/writ") is None or "%00" in url


@given(st.lists(st.sampled_from([*PARTS, "db", ".", "host=a", "postgresql://"]), max_size=12).map("".join))
def test_what_is_read_is_read_by_the_driver_too(rest: str) -> None:
    url = f"postgresql://{rest}"
    if url_fault(url) is None and "?" not in url:  # it knows the names of its parameters
        assert {"@", "/", ":"}.isdisjoint(conninfo_to_dict(url).get("user") or "")
