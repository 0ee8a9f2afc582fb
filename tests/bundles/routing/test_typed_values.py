"""Texts of requests as values of a declared type."""

import pytest
from writ.bundles.conditions.values import Unreadable
from writ.bundles.routing.route import BadSource, attribute_source
from writ.bundles.routing.typed_values import typed_value

READ = [
    ("string", "", ""),
    ("number", "150", 150),
    ("number", "-0.5e1", -5.0),
    ("boolean", "true", True),
    ("boolean", "false", False),
    ("instant", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
    ("instant", "2026-01-01T00:00+02:00", "2026-01-01T00:00+02:00"),
]
UNREAD = [
    *(
        ("number", text)
        for text in ("", " 1", "1 ", "+1", "01", "1.", ".5", "0x9", "1e999", "NaN", "Infinity", "1_0", "١")
    ),
    ("number", "9" * 5_000),
    ("number", "150, 1"),
    *(("boolean", text) for text in ("True", "1", "yes", "", "true ")),
    *(("instant", text) for text in ("", "2026-01-01", "2026-01-01T00:00:00", "now", "1767225600")),
    ("array", "[]"),
    ("object", "{}"),
]


@pytest.mark.parametrize(("kind", "text", "value"), READ)
def test_a_text_is_read_as_its_type(kind, text, value):
    found = typed_value(kind, text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(("kind", "text"), UNREAD)
def test_any_other_text_can_not_be_read(kind, text):
    """C11: it is never taken for a text or for nothing."""
    assert typed_value(kind, text) == Unreadable(text)


@pytest.mark.parametrize("text", ["query:a as text", "header:X as array", " as number", "as number"])
def test_a_source_names_a_type_that_a_text_can_say(text):
    with pytest.raises(BadSource):
        attribute_source("k", text)
