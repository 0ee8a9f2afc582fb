"""The address that the service listens on: from `HOST:PORT` or `unix:PATH` to a socket."""

import ctypes
import errno
import socket
import stat
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from ...bundles.system_errors import reason_of

BACKLOG: Final = 2_048
"""Connections that may wait to be accepted."""

UNIX: Final = "unix:"
"""The address of a Unix socket begins with it."""

_HIGHEST_PORT: Final = 65_535
_GROUP_MODE: Final = 0o660


_SO_ATTACH_FILTER: Final = 26
_DROP_SYN: Final = (
    (0x30, 0, 0, 13),  # the flags
    (0x54, 0, 0, 0x12),  # SYN and ACK of them
    (0x15, 0, 1, 0x02),  # if only SYN is set, the next step, else the one after it
    (0x06, 0, 0, 0),  # drop
    (0x06, 0, 0, 0xFFFFFFFF),  # take
)
"""A program of the Berkeley packet filter. A packet begins with the header of TCP (RFC 9293, 3.1)."""


class CannotListen(Exception):
    """The address can't be used; the message is one sentence."""


def bound_socket(address: str, option: str = "--bind") -> socket.socket:
    """Returns a socket bound to `address`, which `option` has given.

    An address is `HOST:PORT`, with IPv6 hosts in brackets and port 0 for a free one, or `unix:PATH`. The socket does
    not listen yet, so that no client waits in its queue while the service gets ready. `option` is the one that names
    the address on the command line.

    Raises:
        CannotListen: the address is malformed, unknown, taken or not allowed.
    """
    if address.startswith(UNIX):
        return _bound_unix_socket(address, option)
    family, protocol, place = resolved(address)
    listener = socket.socket(family, socket.SOCK_STREAM, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(place)
    except OSError as error:
        listener.close()
        raise _refusal(address, error, option) from None
    return listener


def resolved(address: str) -> tuple[socket.AddressFamily, int, tuple[Any, ...]]:
    """Returns the family, the protocol and the place of `HOST:PORT`. Raises CannotListen."""
    host, port = _parts(address)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (OSError, UnicodeError):  # the latter for a name that no host can have, like `a..b`
        raise CannotListen(f"the host `{host}` is not known") from None
    return found[0], found[2], found[4]


def start_listening(listener: socket.socket, option: str = "--bind") -> None:
    """Let clients connect to the address that `option` has given.

    Raises:
        CannotListen: another process listens on the same address since `bound_socket`.
    """
    try:
        listener.listen(BACKLOG)
    except OSError as error:
        raise _refusal(shown_address(listener), error, option) from None


def ignore_newcomers(listener: socket.socket) -> None:
    """Let no other client connect over TCP, while those that have begun to connect may go on.

    The system ends connections that wait when the last process closes the socket, with what their clients have sent. A
    client that is ignored tries again after a second. Where the system has no such filter (Linux has), this does
    nothing.
    """
    if listener.family == socket.AF_UNIX:
        return
    steps = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in _DROP_SYN))
    program = struct.pack("HL", len(_DROP_SYN), ctypes.addressof(steps))
    with suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)


def shown_address(listener: socket.socket) -> str:
    """Returns `HOST:PORT` as a URL has it, or `unix:PATH`."""
    if listener.family == socket.AF_UNIX:
        return f"{UNIX}{listener.getsockname()}"
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _bound_unix_socket(address: str, option: str) -> socket.socket:
    """Returns a socket for the owner alone, in place of one that a service left behind when it was killed.

    If the folder has the set-group-ID bit, the system gives the socket to the folder's group, and this group may
    connect too. Such a bit is never set by chance, and says whom the folder is shared with.
    """
    path = Path(address.removeprefix(UNIX))
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if path.is_socket() and not _is_served(path):
            path.unlink(missing_ok=True)
        listener.bind(str(path))
        if path.parent.stat().st_mode & stat.S_ISGID:
            path.chmod(_GROUP_MODE)
    except OSError as error:
        listener.close()
        raise _refusal(address, error, option) from None
    return listener


def _is_served(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client, suppress(ConnectionRefusedError):
        client.connect(str(path))
        return True
    return False


def _parts(address: str) -> tuple[str, int]:
    host, colon, port = address.rpartition(":")
    if not (colon and host and port.isascii() and port.isdigit() and int(port) <= _HIGHEST_PORT):
        raise CannotListen(f"`{address}` is no address; write it as HOST:PORT, like `127.0.0.1:8080`, or as unix:PATH")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _refusal(address: str, error: OSError, option: str) -> CannotListen:
    if error.errno == errno.EADDRINUSE:
        return CannotListen(f"`{address}` is already in use; choose another address with `{option}`")
    if address.startswith(UNIX):
        error.filename = error.filename or address.removeprefix(UNIX)
        return CannotListen(f"can't listen on `{address}`: {reason_of(error)}")
    remedy = "; choose a port from 1024 on" if error.errno == errno.EACCES else ""
    return CannotListen(f"can't listen on `{address}`: {reason_of(error)}{remedy}")
