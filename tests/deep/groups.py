"""The groups of a deep run: a closed list."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.deep.exhaustive import check_all
from tests.deep.faults import check_faults
from tests.deep.fuzz.group import check_fuzz
from tests.deep.hypotheses import check_drawn_laws
from tests.deep.people import check_people
from tests.deep.rego import check_rego
from tests.deep.seeded import check_larger, check_small
from tests.deep.soak import soak
from tests.deep.task import Task
from tests.deep.wire import check_wire


@dataclass(frozen=True)
class Group:
    """One group; `share` is its part of the time, beside the shares of the others."""

    name: str
    says: str
    share: float
    run: Callable[[Task], None]


GROUPS: Final = (
    Group("exhaustive", "all small models and every request: decisions and filters against the oracle", 3, check_all),
    Group("seeded", "fresh small models: decisions, proofs, filters and searches against the oracle", 2, check_small),
    Group("larger", "fresh larger models, led from one to the next by deltas, under the same laws", 2, check_larger),
    Group("drawn", "the test suite's own laws, with fresh seeds and more examples", 3, check_drawn_laws),
    Group(
        "rego", "fresh models as bundles for OPA: a real OPA's decisions against Writ's and the oracle's", 1, check_rego
    ),
    Group("people", "fresh pairs of models: who gains and who loses, against the oracle", 1, check_people),
    Group("wire", "a real server: decision lane, application, framing and oracle compared", 1, check_wire),
    Group("faults", "damaged bundles and deltas, killed writers, killed workers", 1.5, check_faults),
    Group("fuzz", "coverage-guided fuzzing of whatever reads bytes, if Atheris is installed", 3, check_fuzz),
    Group("soak", "ordinary callers beside hostile ones on a server with two workers", 3, soak),
)
