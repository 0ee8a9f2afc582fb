"""Answers requests from a bundle, without I/O. Only the engine has a clock and opens files.

Reading path, with a folder for each step:

- `requests/`: requests as JSON decodes them become flat parts;
- `routing/`: the route of a request to a backend;
- `state/`: a bundle and its deltas;
- `rules/`: conditions become tests, rules are ranked and specialised;
- `rates/`: counters for rate limits, and `rate_counters`, those of one process;
- `effort`: how much one evaluation may do at once; `limits`: the sizes of caches;
- `specialisation_cache` and `snapshot`: one state with everything that is cached of it;
- `decisions/`: a decision and its proof;
- `filters/` and `searches/`: partial evaluation, filters and the judges of candidates;
- `translate/`: filters become queries of other stores;
- `engine`: the public methods;
- `trial_engine`: an engine on which changes are tried.
"""

from ..bundles.errors import BundleError, UntrustedBundle
from .engine import Engine
from .rate_counters import RateCounters
from .requests.as_json import as_json
from .requests.members import BadRequest
from .searches.unavailable import SearchUnavailable

__all__ = ["BadRequest", "BundleError", "Engine", "RateCounters", "SearchUnavailable", "UntrustedBundle", "as_json"]
