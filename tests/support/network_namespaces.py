"""Places in a network: each is a network namespace with a way to the database and another one to the clients.

The packets of a way that is cut vanish: nobody hears of it. To make namespaces takes root, else the test is skipped.
"""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

import pytest

_NETWORKS: Final = 200
"""Networks that may be there at the same time: other runs of tests have theirs."""

_FIRST_PLACE: Final = 10
"""The last number of the first place's address. Those below are for databases."""

_HARDWARE_ADDRESS: Final = "02:00:00:00:00:01"
"""That of each bridge."""

TO_DATABASE: Final = "data"
TO_CLIENTS: Final = "front"


class Place:
    """A network namespace with the address `address` for clients. It reaches the database from `source`."""

    def __init__(self, network: "Network", number: int) -> None:
        """Make it."""
        self.name: Final = f"{network.name}n{number}"
        self.source: Final = f"{network.net(TO_DATABASE)}.{_FIRST_PLACE + number}"
        self.address: Final = f"{network.net(TO_CLIENTS)}.{_FIRST_PLACE + number}"
        self._network = network
        _run("ip", "netns", "add", self.name)
        _run("ip", "-n", self.name, "link", "set", "lo", "up")
        for way, address in ((TO_DATABASE, self.source), (TO_CLIENTS, self.address)):
            port = self._port(way)
            _run("ip", "link", "add", port, "type", "veth", "peer", "name", way, "netns", self.name)
            _run("ip", "link", "set", port, "master", network.bridge(way), "up")
            _run("ip", "-n", self.name, "addr", "add", f"{address}/24", "dev", way)
            _run("ip", "-n", self.name, "link", "set", way, "up")
        for database in network.databases:  # it does not look for the way again when that is cut
            _run("ip", "-n", self.name, "neigh", "add", database, "dev", TO_DATABASE, "lladdr", _HARDWARE_ADDRESS)

    def within(self, line: Sequence[str]) -> list[str]:
        """Returns the command line that runs `line` here."""
        return ["ip", "netns", "exec", self.name, *line]

    @contextmanager
    def cut(self) -> Iterator[None]:
        """Let all packets from and to the database vanish, but not those of the clients."""
        port = self._port(TO_DATABASE)
        _run("ip", "link", "set", port, "nomaster")
        try:
            yield
        finally:
            _run("ip", "link", "set", port, "master", self._network.bridge(TO_DATABASE))

    @contextmanager
    def cut_answers(self) -> Iterator[None]:
        """Let the packets from the database vanish: it hears everything, and nobody here hears of it."""
        rule = ("from", "all", "to", self.source, "blackhole")
        _run("ip", "rule", "add", *rule)
        try:
            yield
        finally:
            _run("ip", "rule", "del", *rule)

    @contextmanager
    def cut_connection(self, port: int) -> Iterator[None]:
        """Let the packets of the one connection vanish that has this local port here, in both directions."""
        sent = ("ipproto", "tcp", "sport", str(port), "blackhole")
        received = ("to", self.source, "ipproto", "tcp", "dport", str(port), "blackhole")
        with ExitStack() as stack:
            for command in (("ip", "-n", self.name, "rule"), ("ip", "rule")):
                rule = sent if "-n" in command else received
                _run(*command, "add", *rule)
                stack.callback(_run, *command, "del", *rule)
            yield

    def port_of(self, process: int) -> int:
        """Returns the local port of the one connection of a process here to the database."""
        shown = _run("ip", "netns", "exec", self.name, "ss", "-Htnp").splitlines()
        (found,) = (line.split()[3] for line in shown if f"pid={process}," in line)
        return int(found.rpartition(":")[2])

    def remove(self) -> None:
        """Remove it. A process that is still here keeps nothing of it but its own sockets."""
        for way in (TO_DATABASE, TO_CLIENTS):
            with suppress(subprocess.CalledProcessError):
                _run("ip", "link", "del", self._port(way))
        _run("ip", "netns", "del", self.name)

    def _port(self, way: str) -> str:
        return f"{self.name}{way[0]}"


class Network:
    """The two bridges, and the addresses of two `databases` on the first one."""

    def __init__(self, number: int) -> None:
        """Make the bridges. Raises subprocess.CalledProcessError if a network has this number already."""
        self.name: Final = f"writ{number}"
        self._number: Final = number
        self.databases: Final = tuple(f"{self.net(TO_DATABASE)}.{last}" for last in (1, 2))
        self.places = list[Place]()
        addresses = {TO_DATABASE: self.databases, TO_CLIENTS: (f"{self.net(TO_CLIENTS)}.1",)}
        for way, own in addresses.items():
            # With an address that is set, a bridge keeps it as ports come and go.
            _run("ip", "link", "add", self.bridge(way), "address", _HARDWARE_ADDRESS, "type", "bridge")
            for address in own:
                _run("ip", "addr", "add", f"{address}/24", "dev", self.bridge(way))
            _run("ip", "link", "set", self.bridge(way), "up")

    def net(self, way: str) -> str:
        """Returns the first three numbers of the addresses on a way. RFC 2544 keeps them for tests."""
        return f"198.{18 if way == TO_DATABASE else 19}.{self._number}"

    def bridge(self, way: str) -> str:
        """Returns the name of the bridge to which a way leads."""
        return f"{self.name}{way[0]}"

    def place(self) -> Place:
        """Returns a new place."""
        self.places.append(Place(self, len(self.places)))
        return self.places[-1]

    def remove(self) -> None:
        """Remove it, and its places."""
        for place in self.places:
            place.remove()
        for way in (TO_DATABASE, TO_CLIENTS):
            _run("ip", "link", "del", self.bridge(way))


@contextmanager
def network() -> Iterator[Network]:
    """Yields a network without places."""
    made = _made()
    try:
        yield made
    finally:
        made.remove()


def _made() -> Network:
    trouble = "each number is taken"
    probe = f"writ-probe{os.getpid()}"
    for number in range(1, _NETWORKS):
        try:
            _run("ip", "netns", "add", probe)
            _run("ip", "netns", "del", probe)
            return Network(number)
        except FileNotFoundError:
            pytest.skip("network namespaces can't be made here: there is no command `ip`")
        except subprocess.CalledProcessError as ex:
            trouble = ex.stderr
            if "exists" not in trouble:
                break
    return pytest.skip(f"network namespaces can't be made here: {trouble}")


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
