"""From `HOST:PORT` to a socket."""

import socket
import sys

import pytest
from writ.api.server.listening import CannotListen, bound_socket, ignore_newcomers, shown_address, start_listening


def test_port_0_finds_a_free_one() -> None:
    with bound_socket("127.0.0.1:0") as listener:
        start_listening(listener)
        host, _, port = shown_address(listener).partition(":")
        assert host == "127.0.0.1"
        socket.create_connection((host, int(port))).close()


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
def test_an_ipv6_host_stands_in_brackets() -> None:
    with bound_socket("[::1]:0") as listener:
        assert shown_address(listener).startswith("[::1]:")


@pytest.mark.parametrize(
    "address", ["", "8080", ":8080", "localhost", "localhost:", "localhost:http", "127.0.0.1:65536", "127.0.0.1:-1"]
)
def test_a_malformed_address_is_refused_with_an_example(address: str) -> None:
    with pytest.raises(CannotListen, match=r"write it as HOST:PORT, like `127.0.0.1:8080`"):
        bound_socket(address)


@pytest.mark.parametrize("host", ["a..b", "x" * 64, "127.0.0.1.1"])
def test_an_unknown_host_is_refused(host: str) -> None:
    with pytest.raises(CannotListen, match=rf"the host `{host}` is not known"):
        bound_socket(f"{host}:8080")


def test_a_foreign_address_is_refused() -> None:
    with pytest.raises(CannotListen, match=r"can't listen on `192.0.2.1:8080`: "):
        bound_socket("192.0.2.1:8080")


def test_a_taken_port_is_refused() -> None:
    with bound_socket("127.0.0.1:0") as listener:
        start_listening(listener)
        with pytest.raises(CannotListen, match=r"is already in use; choose another address with `--bind`"):
            bound_socket(shown_address(listener))


def test_two_that_bound_the_same_port_do_not_both_listen() -> None:
    with bound_socket("127.0.0.1:0") as first, bound_socket(shown_address(first)) as second:
        start_listening(first)
        with pytest.raises(CannotListen, match=r"is already in use"):
            start_listening(second)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has filters of packets")
def test_newcomers_are_ignored_and_those_who_connected_are_not() -> None:
    with bound_socket("127.0.0.1:0") as listener:
        start_listening(listener)
        with socket.create_connection(listener.getsockname()) as client:
            ignore_newcomers(listener)
            with pytest.raises(TimeoutError):
                socket.create_connection(listener.getsockname(), timeout=0.1)
            client.sendall(b"question")
            accepted, _ = listener.accept()
            with accepted:
                assert accepted.recv(100) == b"question"
                accepted.sendall(b"answer")
                assert client.recv(100) == b"answer"
