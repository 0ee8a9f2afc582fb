"""Writes a program and its facts as one bundle file: the same model gives the same bytes."""

from collections.abc import Callable, Mapping
from typing import BinaryIO, TypeAlias

import msgspec

from bundles.bucket_table import write_table
from bundles.fact_codec import encode_record
from bundles.facts import Facts
from bundles.laws import check_program
from bundles.manifest import Manifest, encode_manifest
from bundles.program import Program
from bundles.record_list import write_records
from bundles.section_contents import SectionContents
from bundles.section_writer import SectionWriter

Progress: TypeAlias = Callable[[str, int, int], None]
"""Hears of a stage, how much of it is done, and how much there is."""

TICK = 20_000
"""Progress is told of once in so many entries."""


def write_bundle(
    file: BinaryIO,
    program: Program,
    facts: Facts,
    zones: Mapping[str, bytes],
    manifest: Manifest,
    progress: Progress = lambda *_: None,
) -> None:
    """Write a bundle to `file`, which is empty and seekable; `manifest` brings everything but the counts.

    Raises IllegalProgram for a program that breaks a law.
    """
    check_program(program)
    sections = SectionContents(program, facts, zones)
    tables = sections.tables()
    out = SectionWriter(file, 2 + len(sections.lists()) + len(tables))
    with out.section("manifest"):
        out.write(encode_manifest(msgspec.structs.replace(manifest, counts=sections.counts())))
    with out.section("names"):
        out.write(encode_record(sections.names()))
    for name, records in sections.lists().items():
        with out.section(name):
            write_records(out, list(records()))
    for name, entries in tables.items():
        rows = list(entries())
        with out.section(name):
            write_table(out, rows, _ticker(progress, f"writing {name}", len(rows)))
        del rows  # the next table needs the memory
    out.finish()


def _ticker(progress: Progress, stage: str, total: int) -> Callable[[int], None]:
    done = 0

    def tick(count: int) -> None:
        nonlocal done
        before, done = done, done + count
        if before // TICK != done // TICK or done == total:
            progress(stage, done, total)

    return tick
