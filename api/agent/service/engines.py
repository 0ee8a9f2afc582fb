"""The one engine of an agent, as the decision calls ask for it."""

from collections.abc import Callable
from typing import Protocol

from ....bundles.errors import BundleError
from ....bundles.feed.callers import Callers
from ....bundles.wording import quoted
from ....runtime import Engine
from ...http.rejections import NotYet
from ...store.environment_ids import DEFAULT
from ...store.errors import NotFound
from ..status import Status


class FollowedEngine(Protocol):
    """The interface of a follower, as the agent's service uses it."""

    @property
    def newest(self) -> Engine | None:
        """The engine in force, however stale, or None."""

    @property
    def callers(self) -> Callers | None:
        """The list of callers in force, or None."""

    def status(self) -> Status:
        """Returns what is in force, and how fresh it is."""


class AgentEngines:
    """Gives the agent's engine for the default environment, and for the agent's own by its id."""

    def __init__(self, following: FollowedEngine, report: Callable[[BundleError], None]) -> None:
        """`report` gets the damage of a bundle."""
        self._following, self._report = following, report

    def engine(self, environment: str = DEFAULT) -> Engine:
        """Returns the engine in force. Raises NotYet, and NotFound for another environment."""
        engine = self._newest()
        if environment != DEFAULT and environment != self.id_of(engine):
            raise NotFound(f"this agent decides for another environment than {quoted(environment)}")
        return engine

    def _newest(self) -> Engine:
        engine = self._following.newest
        if engine is None:
            raise NotYet(f"there is no bundle yet: {self._following.status().error or 'the upstream did not answer'}")
        return engine

    def uuid_of(self, environment: str) -> str | None:
        """Returns the UUID of an environment by its id, or None if the agent does not decide for it."""
        engine = self._following.newest
        found = None if engine is None else engine.manifest.environment
        return found.uuid if found is not None and environment in (DEFAULT, found.id) else None

    def report_damage(self, _environment: str, error: BundleError) -> bool:
        """Reports a damaged bundle. Returns whether to log it."""
        self._report(error)
        return True

    def refuse_other_default(self) -> None:
        """Raises NotFound if the environment has another id than the default one, and NotYet."""
        if self.id_of(self._newest()) not in (None, DEFAULT):
            raise NotFound(f"this agent decides for another environment than {quoted(DEFAULT)}")

    @staticmethod
    def id_of(engine: Engine) -> str | None:
        """Returns the id of an engine's environment, or None if its bundle was compiled from files."""
        found = engine.manifest.environment
        return None if found is None else found.id
