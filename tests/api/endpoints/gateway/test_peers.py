"""Which peers an environment trusts, by the addresses and blocks of its settings."""

import pytest
from writ.api.endpoints.gateway.peers import is_trusted


@pytest.mark.parametrize(
    ("peer", "trusted"),
    [
        ("10.1.2.3", "10.0.0.0/8"),
        ("10.1.2.3", "10.1.2.3"),
        ("::ffff:10.1.2.3", "10.0.0.0/8"),
        ("10.1.2.3", "::ffff:10.0.0.0/104"),
        ("::ffff:10.1.2.3", "::ffff:10.1.2.3"),
        ("2001:db8::1", "2001:db8::/32"),
        ("fe80::1%eth0", "fe80::/10"),
        ("", "unix"),
    ],
)
def test_a_peer_of_the_settings_is_trusted(peer: str, trusted: str) -> None:
    assert is_trusted(peer, (trusted,))
    assert is_trusted(peer, ("192.0.2.1", trusted))


@pytest.mark.parametrize(
    ("peer", "trusted"),
    [
        ("11.1.2.3", "10.0.0.0/8"),
        ("::ffff:11.1.2.3", "10.0.0.0/8"),
        ("10.1.2.3", "::/1"),
        ("::10.1.2.3", "10.0.0.0/8"),
        ("64:ff9b::10.1.2.3", "10.0.0.0/8"),
        ("2001:db9::1", "2001:db8::/32"),
        ("", "127.0.0.1"),
        ("", "::/1"),
        ("127.0.0.1", "unix"),
        ("unix", "unix"),
        ("10.1.2.3, 192.0.2.1", "10.0.0.0/8"),
        ("010.1.2.3", "10.0.0.0/8"),
    ],
)
def test_another_peer_is_not(peer: str, trusted: str) -> None:
    assert not is_trusted(peer, (trusted,))
    assert not is_trusted(peer, ())
