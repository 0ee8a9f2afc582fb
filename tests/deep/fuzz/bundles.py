"""Bundle files: damage is found, or changes no answer; with right checksums it is refused or answered; never accepted
by a signature.

The first byte chooses which checks find the damage: the checksums, none (they are made right again), or the signature.
The others are edits: two bytes for a place, one for a length, and so many bytes to write there. The length 255 cuts the
file there.
"""

import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from writ.bundles.errors import BundleError
from writ.bundles.file.in_memory import bundle_in_memory
from writ.bundles.file.reader import open_bundle
from writ.runtime import Engine
from writ.runtime.requests.searches import read_resource_search, read_subject_search

from tests.bundles.crafting import resealed
from tests.bundles.file.test_bundle_file import DOCUMENT, NOON, QUESTIONS
from tests.deep.fuzz.targets import Law
from tests.support.signed import KEY, NOW, PROD, public_pem, sign_file, write_bundle
from tests.support.strategies_pick import Pick

PLAIN, CRAFTED, SIGNED, CRAFTED_SIGNED = range(4)
_CUT: Final = 255
_EXPLAINED: Final = [{**question, "options": {"explain": True}} for question in QUESTIONS]


def starts() -> Iterator[bytes]:
    """An edit at each of some places, in each of the ways."""
    for way in range(4):
        yield bytes([way])
        yield from (bytes([way]) + struct.pack("<HB", place, 2) + b"\x00\x01" for place in range(0, 6_000, 397))


def mutated(pick: Pick, data: bytes) -> bytes:
    """One edit more, or another one."""
    edit = struct.pack("<HB", pick.number(0, 2**16 - 1), length := pick.one((1, 1, 2, 4, 8, _CUT)))
    bytes_ = b"" if length == _CUT else bytes(pick.one((0, 1, 2, 0x7F, 0x80, 0xFF, 0x22)) for _ in range(length))
    kept = data if pick.chance(1, 2) else data[:1]
    return bytes([pick.number(0, 3)]) + kept[1:] + edit + bytes_


def edited(content: bytes, edits: bytes) -> bytes:
    """The content with the edits."""
    changed, place = bytearray(content), 0
    while place + 3 <= len(edits):
        at, length = struct.unpack_from("<HB", edits, place)
        place += 3
        at %= len(content)
        if length == _CUT:
            del changed[at:]
            continue
        new = edits[place : place + length]
        changed[at : at + len(new)] = new
        place += length
    return bytes(changed)


def answers(engine: Engine) -> list[Any]:
    """The answers to all questions, None where the damage was found."""
    return [_answer(engine, question) for question in QUESTIONS]


def _answer(engine: Engine, question: dict[str, Any]) -> Any:
    try:
        return engine.decide(question, NOON)
    except BundleError:
        return None


def law(folder: Path) -> Law:
    """See the module."""
    path = write_bundle(DOCUMENT, folder / "whole.bundle")
    whole, sections = path.read_bytes(), open_bundle(path).sections
    right = answers(Engine.open(path))
    signed = sign_file(path).read_bytes()
    signed_sections = open_bundle(path).sections
    pem = public_pem(KEY)

    def holds(data: bytes) -> None:
        way = data[0] % 4 if data else PLAIN
        is_signed = way in (SIGNED, CRAFTED_SIGNED)
        content = edited(signed if is_signed else whole, data[1:])
        if way in (CRAFTED, CRAFTED_SIGNED):
            with suppress(struct.error, IndexError):  # it is cut before a section
                content = resealed(content, signed_sections if is_signed else sections)
        if is_signed:
            _check_signed(folder / "signed.bundle", content, signed, right, pem)
        else:
            _check(content, right if way == PLAIN else None)

    return holds


def _check_signed(path: Path, content: bytes, signed: bytes, right: list[Any], pem: bytes) -> None:
    path.unlink(missing_ok=True)
    path.write_bytes(content)
    try:
        engine = Engine.open_verified(path, pem, PROD.uuid, lambda: NOW)
    except BundleError:
        assert content != signed, "an intact bundle is refused"
        return
    assert answers(engine) == right, "a changed bundle was accepted, and answers otherwise"


def _check(content: bytes, right: list[Any] | None) -> None:
    try:
        bundle = bundle_in_memory(lambda file: file.write(content)) if content else None
    except BundleError:
        return
    if bundle is None:
        return
    engine = Engine(bundle, lambda: NOON)
    found = answers(engine)
    if right is not None:
        assert all(one in (None, wanted) for one, wanted in zip(found, right, strict=True)), (found, right)
    for question in _EXPLAINED:
        _answer(engine, question)
        with suppress(BundleError):
            engine.filter({**question, "options": {"gates": "decide"}}, NOON)
        with suppress(BundleError):
            if judge := engine.judge_resources(read_resource_search({**question, "options": {}}), NOON):
                judge.path("d1", {})
        with suppress(BundleError):
            if judged := engine.judge_subjects(read_subject_search({**question, "options": {}}), NOON):
                judged.path("alice", {})
    with suppress(BundleError):
        len(engine.routes)
    with suppress(BundleError):
        bundle.verify()
