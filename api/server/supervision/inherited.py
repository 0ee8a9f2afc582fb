"""The listening socket that a service manager hands over: socket activation, `sd_listen_fds` of systemd.

The socket outlives the service. Clients that connect during a restart wait for the new one.
"""

import os
import socket
from collections.abc import MutableMapping
from typing import Final

from ..listening import UNIX, CannotListen, bound_socket, resolved, shown_address

FIRST_FILE: Final = 3
"""The number of the first file that a service manager hands over."""

_PROCESS, _COUNT, _NAMES = "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"


def inherited_socket(environ: MutableMapping[str, str]) -> socket.socket | None:
    """Returns the socket that was handed over to this process, or None.

    Takes the variables out of `environ`, since gunicorn reads them too.

    Raises CannotListen if there are several sockets, or if it does not listen for connections.
    """
    if environ.get(_PROCESS) != str(os.getpid()):
        return None
    count = environ.get(_COUNT, "")
    for name in (_PROCESS, _COUNT, _NAMES):
        environ.pop(name, None)
    if count != "1":
        raise CannotListen(f"the service manager handed over {count or 'no'} sockets; Writ takes one (`{_COUNT}`)")
    os.set_inheritable(FIRST_FILE, False)
    try:
        found = socket.socket(fileno=FIRST_FILE)
        listens = found.type == socket.SOCK_STREAM and found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    except OSError:
        listens = False
    if not listens:
        raise CannotListen("the service manager handed over a file that is no listening stream socket")
    return found


def listening_socket(address: str | None, default: str, inherited: socket.socket | None) -> socket.socket:
    """Returns the `inherited` socket, or else one bound to `address` (see `bound_socket`), or to the default.

    Raises CannotListen, also if both are given and differ.
    """
    if inherited is None:
        return bound_socket(address or default)
    if address is not None and not _is_at(inherited, address):
        message = f"the service manager listens on `{shown_address(inherited)}`, and not on `{address}`"
        raise CannotListen(f"{message}; leave `--bind` out")
    return inherited


def _is_at(listener: socket.socket, address: str) -> bool:
    if listener.family == socket.AF_UNIX or address.startswith(UNIX):
        return shown_address(listener) == address
    family, _, place = resolved(address)
    return listener.family == family and listener.getsockname()[:2] == place[:2]
