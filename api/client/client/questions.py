"""All questions of a client."""

from .batches import Batches
from .evaluations import Evaluations
from .searches import Searches


class Questions(Evaluations, Batches, Searches):
    """All questions of a client, as steps that a driver takes."""
