"""Answers requests from a bundle, without I/O. Only the engine has a clock and opens files.

Reading path, with a folder for each step:

- `requests/`: requests as JSON decodes them become flat parts;
- `routing/`: the route of a request to a backend;
- `state/`: a bundle and its deltas;
- `strictness/`: requests are checked against what is declared;
- `rules/`: conditions become tests, rules are ranked and specialised;
- `rates/`: counters for rate limits, and `rate_counters`, those of one process;
- `effort`: how much one evaluation may do at once; `limits`: the sizes of caches;
- `specialisation_cache` and `snapshot`: one state with everything that is cached of it;
- `decisions/`: a decision and its proof;
- `filters/` and `searches/`: partial evaluation, filters and the judges of candidates;
- `why_not/`: the smallest sets of changes that would allow a denied request;
- `translate/`: filters become queries of other stores;
- `in_force`, `asking` and `engine`: the public methods; `decision` and `shapes`: the types of their answers;
- `trial_engine`: an engine on which changes are tried.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ..bundles.errors import BundleError, UntrustedBundle
    from .engine import Engine
    from .rate_counters import RateCounters
    from .requests.as_json import as_json
    from .requests.members import BadRequest
    from .requests.unavailable import SearchUnavailable

__all__ = ["BadRequest", "BundleError", "Engine", "RateCounters", "SearchUnavailable", "UntrustedBundle", "as_json"]

_HOMES: Final = {
    "BadRequest": ".requests.members",
    "BundleError": "..bundles.errors",
    "Engine": ".engine",
    "RateCounters": ".rate_counters",
    "SearchUnavailable": ".requests.unavailable",
    "UntrustedBundle": "..bundles.errors",
    "as_json": ".requests.as_json",
}
"""A name is loaded when it is first used: a client needs the shapes of requests, and no engine."""


def __getattr__(name: str) -> Any:
    """Returns the public name `name` from the module that defines it (PEP 562). Raises AttributeError for others."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module `writ.runtime` has no attribute `{name}`")
    found = globals()[name] = getattr(import_module(_HOMES[name], __name__), name)
    return found
