"""A service manager that only listens: the other end of `sd_notify`, over a real datagram socket."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


class Manager:
    """The notices of a service to its manager at `address`: a path, or an abstract name that begins with `@`."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(f"\0{address[1:]}" if address.startswith("@") else address)
        self._socket.setblocking(False)
        self.heard: list[str] = []

    def hear(self) -> list[str]:
        """All datagrams so far."""
        while True:
            try:
                self.heard.append(self._socket.recv(4_096).decode())
            except BlockingIOError:
                return self.heard

    def states(self) -> list[str]:
        """The first lines of all datagrams but the beats."""
        return [text.split("\n")[0] for text in self.hear() if text != "WATCHDOG=1"]

    def close(self) -> None:
        """Hear no more."""
        self._socket.close()


@contextmanager
def managing(address: str) -> Iterator[Manager]:
    """A manager that listens at `address`."""
    manager = Manager(address)
    try:
        yield manager
    finally:
        manager.close()
