"""`writ promote`: takes over the policies of one environment into another, or decides on what waits for an approval."""

from collections.abc import Iterable

import click
from msgspec.structs import replace

from ...endpoints.management.promotions.promotion_shapes import PreviewAnswer
from ...review.people.people_lines import people_lines
from ...store.promotions.promotion import Promotion, RoleRename, Wanted
from .environment_host import EnvironmentHost
from .environment_options import place_options
from .refusing import told_refusals
from .shown_answers import FORMATS, preview_lines, promotion_lines, rendered, show, waiting_lines


@click.command("promote")
@click.option("--from", "source", metavar="NAME", help="The environment whose policies are taken over.")
@click.option("--to", "target", metavar="NAME", required=True, help="The environment that takes them over.")
@click.option("--dry-run", is_flag=True, help="Only show what the promotion would do.")
@click.option("--note", help="Why. History and audit log keep it.")
@click.option("--accept-drift", is_flag=True, help="Overwrite what was edited in place.")
@click.option("--expect-digest", metavar="DIGEST", help="Promote only what a preview with this digest has shown.")
@click.option(
    "--rename-role",
    "renames",
    nargs=2,
    multiple=True,
    metavar="OLD NEW",
    help="Carry the assignments of the role OLD, which goes, over to NEW, which comes.",
)
@click.option("--approve", metavar="ID", help="Approve this promotion, which waits.")
@click.option("--reject", metavar="ID", help="Reject this promotion, which waits, or take it back.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@place_options
def promote_command(
    place: EnvironmentHost,
    source: str | None,
    target: str,
    dry_run: bool,
    note: str | None,
    accept_drift: bool,
    expect_digest: str | None,
    renames: tuple[tuple[str, str], ...],
    approve: str | None,
    reject: str | None,
    form: str,
) -> None:
    """Take over the policy model of one environment into another, all or nothing.

    The policy model is the opt-ins, resource types, roles, policies, routes, declared attributes and silenced lints.

    Groups, subjects, resources, assignments and grants stay as they are. Who gains and who loses is told first.

    Exit code 0 if the promotion is in force or
    waits for an approval, 1 if it is refused: the target was edited in place, something still uses what it removes, or
    the digest is another one. Exit code 2 if an environment does not exist, or the place can't be reached.

    \b
    Examples:
      writ promote --from staging --to prod --dry-run
      writ promote --from staging --to prod --note "release 7" --url https://writ.example
      writ promote --to prod --approve 0b9f7a52-9a7e-4c8c-9f0b-7d9f6a3f6f11 --url https://writ.example
    """
    if sum(one is not None for one in (source, approve, reject)) != 1:
        raise click.UsageError("give one of `--from`, `--approve` and `--reject`")
    _refuse_options_without_effect(source, dry_run, accept_drift or bool(renames), note, approve, expect_digest)
    with told_refusals():
        if approve is not None:
            _tell(waiting_lines(place.waiting(target, approve)), form)
            done = place.approve(target, approve, expect_digest)
        elif reject is not None:
            done = place.reject(target, reject, note)
        else:
            assert source is not None
            carried = tuple(RoleRename(*one) for one in renames)
            wanted = Wanted(source, note, accept_drift, expect_digest, carried)
            preview = place.promote(target, wanted, dry_run=True)
            assert isinstance(preview, PreviewAnswer), "it is asked for"
            if dry_run:
                show(preview_lines(preview, target, form), form, preview)
                return
            _tell(people_lines(preview.people) if preview.people else (), form)
            promoted = place.promote(target, replace(wanted, expect_digest=preview.digest), dry_run=False)
            assert isinstance(promoted, Promotion), "it is asked for"
            done = promoted
    show(promotion_lines(done, target), form, done)


def _tell(lines: Iterable[str], form: str) -> None:
    """Prints what to know before the promotion is asked for or approved."""
    if form != "json":
        for line in rendered(lines, form):
            click.echo(line)


def _refuse_options_without_effect(
    source: str | None,
    dry_run: bool,
    accept_drift: bool,
    note: str | None,
    approve: str | None,
    expect_digest: str | None,
) -> None:
    """Raises UsageError for an option that a decision does not read: a wish for a preview must not approve."""
    if source is not None:
        return
    if dry_run or accept_drift:
        raise click.UsageError("`--dry-run`, `--accept-drift` and `--rename-role` go with `--from` alone")
    if approve is not None and note is not None:
        raise click.UsageError("`--note` goes with `--from` and `--reject`")
    if approve is None and expect_digest is not None:
        raise click.UsageError("`--expect-digest` goes with `--from` and `--approve`")
