"""Writ: an authorization decision service, and the engine that it decides with.

The names below are the public interface. They are loaded when they are first used, so `import writ` loads no server,
no compiler and no database.

Reading path: `bundles` → `compiler` → `runtime` → `api`. CONTRIBUTING.md has a map of them.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .api.agent.follow import follow, follow_async
    from .api.agent.following import FollowError, Following
    from .api.agent.status import Status
    from .bundles.errors import BundleError, UntrustedBundle
    from .runtime.engine import Engine
    from .runtime.rate_counters import RateCounters
    from .runtime.requests.as_json import as_json
    from .runtime.requests.members import BadRequest
    from .runtime.searches.unavailable import SearchUnavailable

__all__ = [
    "BadRequest",
    "BundleError",
    "Engine",
    "FollowError",
    "Following",
    "RateCounters",
    "SearchUnavailable",
    "Status",
    "UntrustedBundle",
    "as_json",
    "follow",
    "follow_async",
]

_HOMES: Final = {
    "BadRequest": ".runtime.requests.members",
    "BundleError": ".bundles.errors",
    "Engine": ".runtime.engine",
    "FollowError": ".api.agent.following",
    "Following": ".api.agent.following",
    "RateCounters": ".runtime.rate_counters",
    "SearchUnavailable": ".runtime.searches.unavailable",
    "Status": ".api.agent.status",
    "UntrustedBundle": ".bundles.errors",
    "as_json": ".runtime.requests.as_json",
    "follow": ".api.agent.follow",
    "follow_async": ".api.agent.follow",
}


def __getattr__(name: str) -> Any:
    """Returns the public name `name` from the module that defines it (PEP 562).

    Raises AttributeError for any other name.
    """
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module `writ` has no attribute `{name}`; its public names are {', '.join(__all__)}")
    found = globals()[name] = getattr(import_module(_HOMES[name], __name__), name)
    return found


def __dir__() -> list[str]:
    """Returns the public names, loaded or not."""
    return sorted({*globals(), *__all__})
