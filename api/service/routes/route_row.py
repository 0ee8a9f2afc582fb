"""A row of the table of routes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from ...http.openapi.operation import Call, Operation
from ...http.revision_tokens import telling_revision
from ...identity.credential import Scope
from ...identity.guard import Access

NONE, DECIDE, READ, WRITE, ADMIN = Scope


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

    def writes(self) -> Iterator[str]:
        """Yields the methods that write in the environment of the path."""
        if self.path.startswith("/v1/environments/{env}"):
            yield from self.changes()

    def changes(self) -> Iterator[str]:
        """Yields the methods that change what is stored."""
        yield from (one for one, (scope, _) in self.methods.items() if scope in (WRITE, ADMIN) and one != "GET")

    def access(self) -> Access:
        """Returns the scopes of the methods, and whether there is an environment, for the guard."""
        scopes = {method: scope for method, (scope, _) in self.methods.items()}
        if "GET" in scopes:
            scopes["HEAD"] = scopes["GET"]
        return Access(scopes, self.env is not Env.NONE)

    def calls(self) -> Mapping[str, Call]:
        """Returns the call of each method, for the OpenAPI document."""
        writes = frozenset(self.writes())
        return {
            method: Call(
                scope.name.lower() if scope else None, telling_revision(operation) if method in writes else operation
            )
            for method, (scope, operation) in self.methods.items()
        }
