"""Tables of faults: what a test module's CASES say is found, by both readers of documents, and what HELP comes with it.

A case is a document and what is seen in it; a help belongs to the case of that name, which has one finding.
"""

import pytest

from tests.support.diagnosing import FORMATS, Seen, load_text, seen


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test of `found` on all CASES of its module, and one of `found_help` on all of its HELP."""
    if "found" in metafunc.fixturenames:
        cases = metafunc.module.CASES
        metafunc.parametrize("name", FORMATS)
        metafunc.parametrize(("text", "expected"), cases.values(), ids=cases)
    if "found_help" in metafunc.fixturenames:
        texts = [(metafunc.module.CASES[case][0], text) for case, text in metafunc.module.HELP.items()]
        metafunc.parametrize(("text", "expected"), texts, ids=metafunc.module.HELP)


@pytest.fixture
def found(text: str, name: str) -> Seen:
    """What is found in a case's document."""
    return seen(text, name)


@pytest.fixture
def found_help(text: str) -> str:
    """The help of the one finding in a case's document."""
    (diagnostic,) = load_text(text).diagnostics
    return diagnostic.help
