"""The environments of a store, without a service. A service may run meanwhile."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec.json import encode
from msgspec.structs import asdict

from ...endpoints.management.environments.environments import change_of, settings_of, shown_environment
from ...endpoints.management.management_shapes import EnvironmentAnswer, EnvironmentPatch, NewEnvironment
from ...endpoints.management.promotions.promotion_shapes import PreviewAnswer, PromotionRecord
from ...review.people.compared_models import people_between
from ...review.people.people_answer import PeopleAnswer, people_answer
from ...review.testing.tests_gate import GateOutcome, failing_tests, gate_outcome
from ...store.actor import command_actor
from ...store.errors import Conflict, Drifted, Protected, Refusal, Rejected, StoreUnavailable
from ...store.history.origin import POLICY_KINDS
from ...store.models.model_pairs import ModelPair
from ...store.promotions.promotion import Drift, Preview, Promotion, Wanted
from ...store.store import Store
from ..model_elements import Elements
from ..output import CommandFailed
from ..stores.store_opening import open_store
from .environment_host import HostRefused


class StoredPlace:
    """The environments of the store in a data directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def environments(self) -> Sequence[EnvironmentAnswer]:
        with self._store() as store:
            return [shown_environment(one) for one in store.environments()]

    def create(self, wanted: NewEnvironment) -> EnvironmentAnswer:
        settings = settings_of(wanted)
        with self._store() as store:
            return shown_environment(store.create_environment(command_actor(), wanted.id, settings))

    def change(self, env: str, patch: EnvironmentPatch) -> EnvironmentAnswer:
        change = change_of(patch)
        with self._store() as store:
            return shown_environment(store.change_environment(command_actor(), env, change))

    def delete(self, env: str) -> None:
        with self._store() as store:
            store.delete_environment(command_actor(), env)

    def promote(self, env: str, wanted: Wanted, dry_run: bool) -> PreviewAnswer | Promotion:
        with self._store() as store:
            models = store.promotions.models(env, command_actor(), wanted)
            people = _people(models)
            if dry_run:
                found = store.promotions.preview(env, command_actor(), wanted)
                return _preview(found, people, _outcome(store, env, models))
            return store.promotions.promote(env, command_actor(), wanted, encode(people), failing_tests)

    def waiting(self, env: str, id: str) -> PromotionRecord:
        with self._store() as store:
            found = store.promotions.get(env, id)
            models = store.promotions.models_of_waiting(env, command_actor(), id)
            return PromotionRecord(**asdict(found), people=_people(models), tests=_outcome(store, env, models))

    def approve(self, env: str, id: str, digest: str | None) -> Promotion:
        with self._store() as store:
            people = _people(store.promotions.models_of_waiting(env, command_actor(), id))
            return store.promotions.approve(env, command_actor(), id, digest, encode(people), failing_tests)

    def reject(self, env: str, id: str, reason: str | None) -> Promotion:
        with self._store() as store:
            return store.promotions.reject(env, command_actor(), id, reason)

    def restore(self, env: str, revision: int, wanted: Wanted, dry_run: bool) -> PreviewAnswer | Promotion:
        with self._store() as store:
            people = _people(store.promotions.models_of_restoration(env, command_actor(), revision))
            if dry_run:
                return _preview(store.promotions.preview_restoration(env, command_actor(), revision, wanted), people)
            return store.promotions.restore(env, command_actor(), revision, wanted, people=encode(people))

    def drift(self, env: str) -> Drift:
        with self._store() as store:
            return store.promotions.drift(env)

    def policy_elements(self, env: str) -> Elements:
        with self._store() as store:
            _, found = store.promotions.policy_model(env)
            return {kind: found.by_key(kind) for kind in POLICY_KINDS}

    @contextmanager
    def _store(self) -> Iterator[Store]:
        try:
            store = open_store(self._directory)
            try:
                yield store
            finally:
                store.close()
        except Drifted as ex:
            raise HostRefused(str(ex), drift=ex.drift) from None
        except Conflict as ex:
            raise HostRefused(str(ex), [f"{one.named} uses it" for one in ex.users]) from None
        except Protected as ex:
            raise HostRefused(str(ex)) from None
        except Rejected as ex:
            raise CommandFailed("; ".join(one.sentence for one in ex.faults)) from None
        except (Refusal, StoreUnavailable) as ex:
            raise CommandFailed(str(ex)) from None


def _people(models: ModelPair | None) -> PeopleAnswer | None:
    """Returns who gains and who loses, or None if the change is not possible."""
    return None if models is None else people_answer(people_between(models.before, models.after))


def _outcome(store: Store, env: str, models: ModelPair | None) -> GateOutcome | None:
    """Returns how the stored tests end, or None if there are none, or the change is not possible."""
    tests = store.policy_tests.texts(env)
    return gate_outcome(models.after, tests) if models and tests else None


def _preview(preview: Preview, people: PeopleAnswer | None, tests: GateOutcome | None = None) -> PreviewAnswer:
    return PreviewAnswer(**asdict(preview), people=people, tests=tests)
