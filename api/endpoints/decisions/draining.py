"""True if the service is about to stop: readiness fails then, while requests are still answered."""

import mmap
from typing import Final

REFUSAL: Final = "the service is about to stop"


class Draining:
    """A flag that the master and its workers share. Make it before the fork."""

    def __init__(self) -> None:
        self._begun = memoryview(mmap.mmap(-1, 1))

    def begin(self) -> None:
        """Let readiness fail from now on, in every worker."""
        self._begun[0] = 1

    def begun(self) -> bool:
        """Returns whether the service is about to stop."""
        return bool(self._begun[0])
