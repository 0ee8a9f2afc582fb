"""The registry of jobs: long work in processes apart."""

from typing import Any, Final

from ..endpoints.insight.linting import LINTS
from ..endpoints.management.model_replacement import REPLACEMENT
from ..endpoints.management.promotions.promotion_job import TAKEOVER
from ..engines.exports.making import EXPORT
from ..engines.jobs.job import Job
from ..engines.live.compaction import COMPACTION

JOBS: Final[tuple[Job[Any, Any], ...]] = (COMPACTION, EXPORT, REPLACEMENT, TAKEOVER, LINTS)
"""The jobs that the template process is ready for."""
