"""The registry of jobs: long work in processes apart."""

from typing import Any, Final

from ..endpoints.insight.asking_who_can import WHO_CAN
from ..endpoints.insight.linting import LINTS
from ..endpoints.management.model_replacement import REPLACEMENT
from ..endpoints.management.people.document_people import DOCUMENT_PEOPLE
from ..endpoints.management.promotions.promotion_job import TAKEOVER
from ..endpoints.management.promotions.promotion_people import PROMOTION_PEOPLE
from ..endpoints.previewing.change_people import CHANGE_PEOPLE
from ..endpoints.previewing.undo_people import UNDO_PEOPLE
from ..engines.exports.making import EXPORT
from ..engines.jobs.job import Job
from ..engines.live.compaction import COMPACTION

JOBS: Final[tuple[Job[Any, Any], ...]] = (
    COMPACTION,
    EXPORT,
    REPLACEMENT,
    TAKEOVER,
    LINTS,
    WHO_CAN,
    CHANGE_PEOPLE,
    UNDO_PEOPLE,
    DOCUMENT_PEOPLE,
    PROMOTION_PEOPLE,
)
"""The jobs that the template process is ready for."""
