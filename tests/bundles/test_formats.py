"""The formats of bundles and messages: an older one is upgraded, and a newer one is refused in one sentence."""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from writ import BundleError, Engine
from writ.bundles import delta, manifest
from writ.bundles.delta import Delta, decode_delta, encode_delta
from writ.bundles.feed.callers import CALLERS_FORMAT, Callers, sign_callers, verified_callers
from writ.bundles.feed.index import INDEX_FORMAT, Index, PublishedBundle, PublishedFile, sign_index, verified_index
from writ.bundles.feed.update import UPDATE_FORMAT, claims_about, encode_update, verified_update
from writ.bundles.file import header
from writ.bundles.file.header import HEADER, VERSION, SectionTable
from writ.bundles.file.reader import open_bundle
from writ.bundles.file.sections import Section
from writ.bundles.signing.signature_check import open_verified_bundle

from tests.bundles.crafting import crafted
from tests.bundles.file.test_bundle_file import DOCUMENT, NOON, QUESTIONS
from tests.support.signed import ISSUED, KEY, NOW, PROD, public_pem, sign_file, write_bundle

PEM: Final = public_pem(KEY)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A bundle without a signature."""
    return write_bundle(DOCUMENT, tmp_path / "model.bundle")


def answers(path: Path) -> list[Any]:
    """What the bundle in a file decides."""
    engine = Engine.open(path)
    return [engine.decide(question, NOON) for question in QUESTIONS]


def test_the_format_is_the_first_one_and_one_more_for_each_upgrade() -> None:
    assert 1 + len(header.UPGRADES) == VERSION
    assert (delta.DELTA_FORMAT, UPDATE_FORMAT, CALLERS_FORMAT, INDEX_FORMAT) == (1, 1, 1, 1)


def test_an_older_bundle_is_upgraded_and_can_be_signed_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two formats made for this test: the second one gave two sections their names."""
    expected = answers(path)
    _rename(path, {"routing": "gateways", "closed": "listed"})
    with pytest.raises(BundleError, match="has no section `closed`"):
        open_bundle(path)
    upgrades = (_renaming("gateways", "routing"), _renaming("listed", "closed"))
    monkeypatch.setattr(header, "UPGRADES", (*header.UPGRADES, *upgrades))
    monkeypatch.setattr(header, "VERSION", VERSION + len(upgrades))
    open_bundle(path).verify()
    assert answers(path) == expected
    sign_file(path)
    assert HEADER.unpack_from(path.read_bytes())[1] == VERSION + len(upgrades)
    bundle, _ = open_verified_bundle(path, PEM, PROD.uuid, NOW)
    bundle.verify()
    assert answers(path) == expected


def _rename(path: Path, names: dict[str, str]) -> None:
    """Give sections of a bundle other names, with a header of the current format."""
    content = bytearray(path.read_bytes())
    table = {names.get(name, name): extent for name, extent in open_bundle(path).sections.items()}
    changed = header.encode_header(table, len(content))
    content[: len(changed)] = changed
    path.write_bytes(content)


def _renaming(old: str, new: str) -> Callable[[SectionTable], SectionTable]:
    return lambda table: {new if name == old else name: extent for name, extent in table.items()}


@pytest.mark.parametrize(
    ("version", "sentence"),
    [
        (VERSION + 1, f"the bundle has format {VERSION + 1}, but this Writ reads only formats up to {VERSION}"),
        (0, "the bundle is damaged: it has format 0, and formats count from 1"),
    ],
)
def test_another_format_is_refused_in_one_sentence(version: int, sentence: str, path: Path) -> None:
    sign_file(path)
    content = bytearray(path.read_bytes())
    fields = list(HEADER.unpack_from(content))
    fields[1] = version
    struct.pack_into(HEADER.format, content, 0, *fields)
    path.write_bytes(content)
    for opened in (lambda: Engine.open(path), lambda: open_verified_bundle(path, PEM, PROD.uuid, NOW)):
        with pytest.raises(BundleError) as found:
            opened()
        assert str(found.value) == sentence


@pytest.mark.parametrize("member", ["profile", "declares"])
def test_an_unknown_member_of_the_manifest_is_refused_in_one_sentence(member: str, path: Path) -> None:
    def changed(records: list[bytes]) -> list[bytes]:
        return [msgspec.json.encode(msgspec.json.decode(records[0]) | {member: "full"})]

    crafted(DOCUMENT, path, {Section.MANIFEST: changed})
    with pytest.raises(BundleError, match=f"its manifest can't be read: .*unknown field `{member}`") as found:
        Engine.open(path)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["joins"], "the extension `joins`, which"),
        (["arrays", "joins\n", "views"], "the extensions `joins\\n` and `views`, which"),
    ],
)
def test_an_unknown_extension_is_refused_in_one_sentence(names: list[str], said: str, path: Path) -> None:
    """Also if a Writ that knows it has signed the bundle."""
    named = {"extensions": names, "environment": msgspec.to_builtins(PROD)}

    def changed(records: list[bytes]) -> list[bytes]:
        return [msgspec.json.encode(msgspec.json.decode(records[0]) | named)]

    crafted(DOCUMENT, path, {Section.MANIFEST: changed})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest, "EXTENSIONS", names)
        sign_file(path)
    sentence = f"the model of the bundle uses {said} this Writ does not know: install a newer Writ"
    for opened in (lambda: Engine.open(path), lambda: open_verified_bundle(path, PEM, PROD.uuid, NOW)):
        with pytest.raises(BundleError) as found:
            opened()
        assert str(found.value) == sentence


def _newer_delta() -> object:
    return decode_delta(msgspec.msgpack.encode((delta.DELTA_FORMAT + 1, "in another way")))


def _newer_update() -> object:
    claims = claims_about(PROD, 1, ["ab" * 32], 7, [encode_delta(Delta(8, ()))], ISSUED)
    newer = msgspec.structs.replace(claims, format=UPDATE_FORMAT + 1)
    return verified_update(encode_update(newer, [encode_delta(Delta(8, ()))], KEY), PEM, NOW)


def _newer_callers() -> object:
    newer = Callers(PROD, 1, 1, "i", "a", {}, (), (), ISSUED, ISSUED + 60, CALLERS_FORMAT + 1)
    return verified_callers(sign_callers(newer, KEY), PEM, NOW)


def _newer_index() -> object:
    bundle = PublishedBundle(PublishedFile("a.bundle", 1, "ab" * 32), 1, "ab" * 32, ISSUED, ISSUED + 60)
    newer = Index(PROD, 1, 1, 1, bundle, (), (), None, (), ISSUED, ISSUED + 60, INDEX_FORMAT + 1)
    return verified_index(sign_index(newer, KEY), PEM, NOW)


@pytest.mark.parametrize(
    ("newer", "named"),
    [
        (_newer_delta, "the delta"),
        (_newer_update, "the update"),
        (_newer_callers, "the list of callers"),
        (_newer_index, "the index"),
    ],
)
def test_a_newer_message_is_refused_in_one_sentence(newer: Callable[[], object], named: str) -> None:
    with pytest.raises(BundleError) as found:
        newer()
    assert str(found.value) == f"{named} has format 2, but this Writ reads only formats up to 1"
