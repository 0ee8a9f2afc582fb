"""What the command line of `writ serve` asks for."""

from dataclasses import dataclass
from pathlib import Path

from .server_options import ServerOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class StartOptions:
    """The options of the command line, with the defaults filled in."""

    directory: Path
    sources: tuple[Path, ...]
    seeds: tuple[Path, ...]
    demo: bool
    server: ServerOptions
