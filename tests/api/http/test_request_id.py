"""What may come back as `X-Request-ID` (authzen.md 79-81)."""

import falcon
import falcon.asgi
import pytest
from falcon import testing
from writ.api.http.request_id import RequestId, echo_line


class Teapot:
    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        resp.text = "short and stout"


CLIENT = testing.TestClient(falcon.asgi.App(middleware=[RequestId()]))
CLIENT.app.add_route("/", Teapot())


@pytest.mark.parametrize("value", ["7", "a b", "Zm9v+/=", "\t tab", "\u00e6\u00ff", '";--', "x" * 4_000])
@pytest.mark.parametrize("path", ["/", "/nowhere"])
def test_it_comes_back_unchanged(value: str, path: str) -> None:
    assert CLIENT.simulate_get(path, headers={"X-Request-ID": value}).headers["X-Request-ID"] == value.strip()


def test_nothing_comes_back_where_nothing_was_sent() -> None:
    assert "X-Request-ID" not in CLIENT.simulate_get("/").headers


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: b=c", "a\nb", "a\0b", "a\x7f"])
def test_what_would_start_another_header_does_not_come_back(value: str) -> None:
    assert echo_line([(b"x-request-id", value.encode("latin-1"))]) == b""
    answer = CLIENT.simulate_get("/", headers={"X-Request-ID": value})
    assert "X-Request-ID" not in answer.headers
    assert "Set-Cookie" not in answer.headers


def test_a_repeated_header_is_joined() -> None:
    assert echo_line([(b"x-request-id", b"1"), (b"host", b"h"), (b"x-request-id", b"2")]) == b"X-Request-ID: 1,2\r\n"
