"""What the command line of `writ serve` asks for."""

from dataclasses import dataclass
from pathlib import Path

from ..transport.tls import TlsFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class StartOptions:
    """The options of the command line, with their defaults filled in."""

    directory: Path
    sources: tuple[Path, ...]
    seeds: tuple[Path, ...]
    demo: bool
    bind: str
    envoy_bind: str | None
    workers: int
    tls: TlsFiles | None
    metrics_bind: str | None
    drain_seconds: float
    log_level: str
    decision_log: str | None
