"""What may be the public URL (W7; authzen.md 85, 89)."""

import falcon.asgi
import pytest
from falcon import testing
from writ.api.http.public_url import Locations, below
from writ.api.settings.settings import BadSetting, settings_from


@pytest.mark.parametrize(
    "url",
    [
        "https://pdp.example.com",
        "https://pdp.example.com/",
        "https://PDP.example.com:8443/authz/v1~x/a%2Fb/",
        "https://192.0.2.1",
        "https://[2001:db8::1]:8443",
        "http://localhost:8080",
        "http://writ.localhost",
        "http://127.0.0.1:8080/a",
        "http://127.9.9.9",
        "http://[::1]:8080",
    ],
)
def test_a_url_is_taken_byte_for_byte(url: str) -> None:
    assert settings_from({"WRIT_PUBLIC_URL": url}).public_url == url
    assert settings_from({"WRIT_PUBLIC_URL": url}).warnings == ()


@pytest.mark.parametrize(
    "url",
    [
        "pdp.example.com",
        "//pdp.example.com",
        "ftp://pdp.example.com",
        "HTTPS://pdp.example.com",
        "https://",
        "https:///a",
        "https://h:65536",
        "https://h:",
        "https://h:https",
        "https://h?a=b",
        "https://h/?",
        "https://h/#",
        "https://h#a",
        "https://user:secret@h",
        "https://user@h",
        "https://h/a b",
        "https://h/\u00e6",
        "https://h/%2",
        "https://h\\a",
        " https://h",
        "https://h\n",
        "https://h/\r\nX: y",
    ],
)
def test_anything_else_is_refused_in_one_sentence_that_does_not_quote_it(url: str) -> None:
    with pytest.raises(BadSetting, match=r"^`WRIT_PUBLIC_URL` must be a URL like `https://pdp.example.com`: ") as no:
        settings_from({"WRIT_PUBLIC_URL": url})
    assert "secret" not in str(no.value)


@pytest.mark.parametrize(
    "host", ["pdp.example.com", "10.0.0.1", "0.0.0.0", "localhost.example.com", "127.0.0.1.example.com", "[::2]"]
)
def test_plain_http_is_for_this_machine_only(host: str) -> None:
    with pytest.raises(BadSetting, match="must begin with `https://`"):
        settings_from({"WRIT_PUBLIC_URL": f"http://{host}"})


def test_none_is_none() -> None:
    assert settings_from({}).public_url is None
    assert settings_from({"WRIT_PUBLIC_URL": ""}).public_url is None


def test_one_slash_at_the_end_is_not_doubled() -> None:
    assert below("https://h", "/a") == below("https://h/", "/a") == "https://h/a"


@pytest.mark.parametrize(
    ("url", "location"),
    [
        ("https://h", "/v1/clients/a%2Fb"),
        ("https://h/", "/v1/clients/a%2Fb"),
        ("https://h/authz", "/authz/v1/clients/a%2Fb"),
        ("https://h/authz%20x/", "/authz%20x/v1/clients/a%2Fb"),
    ],
)
def test_a_location_has_the_path_of_the_public_url(url: str, location: str) -> None:
    """A client behind the proxy can follow it (RFC 9110, 10.2.2). An answer without one gets none."""

    class Made:
        async def on_post(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
            resp.set_header("Location", "/v1/clients/a%2Fb")

        async def on_get(self, _req: falcon.asgi.Request, _resp: falcon.asgi.Response) -> None:
            """Answers nothing."""

    app = falcon.asgi.App(middleware=[Locations(url)])
    app.add_route("/", Made())
    client = testing.TestClient(app)
    assert client.simulate_post("/").headers["Location"] == location
    assert "Location" not in client.simulate_get("/").headers
