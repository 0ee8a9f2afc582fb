"""Finds the requests of policy tests that two models answer differently."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from ....bundles.conditions.trees.same_meaning import same_meaning
from ....bundles.system_errors import os_sentence
from ....compiler.diagnostics.show import show_text
from ....compiler.source import Source
from ....runtime.translate.read_tree import read_tree
from ...review.testing.file_reading import ReadFile, TestQuestion, read_file
from ..output import CommandFailed
from ..testing.file_discovery import NoTests, test_files
from .comparison import Decided, TestDifference
from .sides import ComparedModel


class DecidedCounts(NamedTuple):
    """The number of requests that both models answered, and those that they answered differently."""

    asked: int
    different: tuple[TestDifference, ...]


def decided_differently(old: ComparedModel, new: ComparedModel, paths: Sequence[Path]) -> DecidedCounts:
    """Returns how the models answer the requests of the test files at some paths.

    What the tests expect, and the models that they name, do not matter. Requests whose decision changes come first,
    those with another reason alone last. Raises CommandFailed for a file with faults.
    """
    now = time.time()
    count, different = 0, []
    for file in _files(paths):
        for test in file.tests:
            for asked in test.questions:
                count += 1
                before, after = (_answer(side, asked, now) for side in (old, new))
                if not _same(before, after):
                    name = f"{test.name} ({asked.label})" if asked.label else test.name
                    different.append(TestDifference(file.source.name, name, asked.request, before, after))
    return DecidedCounts(count, tuple(sorted(different, key=lambda one: one.effect.rank)))


def _files(paths: Sequence[Path]) -> Iterator[ReadFile]:
    try:
        found = [read_file(Source(str(path), path.read_bytes())) for path in test_files(paths)] if paths else []
    except NoTests as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    for file in found:
        if file.diagnostics:
            for lines in show_text(file.diagnostics, [file.source]):
                click.echo(lines, err=True)
            raise CommandFailed("tests with errors can't be asked")
    yield from found


def _answer(side: ComparedModel, asked: TestQuestion, now: float) -> Decided:
    instant = now if asked.now is None else asked.now
    answer = side.answer(asked, instant)
    return Decided(filter=answer["filter"]) if asked.is_search else _decision(side, answer)


def _decision(side: ComparedModel, answer: dict[str, Any]) -> Decided:
    context = answer["context"]
    is_grant = context["access_path"] == "direct"
    return Decided(
        answer["decision"],
        context["reason_code"],
        context["access_path"],
        context.get("policy_id"),
        context.get("denied_by"),
        grant=side.grant_text(context["policy_id"]) if is_grant else None,
    )


def _same(before: Decided, after: Decided) -> bool:
    if before.filter is None or after.filter is None:
        return before == after
    return same_meaning(read_tree(before.filter), read_tree(after.filter))
