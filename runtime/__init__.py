"""Answers from a bundle: decisions and their proofs, without I/O and without a clock behind its front door.

Reading path: `entities` → `requests` → `attributes` and `conditions` (closures) → `answers` → `rule` →
`search_rules` → `rank_rules` → `specialise` → `snapshot` → `decide` → `explain` → `engine` (the front door).
Filters: `search_requests` → `partial` → `filter_tree` → `filters` → `direct` → `searchers` → `filtering`; `translate/`
turns their trees into queries. Searches: `search_resources`, `search_subjects`, `search_actions` judge candidates.
"""

from ..bundles.errors import BundleError
from .engine import Engine, SearchUnavailable
from .requests.members import BadRequest

__all__ = ["BadRequest", "BundleError", "Engine", "SearchUnavailable"]
