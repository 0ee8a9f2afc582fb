"""The page on the bundle format says what the code does: its tables, its numbers, its keys, its program."""

import json
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from writ.bundles import delta
from writ.bundles.feed.callers import CALLERS
from writ.bundles.feed.index import INDEX
from writ.bundles.feed.update import UPDATE
from writ.bundles.file import clause_codec, fact_records, header, rule_index
from writ.bundles.file.bucket_table import MAX_BUCKET_ENTRIES, MAX_SALTS
from writ.bundles.file.fact_records import LISTED_GRANTS, GrantRecord, grants_key, grants_prefix
from writ.bundles.file.reader import Bundle, open_bundle
from writ.bundles.file.sections import Section, Shape
from writ.bundles.manifest import Environment, Manifest
from writ.bundles.program.clauses import ATTRIBUTE_SECTIONS
from writ.bundles.signing.claims import BUNDLE, Claims
from writ.bundles.signing.jws import ALGORITHM
from writ.bundles.signing.section import CHECKSUM, LONGEST_SIGNATURE
from writ.bundles.signing.signature_check import SKEW_SECONDS

from tests.support.command import writ

PAGE = (Path(__file__).parents[2] / "bundles/README.md").read_text()
RECORDS = {
    None: "none",
    str: "string",
    tuple[str, ...]: "array of strings",
    tuple[GrantRecord, ...]: "array of `GrantRecord`",
    rule_index.AnyIndex: "`RuleIndex` or `AllowIndex`",
}
"""How the page names the records whose type has no name."""


def table(mark: str) -> list[list[str]]:
    """The cells of the table behind a mark, without its head."""
    rows = PAGE.partition(f"<!-- {mark} -->\n")[2].partition("\n\n")[0].splitlines()
    return [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows[2:]]


def below(title: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    rows = [row for row in PAGE.partition(f"# {title}\n")[2].partition("\n#")[0].splitlines() if row.startswith("|")]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows[2:]]


def code(text: str) -> str:
    """What stands in backticks."""
    return text.removeprefix("`").removesuffix("`")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The model and the bundle of the page."""
    made: Path = tmp_path_factory.mktemp("page")
    found = re.search(r"<!-- file: model.yaml -->\n```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    (made / "model.yaml").write_text(found[1])
    assert writ("compile", "model.yaml", "-o", "model.bundle", cwd=made).returncode == 0
    return made


@pytest.fixture
def bundle(folder) -> Bundle:
    return open_bundle(folder / "model.bundle")


def test_the_table_of_sections_is_the_one_of_the_code():
    def record(section: Section) -> str:
        return RECORDS.get(section.record) or f"`{section.record.__name__}`"

    assert table("sections") == [[f"`{one}`", one.shape.value, record(one), one.checked.value] for one in Section]


def test_the_page_says_what_each_section_is_for():
    rest = PAGE.partition("| section | what it says |\n|---|---|\n")[2]
    assert re.findall(r"^\| `([a-z-]+)` \|", rest.partition("\n\n")[0], re.MULTILINE) == [*Section]


@pytest.mark.parametrize(
    ("title", "layout"), [("Header", header.HEADER), ("Section table", header.TABLE_ROW)], ids=["header", "table"]
)
def test_header_and_section_table_have_this_layout(title, layout):
    sizes = [struct.calcsize(f"<{field}") for field in re.findall(r"\d*[a-zA-Z]", layout.format)]
    offsets = [sum(sizes[:number]) for number in range(len(sizes))]
    assert [row[:2] for row in below(title)] == [
        [str(offset), str(size)] for offset, size in zip(offsets, sizes, strict=True)
    ]


def test_the_numbers_are_right():
    for text in (
        f"| header | {header.HEADER.size} bytes",
        f"| section table | {header.TABLE_ROW.size} bytes for each section",
        f"the bytes `{header.MAGIC.hex(' ').upper()}`",
        f"| format version | {header.VERSION} |",
        f"It is {header.VERSION} now.",
        f"| {header.MAX_SECTIONS} at most |",
        f"the next multiple of {header.ALIGNMENT} bytes",
        f"a bucket with more than {MAX_BUCKET_ENTRIES} entries",
        f"would have more than {MAX_BUCKET_ENTRIES} entries",
        f"up to {MAX_SALTS:,} times",
        f"or nil if there are more than {LISTED_GRANTS} |",
        f"sorted, if there are more than {LISTED_GRANTS} |",
        f"grants on more than {LISTED_GRANTS} resources",
    ):
        assert text in PAGE.replace("that\nis", "that is"), text


def test_the_keys_are_those_of_a_bundle(bundle):
    rows = table("keys")
    tables = [section for section in Section if section.shape is Shape.BUCKET_TABLE]
    assert list(dict.fromkeys(code(row[0]) for row in rows)) == tables
    for name, _, example in rows:
        if code(name) == Section.GRANTED:
            assert code(example).encode() == grants_key(grants_prefix("user", "carl"), 0, "")
        else:
            assert bundle._tables[Section(code(name))].get(code(example).encode()) is not None, example
    shown = {section: {code(row[2]).encode() for row in rows if code(row[0]) == section} for section in tables}
    assert {key for key, _ in bundle._tables[Section.ALIASES].items()} == shown[Section.ALIASES]


def structs() -> Iterator[type[msgspec.Struct]]:
    """The records of facts and of the rule index."""
    for module in (fact_records, rule_index):
        for found in vars(module).values():
            if isinstance(found, type) and issubclass(found, msgspec.Struct):
                yield found


def test_the_fields_of_records_are_in_this_order():
    name, shown = "", dict[str, list[str]]()
    for record, field, _ in table("records"):
        name = code(record) or name
        shown.setdefault(name, []).append(code(field))
    assert shown == {found.__name__: [*found.__struct_fields__] for found in structs()}


def test_a_clause_has_these_members():
    fields = clause_codec._ClauseRow.__struct_fields__
    assert [row[:2] for row in table("clause")] == [[str(n), f"`{field}`"] for n, field in enumerate(fields)]
    kinds = get_args(clause_codec._AtomRow)
    assert [[code(cell) for cell in row] for row in table("conditions")] == [
        [json.dumps(kind.__struct_config__.tag), "`, `".join(kind.__struct_fields__)] for kind in kinds
    ]
    assert f"`section` is {', '.join(f'`{name}`' for name in ATTRIBUTE_SECTIONS[:-1])} or" in PAGE


def test_the_manifest_has_these_members(bundle):
    assert [code(row[0]) for row in table("manifest")] == [*Manifest.__struct_fields__]
    said_by_opt_ins = {"extensions", "requests", "needs"}
    assert {*json.loads(bundle._blob(Section.MANIFEST))} == {*Manifest.__struct_fields__} - said_by_opt_ins
    counts = ", ".join(sorted(bundle.manifest.counts))
    assert f"number of {' and '.join(counts.rsplit(', ', 1))} |" in PAGE
    assert [*Environment.__struct_fields__] == ["id", "uuid"]


def test_the_signature_has_these_claims():
    assert [code(row[0]) for row in table("claims")] == [field.encode_name for field in msgspec.structs.fields(Claims)]
    for text in (
        f"have {LONGEST_SIGNATURE:,} bytes at most",
        f"`iat` may be {SKEW_SECONDS} seconds ahead",
        f"is `{CHECKSUM:X}`",
        f'| `typ` | `"{BUNDLE.typ}"` |',
        f'| `alg` | `"{ALGORITHM}"`',
        f"each section by {header.TABLE_ROW.size} bytes",
    ):
        assert text in PAGE, text


@pytest.mark.parametrize(("name", "kind"), [("update", UPDATE), ("callers", CALLERS), ("index", INDEX)])
def test_the_messages_of_the_feed_have_these_claims(name, kind):
    claims = [field.encode_name for field in msgspec.structs.fields(kind.claims)]
    assert [code(row[0]) for row in table(name)] == claims
    assert name == "update" or f'`"{kind.typ}"`' in PAGE


def test_the_changes_of_a_delta_are_these():
    assert table("changes") == [
        [f"`{change.__name__}`", ", ".join(f"`{field}`" for field in change.__struct_fields__)]
        for change in get_args(delta.AnyChange)
    ]
    encoded: Any = msgspec.msgpack.decode(delta.encode_delta(delta.Delta(7, (delta.RoleChange("r", True),))))
    assert encoded == [1, 7, [["RoleChange", "r", True]], {}]
    needing: Any = msgspec.msgpack.decode(delta.encode_delta(delta.Delta(7, (), needs=("kinds",))))
    assert needing == [1, 7, [], {}, ["kinds"]]


def test_the_program_reads_the_bundle(folder, monkeypatch, capsys):
    found = re.search(r"```python\n(.*?)```\n\n<!-- output -->\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    monkeypatch.chdir(folder)
    exec(compile(found[1], "README.md", "exec"), {})
    assert capsys.readouterr().out == found[2]


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (Path(__file__).parents[2] / "bundles" / target).exists(), target
