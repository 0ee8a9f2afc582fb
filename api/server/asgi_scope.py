"""The ASGI scope of a request: what the application learns of it and of its connection."""

from typing import Any, TypeAlias

from ..http.request_id import scope_member
from .request_parser import Request

Address: TypeAlias = tuple[str, int] | None
"""Host and port, or None for an end without them: that of a Unix socket."""


def addresses_of(transport: Any) -> tuple[Address, Address]:
    """Returns the client's and the server's address."""
    return _address(transport.get_extra_info("peername")), _address(transport.get_extra_info("sockname"))


def _address(found: Any) -> Address:
    return (found[0], found[1]) if isinstance(found, tuple) else None


def asgi_scope(request: Request, secure: bool, client: Address, server: Address) -> dict[str, Any]:
    """Returns the scope. The path is not decoded: the application splits it as raw bytes."""
    path, _, query = request.target.partition(b"?")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": request.version,
        "method": request.method,
        "scheme": "https" if secure else "http",
        "path": path.decode("latin-1"),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": request.headers,
        "client": client,
        "server": server,
        **scope_member(request.id),
    }
