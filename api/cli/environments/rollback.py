"""`writ rollback`: goes back to the policies of an earlier revision."""

import click

from ...endpoints.management.promotions.promotion_shapes import PreviewAnswer
from ...store.promotions.promotion import Wanted
from ..stores.store_opening import env_option
from .environment_host import EnvironmentHost
from .environment_options import place_options
from .refusing import told_refusals
from .shown_answers import FORMATS, preview_lines, promotion_lines, show


@click.command("rollback")
@click.argument("revision", type=click.IntRange(0))
@env_option
@click.option("--dry-run", is_flag=True, help="Only show what the rollback would do.")
@click.option("--note", help="Why. History and audit log keep it.")
@click.option("--expect-digest", metavar="DIGEST", help="Restore only what a preview with this digest has shown.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@place_options
def rollback_command(
    place: EnvironmentHost,
    revision: int,
    environment: str,
    dry_run: bool,
    note: str | None,
    expect_digest: str | None,
    form: str,
) -> None:
    """Go back to the policy model of REVISION: resource types, roles, policies, routes, attributes and lints.

    That makes a new revision.

    Groups, subjects, resources, assignments and grants stay as they are. Edits in place are overwritten. Exit code 1 if
    something still uses what it removes, 2 if there is no such revision, or the place can't be reached.

    \b
    Examples:
      writ rollback 41 --env prod --dry-run
      writ rollback 41 --env prod --note "release 7 locks nurses out" --url https://writ.example
    """
    with told_refusals():
        answer = place.restore(environment, revision, Wanted(environment, note, False, expect_digest), dry_run)
    if isinstance(answer, PreviewAnswer):
        show(preview_lines(answer, environment, form), form, answer)
    else:
        show(promotion_lines(answer, environment), form, answer)
