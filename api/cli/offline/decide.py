"""`writ decide`: evaluation requests in, decisions out, as JSON lines."""

from pathlib import Path

import click

from .json_lines import Instant, answer_all


@click.command("decide")
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option(
    "--input", "source", type=click.Path(path_type=Path), help="Requests, one a line; standard input if left out."
)
@click.option("--now", type=Instant(), help="The instant of every decision, instead of the clock's.")
def decide_command(bundle: Path, source: Path | None, now: float | None) -> None:
    """Answer evaluation requests, one JSON object a line, by decisions, one a line, in order.

    A bad line is answered by `{"error": ..., "line": number}`, the rest goes on, and the exit code is 1; empty lines
    are passed over. With `"options": {"explain": true}` in a request its decision carries the proof.

    \b
    Examples:
      writ decide model.bundle --input requests.jsonl
      echo '{"subject": {"type": "user", "id": "alice"}, "action": {"name": "read"},
             "resource": {"type": "document", "id": "d1"}}' | tr -d '\\n' | writ decide model.bundle
      writ decide model.bundle --now 2027-01-31T09:00:00Z < requests.jsonl
    """
    answer_all(bundle, source, lambda engine, request: engine.decide(request, now))
