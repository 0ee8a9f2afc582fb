"""The address that a gateway tells: the last one in `X-Forwarded-For`, without a port."""

import pytest
from writ.api.endpoints.gateway.headers import GatewayRefused
from writ.api.endpoints.gateway.original import address_of


@pytest.mark.parametrize(
    ("told", "address"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.7:41234", "203.0.113.7"),
        ("evil, 203.0.113.7:1", "203.0.113.7"),
        ("2001:db8::1", "2001:db8::1"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("[2001:DB8::1]", "2001:db8::1"),
        ("2001:db8::1:443", "2001:db8::1:443"),
        (None, None),
    ],
)
def test_a_port_is_no_part_of_the_address(told, address):
    assert address_of(told) == address


@pytest.mark.parametrize("told", ["evil", "203.0.113.7:", "203.0.113.7:x", "203.0.113.7:123456", "[203.0.113", "[]:1"])
def test_what_is_no_address_is_refused(told):
    with pytest.raises(GatewayRefused):
        address_of(told)
