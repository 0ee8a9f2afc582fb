"""A peer that sends a byte now and then, so that no timeout between two bytes ends an exchange."""

import select
import socket
from typing import Final

DRIP_SECONDS: Final = 0.05


def drip(connection: socket.socket, piece: bytes = b" ") -> None:
    """Send a piece now and then, until the other side says something or leaves."""
    while not select.select([connection], [], [], DRIP_SECONDS)[0]:
        connection.sendall(piece)
