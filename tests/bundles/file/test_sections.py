"""Every row of the table of sections says what the file has: its order, shape, records, profiles and checks."""

from pathlib import Path
from typing import Any

import pytest
from writ.bundles.errors import BundleError
from writ.bundles.file.fact_records import LISTED_GRANTS
from writ.bundles.file.header import MAX_SECTIONS, encode_header
from writ.bundles.file.reader import Bundle, open_bundle
from writ.bundles.file.sections import CHECKED_AT_OPENING, FACTS, Checked, Section, Shape, record_decoder

from tests.bundles.file.test_bundle_file import DOCUMENT
from tests.support.bundling import bundle_file

MANY_GRANTS: list[dict[str, Any]] = [
    {
        "id": f"many{number:02}",
        "subject": {"type": "user", "id": "dave"},
        "resource": {"type": "document", "id": f"d{number}"},
        "actions": ["read"],
    }
    for number in range(LISTED_GRANTS + 1)
]
ROUTE = {"id": "r", "methods": ["GET"], "path": "/{id}", "resource_type": "document", "action": "read"}
FILLED = DOCUMENT | {
    "grants": [*DOCUMENT["grants"], *MANY_GRANTS],
    "routes": [ROUTE],
    "attributes": {"action": {"why": "string"}},
}
"""A model that has something for every section."""


@pytest.fixture(scope="module")
def filled(tmp_path_factory) -> Path:
    return bundle_file(FILLED, tmp_path_factory.mktemp("sections") / "filled.bundle")


def items(bundle: Bundle, section: Section) -> int:
    """The number of records in a section, as the numbers in front of its offsets say it."""
    place = bundle.sections[section].offset + (16 if section.shape is Shape.BUCKET_TABLE else 0)
    return 1 if section.shape is Shape.BLOB else int.from_bytes(bundle._data[place : place + 8], "little")


def test_a_file_has_the_sections_of_the_table_in_its_order(filled):
    assert list(open_bundle(filled).sections) == [*Section]
    assert len(Section) <= MAX_SECTIONS


@pytest.mark.parametrize("section", Section)
def test_every_section_has_records(section, filled):
    bundle = open_bundle(filled)
    assert items(bundle, section) > 0
    bundle.verify()


@pytest.mark.parametrize("section", Section)
def test_a_damaged_section_is_refused_when_the_table_says(section, filled, tmp_path):
    """The last byte of a section belongs to a record: at opening it is noticed, or else by `verify`."""
    content = bytearray(filled.read_bytes())
    extent = open_bundle(filled).sections[section]
    content[extent.offset + extent.size - 1] ^= 0x55
    damaged = tmp_path / "damaged.bundle"
    damaged.write_bytes(content)
    if section.checked is Checked.AT_OPENING:
        with pytest.raises(BundleError, match=f"section `{section}`"):
            open_bundle(damaged)
    else:
        bundle = open_bundle(damaged)
        with pytest.raises(BundleError, match=f"section `{section}`"):
            bundle.verify()


@pytest.mark.parametrize("section", Section)
def test_a_bundle_without_a_section_is_refused(section, filled, tmp_path):
    """Under another name of the same length, in a section table whose checksum is right."""
    content = bytearray(filled.read_bytes())
    table = open_bundle(filled).sections
    renamed = {("x" * len(name) if name == section else name): extent for name, extent in table.items()}
    header = encode_header(renamed, len(content))
    content[: len(header)] = header
    (tmp_path / "other.bundle").write_bytes(content)
    with pytest.raises(BundleError, match=f"has no section `{section}`"):
        open_bundle(tmp_path / "other.bundle")


@pytest.mark.parametrize("section", [section for section in FACTS if section.record is not None])
def test_a_record_of_another_form_is_one_error(section):
    with pytest.raises(BundleError, match="a record can't be read"):
        record_decoder(section)(b"\xc1")


def test_a_section_is_checked_at_opening_or_on_access():
    """The routes and the declarations are no facts: all of them are one record."""
    assert {*CHECKED_AT_OPENING, *FACTS, Section.ROUTING, Section.DECLARATIONS} == {*Section}
    assert len(CHECKED_AT_OPENING) + len(FACTS) + 2 == len(Section)
