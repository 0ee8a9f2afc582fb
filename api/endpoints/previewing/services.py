"""The parts that previews need."""

from dataclasses import dataclass
from pathlib import Path

from ...http.bodies import Bodies
from .trial_engines import Trials


@dataclass(frozen=True, slots=True)
class PreviewServices:
    """The parts that the endpoints of previews need. `decision_log` is its file, or None if it can't be read back."""

    bodies: Bodies
    trials: Trials
    decision_log: Path | None
