"""Writes a program and its facts as one bundle file: the same model gives the same bytes."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import BinaryIO, TypeAlias

import msgspec

from ..manifest import Manifest, encode_manifest
from ..program.clauses import Program
from ..program.facts import Facts
from ..program.laws import check_program
from .bucket_table import write_table
from .fact_codec import encode_record
from .record_list import write_records
from .section_contents import SEARCH_LISTS, SEARCH_TABLES, SectionContents
from .section_writer import SectionWriter

Progress: TypeAlias = Callable[[str, int, int], None]
"""Hears of a stage, how much of it is done, and how much there is."""


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
    tables, lists = sections.tables(), sections.lists()
    if manifest.profile == "decision":
        tables |= dict.fromkeys(SEARCH_TABLES, list)
        lists |= dict.fromkeys(SEARCH_LISTS, list)
    out = SectionWriter(file, 2 + len(lists) + len(tables))
    with out.section("manifest"):
        out.write(encode_manifest(msgspec.structs.replace(manifest, counts=sections.counts())))
    with out.section("names"):
        out.write(encode_record(sections.names()))
    for name, records in lists.items():
        with out.section(name):
            write_records(out, list(records()))
    for name, entries in tables.items():
        rows = list(entries())
        with out.section(name):
            write_table(out, rows, partial(progress, f"writing {name}"))
        del rows  # the next table needs the memory
    out.finish()
