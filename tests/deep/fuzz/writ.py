"""Texts in the language: any text has diagnostics or a meaning, and the formatter keeps that."""

from collections.abc import Iterator
from pathlib import Path

from writ.compiler.language.writing.format import formatted

from tests.compiler.language.test_fuzz import PIECES, diagnose
from tests.compiler.language.test_fuzz import mutated as mutated_text
from tests.deep.fuzz.targets import Law
from tests.support.strategies_pick import Pick
from tests.support.writ_grammar import text as derived
from tests.support.writ_spelling import hostile_model
from tests.support.writ_texts import as_text, bundle_bytes, load_json, load_writ, meanings


def starts() -> Iterator[bytes]:
    """Some models, and some statements of the language's corpus that were changed."""
    for seed in range(8):
        model = load_json(hostile_model(Pick.seeded(seed))).model
        yield as_text(model).encode() if model else b""
    yield from (mutated_text(Pick.seeded(seed)).encode("utf-8", "replace") for seed in range(24))


def mutated(pick: Pick, data: bytes) -> bytes:
    """The text with a piece of the language put in, or sentences of the grammar or of the corpus."""
    if pick.chance(1, 4):
        return data[: pick.number(0, len(data))] + b"\n" + derived(pick).encode()
    if pick.chance(1, 3):
        return mutated_text(pick).encode("utf-8", "replace")
    text = data.decode("utf-8", "replace")
    start = pick.number(0, len(text))
    end = min(start + pick.one((0, 0, 1, 4, 30)), len(text))
    return (text[:start] + pick.one(("", *PIECES)) + text[end:]).encode("utf-8", "replace")


def law(_folder: Path) -> Law:
    """See the module."""

    def holds(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        diagnose(text)
        before = load_writ(text).model
        if before is None:
            return
        after = load_writ(formatted(text)).model
        assert after is not None
        assert bundle_bytes(after) == bundle_bytes(before)
        again = load_writ(as_text(before)).model
        assert again is not None
        assert meanings(again) == meanings(before)

    return holds
