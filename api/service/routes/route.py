"""A row of the table of routes, and the parts of the service that its handler gets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from ...endpoints.decisions.deciding import Deciding
from ...endpoints.decisions.draining import Draining
from ...endpoints.decisions.searches.search_services import SearchServices
from ...endpoints.management import elements
from ...endpoints.metrics_page.answering import Answering
from ...endpoints.previewing.services import PreviewServices
from ...endpoints.tokens.endpoints import OAuth
from ...engines.exports import bundle
from ...engines.live.engine_access import EngineOf
from ...http.bodies import Bodies
from ...http.openapi.operation import Call, Operation
from ...identity.credential import Scope
from ...identity.guard import Access
from ...identity.keys.ring import KeyRing
from ...settings.settings import HttpLimits
from ...telemetry.decision_log.decision_log import Log
from ...telemetry.metrics.counts import Counts

NONE, READ, WRITE, ADMIN = Scope


class Env(Enum):
    """The environment that a route belongs to: the one that its path names, the default one, or none."""

    NAMED = auto()
    DEFAULT = auto()
    NONE = auto()


@dataclass(frozen=True, slots=True)
class Services:
    """The parts that handlers need. `clock` gives epoch seconds; `report` gets a failure and its environment."""

    engine_of: EngineOf
    clock: Callable[[], float]
    limits: HttpLimits
    report: Callable[[Exception, str], None]
    bodies: Bodies
    deciding: Deciding
    search: SearchServices
    management: elements.ManagementServices
    preview: PreviewServices
    export: bundle.ExportServices
    oauth: OAuth
    ring: KeyRing
    metrics: Answering
    counts: Counts
    public_url: str
    decision_log: Log
    draining: Draining


@dataclass(frozen=True, slots=True)
class Route:
    """A row of the table. `handler` makes the Falcon resource; HEAD follows from GET."""

    path: str
    env: Env
    handler: Callable[[Services], object]
    methods: Mapping[str, tuple[Scope, Operation]]

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
