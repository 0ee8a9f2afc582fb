"""Spaces and tabs around the value of a header are no part of it (RFC 9110, 5.5; C11)."""

import pytest
from writ.api.endpoints.gateway.envoy.check_reading import Check
from writ.api.endpoints.gateway.envoy.messages import CHECK_REQUEST
from writ.api.server.request_parser import Request, RequestParser


class Heads(list[Request]):
    """Takes the heads that a parser reads."""

    def head(self, request: Request) -> None:
        self.append(request)

    def body(self, data: bytes) -> None:
        raise AssertionError(data)

    def end(self) -> None:
        pass


@pytest.mark.parametrize("space", [b"", b" ", b"\t", b" \t  "])
def test_a_request_is_read_without_them(space: bytes) -> None:
    heads = Heads()
    sent = b"GET /gateway/nginx HTTP/1.1\r\nHost: a\r\nMcp-Name:" + space + b"delete" + space + b"\r\n\r\n"
    RequestParser(heads, lambda _: True).feed(sent)
    assert heads[0].fields[b"mcp-name"] == b"delete"
    assert (b"mcp-name", b"delete") in heads[0].headers


@pytest.mark.parametrize("raw", [True, False])
def test_a_check_of_envoy_is_read_without_them(raw: bool) -> None:
    message = CHECK_REQUEST()
    http = message.attributes.request.http
    http.method, http.path, http.host = "GET", "/", "a"
    if raw:
        http.header_map.headers.add(key="mcp-name", raw_value=b"delete \t")
    else:
        http.headers.add(key="mcp-name", value="\tdelete ")
    assert Check(message.SerializeToString(), [], "ipv4:10.0.0.7:1").asked.headers.one("Mcp-Name") == "delete"
