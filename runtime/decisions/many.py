"""Answers many requests in order, each apart from the others."""

from collections.abc import Callable, Iterable
from typing import Any

from ...bundles.errors import BundleError
from ..requests.error_items import error_item
from ..requests.members import BadRequest
from ..requests.unavailable import SearchUnavailable


def answers_to(requests: Iterable[Any], decide: Callable[[Any], dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns a response for each request, in order. One that can't be answered gets an error item (W4)."""
    answers = []
    for request in requests:
        try:
            answers.append(decide(request))
        except BadRequest as ex:
            answers.append(error_item(400, str(ex), ex.strict_faults))
        except BundleError as ex:
            answers.append(error_item(500, str(ex)))
        except SearchUnavailable as ex:
            answers.append(error_item(501, str(ex)))
    return answers
