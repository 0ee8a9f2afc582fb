"""A bundle file is deterministic, opens only whole, and one that was tampered with never grants."""

import random
from pathlib import Path

import pytest
from writ.bundles.errors import BundleError
from writ.bundles.file import header
from writ.bundles.file.reader import open_bundle
from writ.runtime import Engine

from tests.support.bundling import bundle_file

DOCUMENT = {
    "resource_types": [
        {"id": "document", "actions": ["read", "update", "delete"], "closed": True},
        {"id": "note", "name": "Note", "actions": ["read"]},
    ],
    "roles": [{"id": "editor"}, {"id": "barred"}],
    "groups": [
        {"id": "eng", "members": [{"type": "user", "id": "alice"}, {"group": "backend"}]},
        {"id": "backend", "members": [{"type": "user", "id": "bob"}, {"group": "eng"}]},
    ],
    "subjects": [{"type": "user", "id": "alice", "external_id": "idp|1", "attributes": {"age": 30}}],
    "resources": [{"type": "document", "id": "d1", "external_id": "DOC-1", "name": "Plan"}],
    "assignments": [
        {"role": "editor", "group": "eng"},
        {"role": "barred", "subject": {"type": "user", "id": "mallory"}},
    ],
    "grants": [
        {
            "id": "g1",
            "subject": {"type": "user", "id": "carol"},
            "resource": {"type": "document", "id": "d1"},
            "actions": ["delete"],
        }
    ],
    "policies": [
        {
            "id": "p1",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read", "update"]}],
        },
        {
            "id": "p2",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "note", "actions": ["*"]}],
            "conditions": {"time_window": {"start": "08:00", "timezone": "Europe/Oslo"}},
        },
        {
            "id": "p3",
            "effect": "DENY",
            "priority": 9,
            "roles": ["barred"],
            "resource_types": [{"resource_type_id": "*", "actions": ["*"]}],
        },
    ],
}
NOON = 12 * 3600.0
QUESTIONS = [
    {
        "subject": {"type": "user", "id": subject},
        "action": {"name": action},
        "resource": {"type": type, "id": "d1"},
    }
    for subject in ("alice", "bob", "carol", "mallory", "nobody")
    for action in ("read", "update", "delete")
    for type in ("document", "Note")
]


@pytest.fixture
def path(tmp_path) -> Path:
    return bundle_file(DOCUMENT, tmp_path / "model.bundle")


def test_what_was_written_is_read(path):
    bundle = open_bundle(path)
    bundle.verify()
    assert bundle.subject_id("user", "idp|1") == "alice"
    assert (bundle.resource_id(0, "external_id", "DOC-1"), bundle.resource_id(0, "name", "Plan")) == ("d1", "d1")
    mallory, alice, carol = (bundle.subject("user", id) for id in ("mallory", "alice", "carol"))
    assert [holding.role for holding in mallory.holdings] == [bundle.roles.index("barred")]
    assert alice.groups == (bundle.group_number("eng"),)
    assert carol.granted == ((0, "d1"),)
    assert (bundle.is_registered(0, "d1"), bundle.is_registered(0, "d2")) == (True, False)
    assert bundle.manifest.counts["subjects"] == 4  # alice is listed; bob, carol and mallory are named


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_a_model_does_not_change_its_bytes(path, tmp_path, seed):
    order = random.Random(seed)
    shuffled = {name: order.sample(rows, len(rows)) for name, rows in DOCUMENT.items()}
    again = bundle_file(shuffled, tmp_path / "again.bundle")
    assert again.read_bytes() == path.read_bytes()


def test_another_model_gives_another_source_digest(path, tmp_path):
    other = bundle_file(DOCUMENT | {"grants": []}, tmp_path / "other.bundle")
    assert open_bundle(other).manifest.source != open_bundle(path).manifest.source


def test_a_truncated_file_is_refused_wherever_it_is_cut(path, tmp_path):
    content = path.read_bytes()
    for size in sorted({0, 1, 7, 8, 31, 32, 100, len(content) // 2, len(content) - 1}):
        cut = tmp_path / "cut.bundle"
        cut.write_bytes(content[:size])
        with pytest.raises(BundleError):
            Engine.open(cut)


def test_a_padded_file_is_refused(path):
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(BundleError, match="truncated or padded"):
        Engine.open(path)


def test_a_foreign_file_is_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"PK\x03\x04" * 100)
    with pytest.raises(BundleError, match="not a Writ bundle"):
        Engine.open(tmp_path / "x")


def test_a_newer_format_is_refused_with_both_numbers(path):
    content = bytearray(path.read_bytes())
    content[8:12] = (header.VERSION + 1).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(BundleError, match=f"format {header.VERSION + 1}, but .* up to {header.VERSION}"):
        Engine.open(path)


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        Engine.open(tmp_path / "none.bundle")


def test_no_damaged_byte_ever_grants_or_crashes(path, tmp_path):
    """Every byte of the file in turn: an answer is the right one, or the bundle is refused in one sentence."""
    content = path.read_bytes()
    right = [Engine.open(path, clock=lambda: NOON).decide(question) for question in QUESTIONS]
    for place in range(len(content)):
        damaged = tmp_path / f"damaged{place % 2}.bundle"
        damaged.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        engine = opened(damaged)
        if engine is None:
            continue
        for question, answer in zip(QUESTIONS, right, strict=True):
            assert decided(engine, question) in (answer, None), place


def opened(path: Path) -> Engine | None:
    """An engine, or None where the bundle is refused."""
    try:
        return Engine.open(path, clock=lambda: NOON)
    except BundleError:
        return None


def decided(engine: Engine, question: dict) -> dict | None:
    """The answer, or None where a damaged part stands in its way."""
    try:
        return engine.decide(question)
    except BundleError:
        return None


def test_verify_finds_every_damaged_byte(path, tmp_path):
    """Header, padding between sections, and every part of a section."""
    content = path.read_bytes()
    for place in range(0, len(content), 3):
        damaged = tmp_path / "damaged.bundle"
        damaged.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        with pytest.raises(BundleError):
            open_bundle(damaged).verify()
