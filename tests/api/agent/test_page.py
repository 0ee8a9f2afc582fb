"""The limits on the page are those of the code."""

import re

from writ.api.agent.pacing import LONGEST_AWAY, LONGEST_BACK_OFF, MOST_DELTA_BYTES, MOST_DELTAS, MOST_REFUSALS
from writ.api.agent.sources.bundle_head import LONGEST_BUNDLE
from writ.api.agent.sources.response_body import FREE_BYTES, MOST_EXPANSION
from writ.api.agent.sources.upstream import UpstreamLimits
from writ.bundles.feed.callers import LONGEST_CALLERS
from writ.bundles.feed.index import LONGEST_INDEX
from writ.bundles.feed.update import LONGEST_UPDATE

from tests.support.pages import page


def test_the_limits_are_told() -> None:
    """In this order."""
    limits = UpstreamLimits()
    assert (limits.bundle, limits.expansion) == (LONGEST_BUNDLE, MOST_EXPANSION)
    told = re.findall(r"\| (\d+) \|", page("api/agent/README.md").between("limits"))
    assert [int(one) for one in told] == [
        LONGEST_UPDATE,
        LONGEST_BUNDLE,
        LONGEST_INDEX,
        LONGEST_CALLERS,
        int(limits.answer),
        limits.least_rate,
        limits.resumes,
        MOST_EXPANSION,
        FREE_BYTES,
        MOST_DELTAS,
        MOST_DELTA_BYTES,
    ]
    assert (LONGEST_AWAY, LONGEST_BACK_OFF, MOST_REFUSALS, limits.retry_after) == (2, 30, 3, 300)
