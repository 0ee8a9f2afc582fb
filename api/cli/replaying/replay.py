"""`writ replay`: decides the requests of a decision log again, and shows which answers change."""

import os
import sys
from pathlib import Path
from typing import Final

import click
import msgspec

from ....bundles.system_errors import os_sentence
from ....runtime import Engine, RateCounters
from ...review.effects import effect_words
from ...review.replaying.replayed_record import ComparedAnswer, NotCompared, Replayed
from ...review.replaying.report import as_json, ordered
from ...review.replaying.tally import Tally
from ..named_model import reading_bundle
from ..output import CommandFailed, escaped
from ..server_options import cores
from ..source_paths import FilePath
from .masked_log import masked_log
from .sharing import LogSource, replayed

STANDARD_INPUT: Final = "-"

_APART: Final = {
    NotCompared.MASKED: "are masked or incomplete",
    NotCompared.HIDDEN: "depend on what the masks hide",
    NotCompared.RATE_LIMITED: "depend on a rate limit",
    NotCompared.OTHER_ENVIRONMENT: "are of other environments",
    NotCompared.NOT_COMPARED: "are searches without a filter, or failures",
}


@click.command("replay")
@click.argument("log", metavar="LOG", type=FilePath(allow_dash=True))
@click.argument("model", metavar="MODEL")
@click.option("--env", "environment", metavar="NAME", help="Compare the records of this environment.")
@click.option("--masks", metavar="FILE", type=FilePath(), help="The masks of LOG, to hash MODEL alike.")
@click.option("--hash-key", "key", metavar="FILE", type=FilePath(), help="The key of these hashes.")
@click.option(
    "--format", "style", type=click.Choice(["text", "json"]), default="text", help="The format of the output."
)
def replay_command(
    log: Path, model: str, environment: str | None, masks: Path | None, key: Path | None, style: str
) -> None:
    """Decide the requests of LOG again by MODEL, each at the instant of its record, and show which answers change.

    LOG is a decision log, which may be compressed by gzip. `-` is standard input. MODEL is a bundle. Without --env, the
    records of the bundle's environment are compared. An answer changes if its decision, its reason code, or the policy
    or grant that decides is another one. Flips of the decision come first.

    With --masks, the values in MODEL are hashed as those in LOG are, so that masked records are compared too. MODEL is
    then model documents, store:DIR#ENV, or REVISION:PATH in git: a bundle can't be hashed.

    Exit code 0 if no answer changes, 1 if one does, 2 if a file can't be read or no record can be compared.

    \b
    Examples:
      writ replay decisions.jsonl model.bundle
      zcat decisions-*.gz | writ replay - model.bundle --format json
      writ replay decisions.jsonl model.yaml --masks masks.json --hash-key decision-log.key
    """
    if key is not None and masks is None:
        raise click.UsageError("`--hash-key` needs `--masks`")
    try:
        if masks is not None:
            found = _replayed(masked_log(model, environment, masks, key), log)
        else:
            with reading_bundle(Path(model)):
                engine = Engine.open(model, counters=RateCounters())
                own = engine.manifest.environment
                asked = environment if environment is not None or own is None else own.id
                found = _replayed(Replayed(engine, asked), log)
    except (OSError, EOFError) as ex:
        raise CommandFailed(os_sentence(ex) if isinstance(ex, OSError) else f"{log}: it ends too early") from None
    if len(found.environments) > 1:
        names = ", ".join(sorted(escaped(str(name)) for name in found.environments))
        raise CommandFailed(f"{log}: it has records of several environments ({names}); choose one by `--env`")
    if style == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(as_json(found)), indent=2))
    else:
        _print(found)
    if found.bad + found.records and not found.same + found.changed:
        raise CommandFailed(f"{log}: no record could be compared")
    sys.exit(1 if found.changed else 0)


def _replayed(asked: Replayed, log: Path) -> Tally:
    if str(log) == STANDARD_INPUT:
        return replayed(asked, LogSource(os.fdopen(0, "rb", closefd=False), 0), cores())
    with log.open("rb") as raw:
        return replayed(asked, LogSource(raw, log.stat().st_size), cores())


def _print(found: Tally) -> None:
    effects = f": {effect_words(found.effects)}" if found.changed else ""
    click.echo(f"{found.records:,} records: {found.same:,} answers stay, {found.changed:,} change{effects}")
    for reason, words in _APART.items():
        if found.apart[reason]:
            click.echo(f"  {found.apart[reason]:,} {words}")
    if found.bad:
        more = ", …" if found.bad > len(found.bad_lines) else ""
        lines = "line is no record" if found.bad == 1 else "lines are no records"
        click.echo(f"  {found.bad:,} {lines}: {', '.join(map(str, found.bad_lines))}{more}")
    for change, group in ordered(found):
        click.echo(f"\n{group.count:,} × {_shown(change.before)} → {_shown(change.after)}")
        request = escaped(msgspec.json.encode(group.example["request"]).decode())
        click.echo(f"  line {group.line:,}, {escaped(group.example['time'])}: {request}")


def _shown(told: ComparedAnswer) -> str:
    return escaped(told.reason if told.decider is None else f"{told.reason} by {told.decider}")
