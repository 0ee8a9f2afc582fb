"""`writ diff`: compares two models."""

import sys
from pathlib import Path

import click
from msgspec import structs

from ....bundles.errors import BundleError
from ....compiler.analysis.regions import People
from ....compiler.renaming.found_renames import found_renames
from ...engines.work.gc_pause import without_gc
from ...review.people.compared_models import compared
from ...review.people.people_answer import people_answer
from ...store.environment_ids import DEFAULT
from ..environments.shown_answers import FORMATS, show
from ..model_elements import counts_of, differences, elements_of
from ..output import CommandFailed
from ..source_paths import FilePath
from .bundle_differences import NOT_COMPARED, bundle_differences, manifest_differences
from .comparison import ModelDifferences, Renamed
from .decided import decided_differently
from .fail_on import FailOn, must_fail
from .shown import comparison_lines, markdown
from .shown_sarif import shown_sarif
from .sides import ComparedModel, open_side


@click.command("diff")
@click.argument("old")
@click.argument("new")
@click.option(
    "--tests",
    "tests",
    metavar="PATH",
    multiple=True,
    type=FilePath(),
    help="Policy tests, or folders of them, whose requests both models answer.",
)
@click.option("--people", is_flag=True, help="Say who gains and who loses by the change, with an example of each.")
@click.option(
    "--fail-on",
    "fail_on",
    metavar="CONDITION",
    multiple=True,
    type=FailOn(),
    help="End with exit code 1 only on: widened, narrowed, any, people:GROUP or action:NAME.",
)
@click.option(
    "--env", "environment", default=DEFAULT, show_default=True, help="The environment of a store without #ENV."
)
@click.option("--format", "form", type=click.Choice((*FORMATS, "sarif")), default="text", show_default=True)
def diff_command(
    old: str,
    new: str,
    tests: tuple[Path, ...],
    people: bool,
    fail_on: tuple[tuple[str, str], ...],
    environment: str,
    form: str,
) -> None:
    """Compare two models: what was added, changed and removed, and which requests have another answer.

    OLD and NEW are model documents or folders of them, bundles, store:DIR#ENV for an environment of a data directory,
    or REVISION:PATH in git. PATH is from the root of the repository, or with ./ from this folder.

    With --people, Writ finds the requests that the models answer differently: whose they are, under which conditions,
    and one example of each. With --fail-on, the exit code says only whether someone gains (widened), loses (narrowed)
    or either (any), whether a member of a group is among them (people:GROUP), or whether it is about an action
    (action:NAME). What is not known counts as true.

    With --tests, both models answer the requests of policy tests, whatever the tests expect. The format markdown is
    for a comment: it has 65,536 characters at most, and says what was left out. The format sarif is for code scanning.
    Exit code 0 if the models are equal, 1 if they differ, 2 if one can't be read.

    \b
    Examples:
      writ diff old.yaml new.yaml
      writ diff main:policies policies --tests policies
      writ diff main:policies policies --people --fail-on widened
      writ diff HEAD~1:policies HEAD:policies --format markdown
      writ diff store:writ-data#staging policies/
      writ diff store:writ-data#staging store:writ-data#prod --people
    """
    with without_gc():
        sides = open_side(old, environment), open_side(new, environment)
        analysed = _people(*sides) if people or fail_on else None
        found = _compared(*sides, tests)
        if analysed is not None:
            found = structs.replace(found, people=people_answer(analysed))
    if form == "markdown":
        click.echo("\n".join(markdown(comparison_lines(found, form))))
    elif form == "sarif":
        click.echo(shown_sarif(found, *sides))
    else:
        show(comparison_lines(found, form), form, found)
    if analysed is not None and fail_on:
        sys.exit(1 if must_fail(fail_on, analysed, (sides[0].side, sides[1].side)) else 0)
    sys.exit(1 if found.differs else 0)


def _people(old: ComparedModel, new: ComparedModel) -> People:
    """Returns who gains and who loses. Raises CommandFailed for a damaged bundle."""
    return compared(old.side, new.side, (old.judge, new.judge))


def _compared(old: ComparedModel, new: ComparedModel, tests: tuple[Path, ...]) -> ModelDifferences:
    asked, different = decided_differently(old, new, tests)
    count = asked if tests else None
    if old.model is not None and new.model is not None:
        elements = tuple(differences(elements_of(old.model), elements_of(new.model)))
        renames = tuple(Renamed(*one) for one in found_renames((one.kind, one.before, one.after) for one in elements))
        return ModelDifferences(
            old.name, new.name, counts_of(elements), elements, different, asked=count, renames=renames
        )
    try:
        elements = tuple(bundle_differences(old.bundle, new.bundle))
        manifest = manifest_differences(old.bundle, new.bundle)
    except BundleError as ex:
        raise CommandFailed(str(ex)) from None
    return ModelDifferences(old.name, new.name, counts_of(elements), elements, different, manifest, NOT_COMPARED, count)
