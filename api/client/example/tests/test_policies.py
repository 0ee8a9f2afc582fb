"""The policies, beside the table in `documents.test.yaml`: sharing ends at the border of a tenant."""

from writ.testing import TestingEngine, assert_allowed, assert_denied

PLAN = {"tenant": "acme", "owner": "ann"}


def test_a_colleague_reads_what_is_shared(writ_engine: TestingEngine) -> None:
    asked = ("user", "cleo", "read", "document", "shared")
    assert_allowed(writ_engine, *asked, subject={"tenant": "acme"}, resource=PLAN)


def test_a_stranger_does_not(writ_engine: TestingEngine) -> None:
    asked = ("user", "dan", "read", "document", "shared")
    assert_denied(writ_engine, *asked, subject={"tenant": "globex"}, resource=PLAN, reason_code="DENY_OVERRIDE")
