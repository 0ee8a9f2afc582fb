"""What a hostile author writes, with right checksums: one BundleError or a right answer, nothing else, and no loop."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.bundles.errors import BundleError
from writ.bundles.file.fact_records import GrantRecord, GroupRecord, HoldingRecord, SubjectRecord, encode_record
from writ.bundles.file.reader import open_bundle
from writ.bundles.file.rule_index import RuleIndex, decode_rules, encode_index
from writ.bundles.file.sections import Section, record_decoder
from writ.runtime import Engine

from tests.bundles.crafting import crafted, resealed
from tests.bundles.file.test_bundle_file import DOCUMENT, NOON, QUESTIONS, decided
from tests.support.bundling import bundle_file

EXPLAINED = [{**question, "options": {"explain": True}, "context": {"ip": "10.0.0.1"}} for question in QUESTIONS]


@pytest.fixture(scope="module")
def intact(tmp_path_factory) -> Path:
    return bundle_file(DOCUMENT, tmp_path_factory.mktemp("intact") / "model.bundle")


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "crafted.bundle"


CLAUSE = ["effect", "policy", "name", "priority", "roles", "types", "actions", "body"]
WINDOW = '["during",null,null,[0],0,1440,"UTC"]'


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("effect", '"allow"'),
        ("policy", '""'),
        ("policy", '"\\ud800"'),
        ("policy", f'"{"p" * 513}"'),
        ("name", "7"),
        ("priority", "1e999"),
        ("priority", '"9"'),
        ("priority", "true"),
        ("priority", "2147483648"),
        ("roles", "[-1]"),
        ("roles", "[99]"),
        ("roles", "[true]"),
        ("types", "[-1]"),
        ("types", "[1]"),
        ("types", "[0, 0]"),
        ("actions", "[[1]]"),
        ("actions", '["other"]'),
        ("actions", '["update", "read"]'),
        ("body", "[[]]"),
        ("body", '[["from", "x"]]'),
        ("body", '[["from", ["10.0.0.1/8"]]]'),
        ("body", '[["rate", 0, 1]]'),
        ("body", '[["rate", 5, 1.5]]'),
        ("body", '[["compare", "elsewhere", "a", "eq", 1]]'),
        ("body", '[["compare", "resource_attrs", "a", "eq", null]]'),
        ("body", '[["compare", "resource_attrs", "a", "eq", NaN]]'),
        ("body", '[["compare", "resource_attrs", "a", "ne", 1e999]]'),
        ("body", '[["compare", "resource_attrs", "a", "eq", "\\udfff"]]'),
        ("body", f'[["compare", "resource_attrs", "a", "ne", {"[" * 65}{"]" * 65}]]'),
        ("body", f'[["compare", "resource_attrs", "a", "ne", {"[" * 100_000}{"]" * 100_000}]]'),
        ("body", f'[["compare", "resource_attrs", "a", "ne", {"9" * 5_000}]]'),
        ("body", f'[["compare", "resource_attrs", "a", "nin", {list(range(10_001))}]]'),
        ("body", '[["compare", "resource_attrs", "a", "eq", 1, "more"]]'),
        ("body", f"[{WINDOW.replace('null,null', '-62135596800000000001,null')}]"),
        ("body", f"[{WINDOW.replace('null,null', 'null,253402300800000000000')}]"),
        ("body", f"[{WINDOW.replace('null,null', '1e9,null')}]"),
        ("body", f"[{WINDOW.replace('[0]', '[7]')}]"),
        ("body", f"[{WINDOW.replace('[0]', '[]')}]"),
        ("body", f"[{WINDOW.replace('[0]', '[true]')}]"),
        ("body", f"[{WINDOW.replace(',0,1440', ',-1,1440')}]"),
        ("body", f"[{WINDOW.replace(',0,1440', ',0,1441')}]"),
        ("body", f"[{WINDOW.replace(',0,1440', ',5,5')}]"),
        ("body", f"[{WINDOW.replace('UTC', 'Nowhere/Else')}]"),
    ],
)
def test_a_crafted_clause_is_refused_in_one_sentence(part, value, path, intact):
    """Whatever stands in a clause, an answer is the right one or an error; `verify` always tells."""

    def change(records: list[bytes]) -> list[bytes]:
        return [_with_part(record, CLAUSE.index(part), value) for record in records]

    crafted(DOCUMENT, path, {"clauses": change})
    engine, right = Engine.open(path, clock=lambda: NOON), Engine.open(intact, clock=lambda: NOON)
    answers = [(decided(engine, question), right.decide(question)) for question in QUESTIONS]
    assert all(found in (None, answer) for found, answer in answers)
    assert None in [found for found, _ in answers]
    with pytest.raises(BundleError):
        open_bundle(path).verify()


def _with_part(record: bytes, place: int, value: str) -> bytes:
    parts = [json.dumps(part) for part in json.loads(record)]
    parts[place] = value
    return f"[{', '.join(parts)}]".encode()


def test_what_a_message_quotes_of_a_bundle_can_not_steer_a_terminal(path):
    def change(records: list[bytes]) -> list[bytes]:
        named = [_with_part(record, CLAUSE.index("policy"), '"p\\u001b[2J\\n\\u202e"') for record in records]
        return [_with_part(record, CLAUSE.index("roles"), "[]") for record in named]

    crafted(DOCUMENT, path, {"clauses": change})
    with pytest.raises(BundleError) as caught:
        open_bundle(path).clause(0)
    assert "p\\x1b[2J\\n\\u202e" in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_message_is_no_longer_than_a_sentence():
    assert len(str(BundleError("x" * 10_000))) < 1_000


def _replaced(old: object, new: object):
    """Another record or value in the place of each that has that content."""
    before, after = encode_record(old), encode_record(new)

    def change(items: list) -> list:
        made = [_with_content(item, after) if _content(item) == before else item for item in items]
        assert made != items
        return made

    return change


def _content(item: bytes | tuple[bytes, bytes]) -> bytes:
    return item[1] if isinstance(item, tuple) else item


def _with_content(item, content: bytes):
    return (item[0], content) if isinstance(item, tuple) else content


def _twice(*spans: tuple[float, float]) -> SubjectRecord:
    """Mallory, who holds her role in two times."""
    return SubjectRecord((), tuple(HoldingRecord(0, end, start) for start, end in spans), ())


FOREVER = float("inf")
BARRED = SubjectRecord((), (HoldingRecord(0, FOREVER),), ())
CAROL = SubjectRecord((), (), ((0, "d1"),))
ENG = GroupRecord("eng", (0, 1), (HoldingRecord(1, FOREVER),), ())
GRANT = (GrantRecord("g1", 0, FOREVER),)


@pytest.mark.parametrize(
    ("section", "old", "new"),
    [
        ("subjects", BARRED, SubjectRecord((), (HoldingRecord(2, FOREVER),), ())),
        ("subjects", BARRED, SubjectRecord((), (HoldingRecord(0, float("nan")),), ())),
        ("subjects", BARRED, SubjectRecord((), (HoldingRecord(0, FOREVER, float("nan")),), ())),
        ("subjects", BARRED, SubjectRecord((), (HoldingRecord(0, FOREVER, FOREVER),), ())),
        ("subjects", BARRED, SubjectRecord((), (HoldingRecord(-1, FOREVER),), ())),
        ("subjects", BARRED, SubjectRecord((2,), (HoldingRecord(0, FOREVER),), ())),
        ("subjects", BARRED, "mallory"),
        ("groups", ENG, GroupRecord("eng", (0, 1), (HoldingRecord(7, FOREVER),), ())),
        ("groups", ENG, GroupRecord("eng", (-1,), (), ())),
        ("groups", ENG, GroupRecord("eng", (9,), (), ())),
        ("grants", GRANT, (GrantRecord("g1", 1, FOREVER),)),
        ("grants", GRANT, (GrantRecord("g1", -1, FOREVER),)),
        ("grants", GRANT, (GrantRecord("g1", 0, FOREVER, float("nan")),)),
        ("grants", GRANT, (GrantRecord("g" * 513, 0, FOREVER),)),
    ],
)
def test_a_crafted_fact_is_an_error_for_those_whom_it_concerns(section, old, new, path):
    crafted(DOCUMENT, path, {section: _replaced(old, new)})
    engine = Engine.open(path, clock=lambda: NOON)
    concerned = {"subjects": "mallory", "groups": "alice", "grants": "carol"}[section]
    for question in QUESTIONS:
        if question["subject"]["id"] == concerned and question["resource"]["type"] == "document":
            assert decided(engine, question) is None
    with pytest.raises(BundleError):
        open_bundle(path).verify()


@pytest.mark.parametrize(
    ("section", "change"),
    [
        ("subjects", _replaced(CAROL, SubjectRecord((), (), ((2, "d1"),)))),
        ("subjects", _replaced(BARRED, _twice((5.0, 9.0), (2.0, 4.0)))),
        ("subjects", _replaced(BARRED, _twice((2.0, 5.0), (4.0, 9.0)))),
        ("subjects", _replaced(BARRED, _twice((2.0, 4.0), (4.0, 9.0)))),
        ("subjects", _replaced(BARRED, _twice((2.0, 4.0), (6.0, 5.0)))),
        ("grants", _replaced(GRANT, [GrantRecord("g2", 0, FOREVER), GrantRecord("g1", 0, FOREVER)])),
        ("grants", lambda entries: []),
        ("groups", lambda records: records[::-1]),
        ("groups", _replaced(ENG, GroupRecord("eng", ENG.ancestors, ENG.holdings, ((2, "d1"),)))),
        ("aliases", lambda entries: [(key, b"\x01") for key, _ in entries]),
        ("closed", lambda entries: [(key, b"no") for key, _ in entries]),
        ("clauses", lambda records: records[::-1]),
        ("rules", lambda entries: entries[1:]),
    ],
)
def test_verify_reads_every_record_of_every_section(section, change, path):
    """Also where no decision asks for it: `writ inspect` is to tell."""
    crafted(DOCUMENT, path, {section: change})
    bundle = open_bundle(path)
    with pytest.raises(BundleError):
        bundle.verify()


def _reindexed(change: Callable[[RuleIndex], RuleIndex]):
    """Another index for each (type, action); an AllowIndex, whose key names no action, stays."""

    def changed(entries):
        return [
            (key, value if key.endswith(b":") else encode_index(change(decode_rules(value)))) for key, value in entries
        ]

    return changed


def test_verify_tells_an_index_that_leads_past_a_clause(path):
    """The rules that people read are the ones that decide: an index that hides a DENY would allow."""

    def without_the_deny(index: RuleIndex) -> RuleIndex:
        return RuleIndex(index.everyone, {role: numbers for role, numbers in index.by_role.items() if role != 0})

    crafted(DOCUMENT, path, {"rules": _reindexed(without_the_deny)})
    with pytest.raises(BundleError, match="rule index does not match"):
        open_bundle(path).verify()


def test_a_negative_number_in_an_index_leads_to_no_clause(path):
    """Neither the last clause nor any other stands in for one that there is none of."""

    crafted(DOCUMENT, path, {"rules": _reindexed(lambda _: RuleIndex((-1,), {}))})
    engine = Engine.open(path, clock=lambda: NOON)
    assert decided(engine, QUESTIONS[0]) is None


def test_records_are_what_the_table_of_this_test_says(intact):
    """The records that are replaced above are the ones of the document."""
    bundle = open_bundle(intact)
    assert bundle.subject("user", "mallory") == BARRED
    assert bundle.subject("user", "carol") == CAROL
    assert bundle.group(1) == ENG
    assert record_decoder(Section.GRANTS)(encode_record(GRANT)) == GRANT


@given(data=st.data())
@settings(max_examples=180)
def test_whatever_bytes_are_sealed_an_outcome_is_an_answer_or_an_error(data, intact, tmp_path_factory):
    """Some bytes anywhere behind the header, every checksum right again: never another exception, never a loop."""
    content, sections = bytearray(intact.read_bytes()), open_bundle(intact).sections
    first = min(section.offset for section in sections.values())
    places = st.lists(st.integers(first, len(content) - 1), min_size=1, max_size=4)
    for place in data.draw(places):
        content[place] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.mktemp("sealed") / "model.bundle"
    path.write_bytes(resealed(bytes(content), sections))
    try:
        engine = Engine.open(path, clock=lambda: NOON)
    except BundleError:
        return
    answers = [decided(engine, question) for question in EXPLAINED]
    try:
        open_bundle(path).verify()
    except BundleError:
        return
    assert None not in answers
