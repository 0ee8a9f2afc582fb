"""`writ filter`: resource searches in, filters out, as JSON lines."""

from pathlib import Path

import click

from .json_lines import Instant, answer_all


@click.command("filter")
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option(
    "--input", "source", type=click.Path(path_type=Path), help="Searches, one a line; standard input if left out."
)
@click.option("--now", type=Instant(), help="The instant that tells what has expired, instead of the clock's.")
def filter_command(bundle: Path, source: Path | None, now: float | None) -> None:
    """Answer resource searches, one JSON object a line, by `{"filter": ..., "context": ...}`, one a line, in order.

    A filter is true of the resources on which the subject may do the action; conditions on the context, times and
    addresses are left to the evaluation. Direct grants of the subject are part of it with
    `"options": {"include_direct": true}`. A bad line is answered by `{"error": ..., "line": number}`, the rest goes on,
    and the exit code is 1; empty lines are passed over.

    \b
    Examples:
      writ filter model.bundle --input searches.jsonl
      echo '{"subject": {"type": "user", "id": "alice"}, "action": {"name": "read"},
             "resource": {"type": "document"}}' | tr -d '\\n' | writ filter model.bundle
    """
    answer_all(bundle, source, lambda engine, request: engine.filter(request, now))
