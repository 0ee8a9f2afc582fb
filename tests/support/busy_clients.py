"""Clients that ask one question after the other on connections that they keep, and count what they lose."""

import select
import ssl
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.raw_http import RawConnection
from tests.support.server import Server
from tests.support.waiting import wait_until


class BusyClients:
    """Some threads, each with a connection. `counts` has the answers by status, and `lost`.

    A request is lost if the connection ended before its answer. A client that sees the end of its connection before it
    sends, or can't connect, has lost nothing.
    """

    def __init__(self, server: Server, question: bytes, clients: int, trust: ssl.SSLContext | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self.closed = 0  # the answers that said that their connection ends
        self.reasons: list[str] = []
        self._server, self._question, self._trust = server, question, trust
        self._lock, self._over = threading.Lock(), threading.Event()
        self._threads = [threading.Thread(target=self._ask, daemon=True) for _ in range(clients)]

    @contextmanager
    def asking(self) -> Iterator["BusyClients"]:
        """Ask until the block ends, or the server is gone."""
        for thread in self._threads:
            thread.start()
        try:
            yield self
        finally:
            self._over.set()
            for thread in self._threads:
                thread.join()

    def go_on(self) -> None:
        """Wait for as many more answers as there are clients."""
        wanted = sum(self.counts.values()) + len(self._threads)
        assert wait_until(lambda: sum(self.counts.values()) >= wanted), "the clients have no answers"

    def _ask(self) -> None:
        while not self._over.is_set():
            try:
                connection = RawConnection(self._server.host, self._server.port, self._trust)
            except OSError:  # refused, or ended in the handshake: nothing was sent
                continue
            with connection:
                self._ask_on(connection)

    def _ask_on(self, connection: RawConnection) -> None:
        while not self._over.is_set() and not select.select([connection.socket], [], [], 0)[0]:
            try:
                connection.send(self._question)
                answer = connection.answer()
            except (OSError, EOFError) as error:
                with self._lock:
                    self.counts["lost"] += 1
                    self.reasons.append(repr(error))
                return
            ends = answer.headers.get("connection") == "close"
            with self._lock:
                self.counts[str(answer.status)] += 1
                self.closed += ends
            if ends:
                return
