"""`writ explain`: explains decisions to people."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeAlias

import click
import msgspec

from ....bundles.system_errors import os_sentence
from ...http.bodies import ENCODER, decoded
from ...http.lines import read_lines
from ...http.rejections import BodyRejected
from ...review.wording.prose import asking_why, explained, question
from ..offline.json_lines import BAD_REQUEST, LIMITS, Instant, bad_line, read_request
from ..output import CommandFailed, escaped
from ..service_options import refuse_without_url, service_at, service_options
from ..source_paths import FilePath
from .answering import Ask, bundle_answers, service_answers, store_answers
from .logged import logged_question

MOST_BYTES: Final = 64 * 1024 * 1024
"""The bytes of the input."""

Numbered: TypeAlias = tuple[int, dict[str, Any] | BodyRejected]
"""A request, or why it can't be read, with the number of its line."""

_A_RECORD: Final = "this is a record of a decision log: explain it by `--log FILE --id DECISION_ID`"


@click.command("explain")
@click.argument("bundle", required=False, type=FilePath())
@click.option(
    "--data",
    "directory",
    type=FilePath(file_okay=False),
    help="Ask the store of this data directory instead of a bundle.",
)
@click.option("--env", "environment", help="The environment of the store or the service.")
@service_options(required=False)
@click.option(
    "--input", "source", type=FilePath(), help="The requests: one, or one per line. The default is standard input."
)
@click.option("--log", type=FilePath(), help="Explain a decision of this decision log.")
@click.option("--id", "decision", help="The decision of the log: its id, as in the header `Writ-Decision-Id`.")
@click.option("--now", type=Instant(), help="Decide as of this instant instead of now.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Prose, or the answers as JSON lines.",
)
def explain_command(
    bundle: Path | None,
    directory: Path | None,
    environment: str | None,
    url: str | None,
    token_file: Path | None,
    ca_file: Path | None,
    source: Path | None,
    log: Path | None,
    decision: str | None,
    now: float | None,
    style: str,
) -> None:
    """Explain a decision in sentences: what allows it, what denies it, and what was missing.

    The input is one evaluation request, or several as JSON lines. A bad line is told on standard error. Writ then goes
    on, and the exit code is 1. Whether a request is allowed does not change the exit code.

    With `--log` and `--id`, the request is that of a decision which was logged, and so is the instant, unless a service
    is asked.

    \b
    Examples:
      writ explain model.bundle --input request.json
      writ explain --data /var/lib/writ --env staging < requests.jsonl
      writ explain --url https://writ.example --input request.json --format json
      writ explain model.bundle --log decisions.jsonl --id 5f0c2b7e91d4a836-1c
    """
    refuse_without_url(url, token_file, ca_file)
    if sum(one is not None for one in (bundle, directory, url)) != 1:
        raise click.UsageError("give one of a bundle, `--data` and `--url`")
    if bundle is not None and environment is not None:
        raise click.UsageError("`--env` needs `--data` or `--url`: a bundle has one model")
    if (log is None) != (decision is None) or (log is not None and source is not None):
        raise click.UsageError("`--log` and `--id` go together, in place of `--input`")
    if url is not None and now is not None:
        raise click.UsageError("`--now` does not go with `--url`: a service decides by its own clock")
    answers: AbstractContextManager[Ask]
    try:
        logged = None if log is None or decision is None else logged_question(log, decision)
        now = logged.now if logged is not None and now is None else now
        if url is not None:
            answers = service_answers(service_at(url, token_file, ca_file), environment)
        elif directory is not None:
            answers = store_answers(directory, environment or (logged and logged.environment) or "default", now)
        else:
            assert bundle is not None
            answers = bundle_answers(bundle, now)
        with answers as ask:
            requests = _requests(_read(source)) if logged is None else [(1, logged.request)]
            good = _explain_all(ask, requests, style)
    except BrokenPipeError:
        raise
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    sys.exit(0 if good else 1)


def _read(source: Path | None) -> bytes:
    """Returns the whole input. Raises CommandFailed if it is empty or over the limit, OSError."""
    with open(source, "rb") if source else open(0, "rb", closefd=False) as stream:
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise CommandFailed(f"the input is longer than {MOST_BYTES} bytes")
    if not data.strip():
        raise CommandFailed("the input is empty: give it an evaluation request, as JSON")
    return data


def _explain_all(ask: Ask, requests: Iterable[Numbered], style: str) -> bool:
    """Prints an explanation of every request. Returns False if a line was bad."""
    good = True
    for number, request in requests:
        try:
            if isinstance(request, BodyRejected):
                raise request
            answer = ask(asking_why(request))
        except BAD_REQUEST as ex:
            good = False
            is_record = isinstance(request, dict) and "decision_id" in request
            _show_bad(number, _A_RECORD if is_record else str(ex), style)
            continue
        if style == "json":
            click.echo(escaped(ENCODER.encode(answer).decode()))
        else:
            for line in (question(request), *explained(answer), ""):
                click.echo(escaped(line))
    return good


def _requests(data: bytes) -> Iterator[Numbered]:
    """Yields the requests with their line numbers, and the errors of bad lines. `data` may be one request alone."""
    try:
        yield 1, decoded(data, LIMITS)
        return
    except (BodyRejected, msgspec.MsgspecError):
        pass  # then it is a request per line
    for number, line in enumerate(chain.from_iterable(read_lines(BytesIO(data), LIMITS.body_bytes)), 1):
        try:
            request = read_request(line)
        except BodyRejected as ex:
            yield number, ex
        else:
            if request is not None:
                yield number, request


def _show_bad(number: int, sentence: str, style: str) -> None:
    if style == "json":
        click.echo(ENCODER.encode(bad_line(number, sentence)))
    else:
        click.echo(escaped(f"line {number}: {sentence}"), err=True)
