"""Ports that a test gives to a program, which binds them later.

The system would give such a port to any connection meanwhile, and another test process might choose it, too.
"""

import socket
from pathlib import Path
from random import SystemRandom
from typing import Final

_LOWEST: Final = 10_000
_GIVEN: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
_held = list[socket.socket]()


def free_port() -> int:
    """Returns a port of 127.0.0.1 on which nothing listens. No other test gets it, as long as this process lives."""
    below = int(_GIVEN.read_text().split()[0])  # the system gives ports from here on
    while True:
        port = SystemRandom().randrange(_LOWEST, max(below, _LOWEST + 10_000))
        if _hold(port):
            return port


def _hold(port: int) -> bool:
    mark = socket.socket(socket.AF_UNIX)
    try:
        mark.bind(f"\0port {port} of the tests of writ")
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        mark.close()
        return False
    _held.append(mark)
    return True
