"""A row of the table of routes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from ...http.openapi.operation import Call, Operation
from ...identity.credential import Scope
from ...identity.guard import Access

NONE, READ, WRITE, ADMIN = Scope


class Env(Enum):
    """The environment that a route belongs to: the one that its path names, the default one, or none."""

    NAMED = auto()
    DEFAULT = auto()
    NONE = auto()


@dataclass(frozen=True, slots=True)
class RouteRow:
    """A row of the table.

    `handler` makes the Falcon resource of the parts that its parameters name (see `made_handler`). With a `suffix`, the
    resource answers in `on_post_SUFFIX`. HEAD follows from GET.
    """

    path: str
    env: Env
    handler: Callable[..., object]
    methods: Mapping[str, tuple[Scope, Operation]]
    suffix: str = ""

    def access(self) -> Access:
        """Returns the scopes of the methods, and whether there is an environment, for the guard."""
        scopes = {method: scope for method, (scope, _) in self.methods.items()}
        if "GET" in scopes:
            scopes["HEAD"] = scopes["GET"]
        return Access(scopes, self.env is not Env.NONE)

    def calls(self) -> Mapping[str, Call]:
        """Returns the call of each method, for the OpenAPI document."""
        return {
            method: Call(scope.name.lower() if scope else None, operation)
            for method, (scope, operation) in self.methods.items()
        }
