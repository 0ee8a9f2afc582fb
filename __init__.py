"""Writ: an authorization decision service, and the engine that it decides with.

- `Engine` decides in your process, by a bundle. `follow` and `follow_async` keep one at the newest revision.
- `Client` and `AsyncClient` ask a service, its agent, or another decision point that speaks AuthZEN 1.0.
- All of them answer `decide`, `allowed`, `ask`, `decide_many`, `filter`, `actions`, `resources` and `subjects` alike.
- `DecisionLog` logs the decisions of an engine. `as_json` turns Python values into those of a request.
- Every error is an `Error`. Treat each as a denial.
- `writ.fastapi`, `writ.starlette`, `writ.flask` and `writ.django` guard views. `writ.sqlalchemy` and `writ.django` make
  authorized queries, with `writ.mirror` for direct grants. `writ.testing` is for your tests.

The names below are the public interface. They are loaded when they are first used, so `import writ` loads no server,
no compiler and no database.

Reading path: `bundles` → `compiler` → `runtime` → `api`. CONTRIBUTING.md has a map of them.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .api.agent.follow import AsyncFollowing, follow, follow_async
    from .api.agent.following import FollowError, Following
    from .api.agent.status import Status
    from .bundles.errors import BundleError, Error, UntrustedBundle
    from .client.async_client import AsyncClient
    from .client.sync_client import Client
    from .decision_log.application_log import DecisionLog
    from .runtime.decision import Decision
    from .runtime.engine import Engine
    from .runtime.rate_counters import RateCounters
    from .runtime.requests.as_json import as_json
    from .runtime.requests.members import BadRequest
    from .runtime.requests.unavailable import SearchUnavailable
    from .runtime.shapes import (
        ActionSearchRequest,
        ActionsResponse,
        EvaluationRequest,
        EvaluationResponse,
        FilterResponse,
        ResourceItem,
        ResourceSearchRequest,
        SubjectItem,
        SubjectSearchRequest,
    )

__all__ = [
    "ActionSearchRequest",
    "ActionsResponse",
    "AsyncClient",
    "AsyncFollowing",
    "BadRequest",
    "BundleError",
    "Client",
    "Decision",
    "DecisionLog",
    "Engine",
    "Error",
    "EvaluationRequest",
    "EvaluationResponse",
    "FilterResponse",
    "FollowError",
    "Following",
    "RateCounters",
    "ResourceItem",
    "ResourceSearchRequest",
    "SearchUnavailable",
    "Status",
    "SubjectItem",
    "SubjectSearchRequest",
    "UntrustedBundle",
    "as_json",
    "follow",
    "follow_async",
]

_HOMES: Final = {
    "ActionSearchRequest": ".runtime.shapes",
    "ActionsResponse": ".runtime.shapes",
    "AsyncClient": ".client",
    "AsyncFollowing": ".api.agent.follow",
    "BadRequest": ".runtime.requests.members",
    "BundleError": ".bundles.errors",
    "Client": ".client",
    "Decision": ".runtime.decision",
    "DecisionLog": ".decision_log",
    "Engine": ".runtime.engine",
    "Error": ".bundles.errors",
    "EvaluationRequest": ".runtime.shapes",
    "EvaluationResponse": ".runtime.shapes",
    "FilterResponse": ".runtime.shapes",
    "FollowError": ".api.agent.following",
    "Following": ".api.agent.following",
    "RateCounters": ".runtime.rate_counters",
    "ResourceItem": ".runtime.shapes",
    "ResourceSearchRequest": ".runtime.shapes",
    "SearchUnavailable": ".runtime.requests.unavailable",
    "Status": ".api.agent.status",
    "SubjectItem": ".runtime.shapes",
    "SubjectSearchRequest": ".runtime.shapes",
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
