"""Answers from a bundle: decisions and their proofs, without I/O and without a clock behind its front door.

Reading path: `requests` → `conditions` (closures) → `specialise` → `snapshot` → `decide` → `answers` → `explain` →
`engine` (the front door).
"""

from bundles.errors import BundleError
from runtime.engine import Engine
from runtime.requests import BadRequest

__all__ = ["BadRequest", "BundleError", "Engine"]
