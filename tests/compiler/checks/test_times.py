"""Expiries and time windows can be read and mean something."""

from tests.support.diagnosing import conditions, grant, model_text


def window(text: str) -> str:
    return conditions(f'{{"time_window": {text}}}')


CASES = {
    "expiry of a grant": (grant(more=', "expires_at": "tomorrow"'), [("bad-instant", '"tomorrow"')]),
    "expiry without an offset": (
        grant(more=', "expires_at": "2027-01-01T00:00:00"'),
        [("bad-instant", '"2027-01-01T00:00:00"')],
    ),
    "expiry on no day": (
        grant(more=', "expires_at": "2027-02-30T00:00:00Z"'),
        [("bad-instant", '"2027-02-30T00:00:00Z"')],
    ),
    "expiry of an assignment": (
        model_text(assignments='[{"role": "editor", "group": "eng", "expires_at": "1"}]'),
        [("bad-instant", '"1"')],
    ),
    "expiry": (grant(more=', "expires_at": "2027-01-01T00:00+02:00"'), []),
    "start of a grant": (grant(more=', "starts_at": "soon"'), [("bad-instant", '"soon"')]),
    "start and expiry, both bad": (
        grant(more=', "starts_at": "soon", "expires_at": "late"'),
        [("bad-instant", '"soon"'), ("bad-instant", '"late"')],
    ),
    "start alone": (grant(more=', "starts_at": "2027-01-01T00:00:00Z"'), []),
    "start before expiry": (
        grant(more=', "starts_at": "2027-01-01T00:00:00Z", "expires_at": "2027-01-01T00:00:00.000000001Z"'),
        [],
    ),
    "start at the expiry": (
        grant(more=', "starts_at": "2027-01-01T01:00:00+01:00", "expires_at": "2027-01-01T00:00:00Z"'),
        [("never-in-force", '"2027-01-01T00:00:00Z"')],
    ),
    "start after the expiry": (
        model_text(
            assignments='[{"role": "editor", "group": "eng", "starts_at": "2028-01-01T00:00:00Z",'
            ' "expires_at": "2027-01-01T00:00:00Z"}]'
        ),
        [("never-in-force", '"2027-01-01T00:00:00Z"')],
    ),
    "empty window": (window("{}"), [("empty-window", "{")]),
    "zone alone": (window('{"timezone": "Europe/Oslo"}'), [("empty-window", "{")]),
    "no days": (window('{"days": []}'), [("empty-window", "[")]),
    "equal hours": (window('{"start": "09:00", "end": "09:00"}'), [("empty-window", '"09:00"')]),
    "equal to the default end": (window('{"end": "00:00"}'), [("empty-window", '"00:00"')]),
    "over midnight": (window('{"start": "22:00", "end": "06:00"}'), []),
    "until the day's end": (window('{"start": "22:00", "end": "24:00"}'), []),
    "24:00 as a start": (window('{"start": "24:00", "end": "06:00"}'), [("bad-time", '"24:00"')]),
    "no times": (
        window('{"start": "9:00", "end": "24:01"}'),
        [("bad-time", '"9:00"'), ("bad-time", '"24:01"')],
    ),
    "backwards": (
        window('{"not_before": "2027-01-02T00:00:00Z", "not_after": "2027-01-01T00:00:00Z"}'),
        [("empty-window", '"2027-01-01T00:00:00Z"')],
    ),
    "of no length": (
        window('{"not_before": "2027-01-01T01:00:00+01:00", "not_after": "2027-01-01T00:00:00Z"}'),
        [("empty-window", '"2027-01-01T00:00:00Z"')],
    ),
    "unreadable instant": (window('{"not_before": "soon"}'), [("bad-instant", '"soon"')]),
    "unknown zone": (window('{"days": ["mon"], "timezone": "Europe/Olso"}'), [("unknown-zone", '"Europe/Olso"')]),
    "everything at once": (
        window('{"not_before": "a", "days": [], "start": "b", "timezone": ""}'),
        [("bad-instant", '"a"'), ("empty-window", "["), ("bad-time", '"b"'), ("unknown-zone", '""')],
    ),
}


def test_faults_are_found_where_they_are(found, expected):
    assert found == expected


HELP = {
    "start after the expiry": "put `starts_at` before `expires_at`",
    "unknown zone": "did you mean `Europe/Oslo`?",
}


def test_help(found_help, expected):
    assert found_help == expected
