"""The lint `rate-limit-uncounted`: such an ALLOW never allows (C10)."""

import pytest

from tests.support.diagnosing import FORMATS, load_text, seen
from tests.support.linting import allow, model

LIMITED = {"conditions": {"rate_limit": {"limit": 1, "window_seconds": 60}}}


@pytest.mark.parametrize("name", FORMATS)
def test_rate_limit_uncounted(name):
    assert seen(model(allow(**LIMITED)), name) == [("rate-limit-uncounted", '"rate_limit"')]
    assert seen(model({"id": "a", "effect": "ALLOW"} | LIMITED), name) == [("rate-limit-uncounted", '"rate_limit"')]
    assert seen(model(allow(enabled=False, **LIMITED)), name) == []


def test_rate_limit_uncounted_says_what_happens():
    (found,) = load_text(model(allow(**LIMITED))).diagnostics
    assert found.severity == "warning"
    assert found.message == ("the ALLOW `a` has a rate limit, so it never allows: Writ does not count evaluations yet")
    assert found.help == "leave `rate_limit` out"
