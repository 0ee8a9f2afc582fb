"""The whole model before and after a write or a replacement, which is not made."""

from collections.abc import Callable, Sequence

from ....compiler.limits import Limits
from ....compiler.source import Source
from ..actor import Actor
from ..database.connections import StoreConnections
from ..database.time_limit import PREPARING_SECONDS, TimeLimit
from ..elements.edits import Edit
from ..environment_ids import Bounds
from ..environments import environment_within
from ..models.extent import Extent
from ..models.model_pairs import ModelPair, StoredSize, pair_of_documents, stored_size
from ..models.reading import model_of
from ..models.submitted_model import SubmittedModel
from ..writing import Write, apply_edits, prepared_on, refuse_many


class ChangedModels:
    """The models of a store and what changes would make of them. Methods raise StoreUnavailable, as the store's do."""

    def __init__(self, connections: StoreConnections, clock: Callable[[], float], limits: Limits) -> None:
        """`clock` returns epoch seconds. `limits` are those of models."""
        self._connections, self._clock, self._limits = connections, clock, limits

    def size(self, env: str, bounds: Bounds = None) -> StoredSize:
        """Returns the resource types of the stored model, and its number of elements. Raises NotFound, OutOfBounds."""
        with self._connections.reading() as db:
            return stored_size(db, environment_within(db, env, bounds))

    def of_write(self, env: str, actor: Actor, edits: Sequence[Edit]) -> ModelPair:
        """Returns the whole model before and after a write. Raises what `Store.write` raises."""
        write, limit = Write(env, actor, edits, limits=self._limits), TimeLimit(PREPARING_SECONDS)
        refuse_many(write)
        with prepared_on(self._connections, limit) as db:
            environment = environment_within(db, env, actor.bounds)
            before = model_of(db, environment)
            apply_edits(db, write, limit)
            return ModelPair(before, model_of(db, environment))

    def of_documents(self, env: str, actor: Actor, sources: Sequence[Source], extent: Extent) -> ModelPair:
        """Returns the whole model before and after `Store.put_model`. Raises what that raises."""
        submitted = SubmittedModel.read(sources, self._clock(), self._limits)
        with self._connections.reading() as db:
            return pair_of_documents(db, environment_within(db, env, actor.bounds), submitted, extent)
