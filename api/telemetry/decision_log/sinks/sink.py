"""The interface of a sink, which takes records from the writer."""

from typing import Protocol


class SinkFailed(Exception):
    """The records were not taken, and may be later. The message is one sentence."""


class SinkRefused(Exception):
    """These records will never be taken. The message is one sentence."""


class Sink(Protocol):
    """Takes records. A batch is sent once it has `batch_bytes`, or is `batch_seconds` old."""

    batch_bytes: int
    batch_seconds: float

    def start_worker(self) -> None:
        """Prepare in a forked worker."""

    def send(self, lines: bytes) -> None:
        """Takes records, each one JSON object in one line that ends: all of them or none.

        Raises SinkFailed, SinkRefused.

        A collector may get records twice, if its answer was lost.
        """
