"""An engine that was led from one model to another by deltas answers as the oracle does for the other."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from writ.bundles import delta as delta_format
from writ.bundles.delta import DELTA_FORMAT, Delta, RoleChange, decode_delta, encode_delta
from writ.bundles.file.in_memory import bundle_in_memory
from writ.bundles.file.reader import open_bundle
from writ.bundles.program.clauses import Program
from writ.runtime import BundleError, Engine
from writ.runtime.rules import attribute_index

from tests.runtime.test_agreement import check
from tests.support.bundling import bundle_file, compiled, engine_for
from tests.support.deltas import delta_between
from tests.support.strategies import cases, seeded_case
from tests.support.strategies_required import required_keys


def demanding(program: Program) -> tuple[object, ...]:
    """Returns what a program declares of the context and of actions."""
    return program.required, program.declarations.context, program.declarations.action


def lead(engine: Engine, *documents: dict[str, Any]) -> None:
    """Put the models after the first into force, one after the other, each by a delta that went over the wire.

    A delta has no declarations. If those of the context or of actions differ (C12, C13), a bundle takes the place, as
    in the service.
    """
    for before, after in pairwise(map(compiled, documents)):
        if demanding(before.program) != demanding(after.program):
            engine.replace(bundle_in_memory(after.write))
            continue
        delta = delta_between(before, after, engine.revision + 1)
        engine.apply_deltas([decode_delta(encode_delta(delta))])


@settings(max_examples=40, deadline=None)
@given(first=cases(), second=cases(), third=cases())
def test_deltas_lead_to_the_same_answers(first, second, third, tmp_path_factory):
    """Whatever is cached of the models before: each is asked the questions of all."""
    engine = engine_for(first[0], tmp_path_factory.mktemp("o") / "model.bundle")
    cases_of_all = (first, second, third)
    for number, (document, _, _) in enumerate(cases_of_all):
        if number:
            lead(engine, cases_of_all[number - 1][0], document)
        for _, request, now in cases_of_all:
            check(engine, document, request, now)


@pytest.mark.parametrize("indexed_from", [attribute_index.INDEXED_FROM, 1])
def test_deltas_lead_to_the_same_answers_on_cases_that_never_change(indexed_from, tmp_path, monkeypatch):
    monkeypatch.setattr(attribute_index, "INDEXED_FROM", indexed_from)
    for seed in range(0, 100, 2):
        (first, asked, now), (second, other, later) = seeded_case(seed), seeded_case(seed + 1)
        engine = engine_for(first, tmp_path / f"{seed}.bundle")
        for place, document in enumerate((first, second, first)):
            if place:
                lead(engine, first if document is second else second, document)
            check(engine, document, asked, now)
            check(engine, document, other, later)


def test_several_deltas_at_once_are_several_one_by_one(tmp_path):
    for seed in range(0, 60, 3):
        (first, asked, now), (second, _, _), (third, _, _) = (seeded_case(seed + n) for n in range(3))
        engine = engine_for(first, tmp_path / f"{seed}.bundle")
        engine.decide(asked, now)
        if any(map(required_keys, (first, second, third))):
            continue  # a change of these needs a bundle
        models = [compiled(document) for document in (first, second, third)]
        engine.apply_deltas([delta_between(models[0], models[1], 5), delta_between(models[1], models[2], 9)])
        assert engine.revision == 9
        check(engine, third, asked, now)


def test_a_snapshot_in_use_stays_as_it_was(tmp_path):
    """A request keeps the snapshot that it started with."""
    for seed in range(0, 60, 2):
        (first, asked, now), (second, _, _) = seeded_case(seed), seeded_case(seed + 1)
        engine = engine_for(first, tmp_path / f"{seed}.bundle")
        kept = Engine.open(tmp_path / f"{seed}.bundle")
        kept._snapshot = engine._snapshot
        lead(engine, first, second)
        check(kept, first, asked, now)
        engine.decide(asked, now)
        check(kept, first, asked, now)


def test_a_delta_that_does_not_follow_is_refused_and_changes_nothing(tmp_path):
    document, asked, now = seeded_case(0)
    engine = engine_for(document, tmp_path / "model.bundle")
    engine.apply_deltas([Delta(3, (RoleChange("another", True),))])
    for revision in (0, 3):
        with pytest.raises(BundleError, match="does not follow revision"):
            engine.apply_deltas([Delta(4, ()), Delta(revision, ())])
    assert engine.revision == 3
    check(engine, document, asked, now)


def test_a_delta_of_a_later_format_is_refused_and_changes_nothing(tmp_path, monkeypatch):
    document, asked, now = seeded_case(0)
    engine = engine_for(document, tmp_path / "model.bundle")
    engine.apply_deltas([decode_delta(encode_delta(Delta(3, (RoleChange("another", True),))))])
    monkeypatch.setattr(delta_format, "DELTA_FORMAT", DELTA_FORMAT + 1)
    later = encode_delta(Delta(4, (RoleChange("third", True),)))
    monkeypatch.undo()
    with pytest.raises(BundleError, match=f"the delta has format {DELTA_FORMAT + 1}, but .* up to {DELTA_FORMAT}$"):
        engine.apply_deltas(map(decode_delta, [later]))
    assert engine.revision == 3
    check(engine, document, asked, now)


def test_another_bundle_takes_the_place_of_one_with_its_deltas(tmp_path):
    (first, asked, now), (second, other, later) = seeded_case(2), seeded_case(3)
    assert not required_keys(first) + required_keys(second)  # a change of these needs a bundle
    engine = engine_for(first, tmp_path / "first.bundle")
    lead(engine, first, second)
    engine.replace(open_bundle(bundle_file(first, tmp_path / "again.bundle")))
    check(engine, first, asked, now)
    delta = delta_between(compiled(first), compiled(second), 1)
    engine.replace(open_bundle(tmp_path / "again.bundle"), [delta])
    check(engine, second, other, later)


@pytest.mark.parametrize("data", [b"", b"\x00", b"\x93\x01\x90", b"\xff" * 9, b"\x93\x01\x91\x92\xa1x\xc0\x80"])
def test_bytes_that_are_no_delta(data):
    with pytest.raises(BundleError, match="a delta can't be read"):
        decode_delta(data)
