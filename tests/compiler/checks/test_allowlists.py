"""Allowlists can be read."""

from tests.support.diagnosing import conditions


def allowlist(text: str) -> str:
    return conditions(f'{{"ip_allowlist": {text}}}')


CASES = {
    "empty": (allowlist("[]"), [("empty", "[")]),
    "good": (allowlist('["10.0.0.0/8", "10.1.2.3", "2001:db8::/32", "::ffff:10.0.0.0/104"]'), []),
    "one zero": (allowlist('["10.0.0.0/08"]'), [("bad-address", '"10.0.0.0/08"')]),
    "host bits": (allowlist('["10.0.0.1/8"]'), [("bad-address", '"10.0.0.1/8"')]),
    "zone": (allowlist('["::1", "fe80::1%eth0"]'), [("bad-address", '"fe80::1%eth0"')]),
    "no address": (allowlist('["localhost", ""]'), [("bad-address", '"localhost"'), ("bad-address", '""')]),
    "zeros before the length": (
        allowlist('["10.0.0.0/008", "10.0.0.1/032", "2001:db8::/032", "0.0.0.0/00"]'),
        [
            ("bad-address", '"10.0.0.0/008"'),
            ("bad-address", '"10.0.0.1/032"'),
            ("bad-address", '"2001:db8::/032"'),
            ("bad-address", '"0.0.0.0/00"'),
        ],
    ),
    "10,001 elements": (allowlist(str(["::1"] * 10_001).replace("'", '"')), [("too-long", "[")]),
}


HELP = {"one zero": "write `10.0.0.0/8`"}


def test_faults_are_found_where_they_are(found, expected):
    assert found == expected


def test_help(found_help, expected):
    assert found_help == expected
