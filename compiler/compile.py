"""Compiles a model to the contents of a bundle file."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import BinaryIO

from ..bundles.file.writer import write_bundle
from ..bundles.manifest import Manifest
from ..bundles.program.clauses import During, Program
from ..bundles.program.facts import Facts
from ..bundles.progress import Progress
from ..bundles.routing.routing import NO_ROUTING, Routing
from ..bundles.routing.settings import GatewaySettings
from .lowering.lower_needs import needs_of
from .lowering.lower_routes import lower_routes
from .lowering.resolve_facts import resolve_facts
from .model.elements import Grant, Model
from .model.single_members import extensions_of
from .model.source_digest import SortedDigests, digested, source_digest
from .passes import compile_program


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled model. `zones` are the TZif files of the time zones that it names, by name."""

    program: Program
    facts: Facts
    zones: dict[str, bytes]
    manifest: Manifest
    routing: Routing = NO_ROUTING

    def write(self, file: BinaryIO, progress: Progress = lambda *_: None) -> None:
        """Writes the bundle to `file`, which is empty and seekable.

        It calls `progress` with a stage, the amount done, and the total. Raises IllegalProgram for a broken law.
        """
        write_bundle(file, self.program, self.facts, self.zones, self.manifest, progress, self.routing)


def compile_model(
    model: Model,
    zone_data: Callable[[str], bytes],
    tzdata: str,
    gateway: GatewaySettings | None = None,
    grants: Iterable[Grant] | None = None,
) -> Compiled:
    """Returns the compiled form of a model that passed its checks.

    The compiler reads no files. So `zone_data` returns the TZif file of a time zone by its name. `tzdata` is the
    release of the time zone database that contains these files. `gateway` are the settings of the environment.
    `grants` replaces the grants of the model, and is read once: a million of them need not be in memory.
    """
    program = compile_program(model)
    windows = [atom.window for clause in program.clauses for atom in clause.body if isinstance(atom, During)]
    zones = {name: zone_data(name) for name in sorted({window.timezone for window in windows})}
    digests = SortedDigests()
    facts = resolve_facts(model, digested(model.grants if grants is None else grants, digests))
    routing = Routing(lower_routes(model), gateway)
    manifest = Manifest(
        source=source_digest(model, digests),
        tzdata=tzdata,
        counts={},
        extensions=tuple(sorted(extensions_of(model))),
        requests=next((one.mode for one in model.requests), None),
        needs=needs_of(program, routing),
    )
    return Compiled(program, facts, zones, manifest, routing)
