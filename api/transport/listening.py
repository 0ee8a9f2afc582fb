"""The address that the service listens on: from `HOST:PORT` to a socket."""

import errno
import socket
from typing import Final

BACKLOG: Final = 2_048
"""Connections that may wait to be accepted."""

_HIGHEST_PORT: Final = 65_535


class CannotListen(Exception):
    """The address can't be used; the message is one sentence."""


def bound_socket(address: str) -> socket.socket:
    """A TCP socket bound to `address` (`HOST:PORT`, IPv6 hosts in brackets, port 0 for a free one).

    It does not listen yet, so that nobody waits in its queue while the service gets ready.

    Raises:
        CannotListen: the address is malformed, unknown, taken or not allowed.
    """
    host, port = _parts(address)
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError):  # the latter for a name that no host can have, like `a..b`
        raise CannotListen(f"the host `{host}` is not known") from None
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(place)
    except OSError as error:
        listener.close()
        raise _refusal(address, error) from None
    return listener


def start_listening(listener: socket.socket) -> None:
    """Let clients connect.

    Raises:
        CannotListen: another process listens on the same address since `bound_socket`.
    """
    try:
        listener.listen(BACKLOG)
    except OSError as error:
        raise _refusal(shown_address(listener), error) from None


def shown_address(listener: socket.socket) -> str:
    """`HOST:PORT` as a URL has it."""
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _parts(address: str) -> tuple[str, int]:
    host, colon, port = address.rpartition(":")
    if not (colon and host and port.isascii() and port.isdigit() and int(port) <= _HIGHEST_PORT):
        raise CannotListen(f"`{address}` is no address; write it as HOST:PORT, like `127.0.0.1:8080`")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _refusal(address: str, error: OSError) -> CannotListen:
    if error.errno == errno.EADDRINUSE:
        return CannotListen(f"`{address}` is already in use; choose another address with `--bind`")
    return CannotListen(f"can't listen on `{address}`: {(error.strerror or str(error)).lower()}")
