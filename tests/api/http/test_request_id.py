"""The `X-Request-ID` that comes back (authzen.md 79-81)."""

import re

import falcon
import falcon.asgi
import pytest
from falcon import testing
from writ.api.http.request_id import RequestId, id_among, id_line


class Teapot:
    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        resp.text = "short and stout"


MADE = re.compile("[0-9a-f]{32}")
CLIENT = testing.TestClient(falcon.asgi.App(middleware=[RequestId()]))
CLIENT.app.add_route("/", Teapot())


@pytest.mark.parametrize("value", ["7", "a b", "Zm9v+/=", "\t tab", "\u00e6\u00ff", '";--', "x" * 4_000])
@pytest.mark.parametrize("path", ["/", "/nowhere"])
def test_it_comes_back_unchanged(value: str, path: str) -> None:
    assert CLIENT.simulate_get(path, headers={"X-Request-ID": value}).headers["X-Request-ID"] == value.strip()


@pytest.mark.parametrize("headers", [{}, {"X-Request-ID": ""}])
def test_a_new_one_comes_back_where_none_was_sent(headers: dict[str, str]) -> None:
    made = {CLIENT.simulate_get("/", headers=headers).headers["X-Request-ID"] for _ in range(100)}
    assert len(made) == 100
    assert all(MADE.fullmatch(one) for one in made)


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: b=c", "a\nb", "a\0b", "a\x7f"])
def test_what_would_start_another_header_does_not_come_back(value: str) -> None:
    assert MADE.fullmatch(id_among([(b"x-request-id", value.encode("latin-1"))]).decode())
    answer = CLIENT.simulate_get("/", headers={"X-Request-ID": value})
    assert MADE.fullmatch(answer.headers["X-Request-ID"])
    assert "Set-Cookie" not in answer.headers


def test_a_repeated_header_is_joined() -> None:
    id = id_among([(b"x-request-id", b"1"), (b"host", b"h"), (b"x-request-id", b"2")])
    assert id_line(id) == b"x-request-id: 1,2\r\n"
