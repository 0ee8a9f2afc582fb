"""The limits of an analysis. What exceeds one is told as unknown."""

from typing import Final, NamedTuple


class Limits(NamedTuple):
    """The limits of one analysis."""

    steps: int = 200_000
    """The steps for one pair of type and action and one class of subjects, as diagrams count them."""

    all_steps: int = 20_000_000
    """The steps for the whole analysis."""

    reason_steps: int = 200_000
    """The steps for counting the regions in which only the reason changes: about a tenth of the time of the rest, in
    the models of `tests.bench.people`."""

    witnesses: int = 256
    """The requests that are tried as the witness of one region."""

    alternatives: int = 64
    """The conjunctions into which one policy is split (C12)."""

    regions: int = 10_000
    """The regions that are told."""


DEFAULT: Final = Limits()

TOO_MANY_STEPS: Final = "its conditions exceed the budget"
NO_WITNESS: Final = "no request was found that shows a difference"
RATE_LIMIT: Final = "rate limit"
ROUTES: Final = "routes"
REGISTERED_ATTRIBUTES: Final = "registered attributes"
KINDS: Final = "values that do not fit their declarations"
STRICT: Final = "strict requests"
NAMES: Final = "names and external ids of resources"
TOO_MANY_REGIONS: Final = "there are too many regions"
