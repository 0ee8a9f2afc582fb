"""Finds what a model that wants strict requests refuses in the requests of tests (E8)."""

from collections.abc import Iterator

from ....compiler.diagnostics.diagnostic import Finding
from ....runtime import BadRequest
from .file_reading import ReadTest
from .tested_model import TestedModel


def refused_requests(test: ReadTest, model: TestedModel) -> Iterator[Finding]:
    """Yields each fault for which the model refuses a request of a test: such a test has no answer to compare."""
    member = "search" if test.said.search is not None else "request" if test.said.request is not None else None
    path = ("tests", test.number) if member is None else ("tests", test.number, member)
    for asked in test.questions:
        try:
            model.engine.refuse_faults("resource" if asked.is_search else "evaluation", asked.request)
        except BadRequest as ex:
            for fault in ex.details:
                yield Finding("refused", f"the model wants strict requests: {fault.message} (at {fault.path})", path)
