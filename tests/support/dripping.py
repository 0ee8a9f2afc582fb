"""A peer that sends a byte now and then, so that no timeout between two bytes ends an exchange."""

import select
import socket
from contextlib import suppress
from typing import Final

DRIP_SECONDS: Final = 0.05


def drip(connection: socket.socket, piece: bytes = b" ", until: socket.socket | None = None) -> None:
    """Send a piece now and then, until the other side says something or leaves, or that of another connection."""
    with suppress(BrokenPipeError, ConnectionResetError):
        while not select.select([until or connection], [], [], DRIP_SECONDS)[0]:
            connection.sendall(piece)
