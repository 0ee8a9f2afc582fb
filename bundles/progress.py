"""The type of a report of progress. It stands alone, so that a check of documents does not load the bundle format."""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with the name of a stage, the amount done, and the total amount."""
