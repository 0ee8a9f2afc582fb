"""The limits on the page are those of the code."""

import re

from writ.api.agent.options import FollowOptions, published_source
from writ.api.agent.pacing import (
    LONGEST_AWAY,
    LONGEST_BACK_OFF,
    MOST_DELTA_BYTES,
    MOST_DELTAS,
    MOST_REFUSALS,
    REFUSED_SECONDS,
)
from writ.api.agent.sources.bundle_head import LONGEST_BUNDLE
from writ.api.agent.sources.published import POLL_SECONDS
from writ.api.agent.sources.response_body import FREE_BYTES, MOST_EXPANSION
from writ.api.agent.sources.source_connection import KEEP_ALIVE_SECONDS, MOST_UNANSWERED
from writ.api.agent.sources.upstream import UpstreamLimits
from writ.api.cli.stores.publish import LOOK_SECONDS
from writ.api.engines.exports.bundle import MOST_DOWNLOADS
from writ.bundles.feed.callers import LONGEST_CALLERS
from writ.bundles.feed.index import INDEX_FILE, LONGEST_INDEX
from writ.bundles.feed.update import LONGEST_UPDATE

from tests.support.pages import page
from tests.support.signed import KEY, public_pem

OPERATIONS = page("api/OPERATIONS.md")


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


def test_each_target_is_a_published_folder() -> None:
    """By its name, and by that of its index. No service and no bundle file is one."""
    targets = re.findall(r"^\| `(\S+)` \|", OPERATIONS.section("What `--from TARGET` may be"), re.MULTILINE)
    assert len(targets) == 5
    for target in targets:
        for given in (target, f"{target}/", f"{target}/{INDEX_FILE}"):
            source = published_source(given)
            options = FollowOptions(source, environment="prod", keys=public_pem(KEY))
            assert (source, options.is_file, options.is_upstream) == (f"{target}/{INDEX_FILE}", False, False)
            if target.startswith(("/", "file", "https")):
                options.open_source().close()


def test_the_page_says_how_soon_an_agent_follows() -> None:
    """The seconds are those of the code."""
    told = OPERATIONS.section("How soon an agent follows")
    silent, upstream = KEEP_ALIVE_SECONDS * (1 + MOST_UNANSWERED), UpstreamLimits()
    for words in (
        f"the publisher's look ({LOOK_SECONDS:g} seconds) and the agent's (about {POLL_SECONDS:g} seconds)",
        f"after the next question, in about {upstream.interval:g} seconds",
        f"a worker sends {MOST_DOWNLOADS} at a time",
        f"within {LONGEST_AWAY:g} seconds of its return",
        f"after {silent} seconds, in which the agent notices",
        f"of {upstream.retry_after / 60:g} minutes at most",
        f"within {LONGEST_BACK_OFF:g} seconds of the remedy",
        f"or after {REFUSED_SECONDS / 60:g} minutes",
    ):
        assert words in told
    assert MOST_REFUSALS == 3
