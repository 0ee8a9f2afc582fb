"""The parts that previews need."""

from dataclasses import dataclass

from ..http.bodies import Bodies
from ..serving.store_work import StoreWork
from .trial_engines import Trials


@dataclass(frozen=True, slots=True)
class PreviewServices:
    """The parts that the endpoints of previews need."""

    work: StoreWork
    bodies: Bodies
    trials: Trials
