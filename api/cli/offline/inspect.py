"""`writ inspect`: checks a bundle file and shows its contents."""

import sys
from pathlib import Path

import click
import msgspec

from ....bundles.errors import BundleError
from ....bundles.file.header import VERSION
from ....bundles.file.reader import Bundle, open_bundle
from ....bundles.program.text import show_program
from ..output import CommandFailed, bundle_sentence, os_sentence


@click.command("inspect")
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option("--rules", is_flag=True, help="Print the rule program as text.")
@click.option(
    "--format", "style", type=click.Choice(["text", "json"]), default="text", help="The format of the output."
)
def inspect_command(bundle: Path, rules: bool, style: str) -> None:
    """Check every byte of a bundle file, and show its manifest, sections and counts.

    Exit code 0 for an intact bundle, 1 for a damaged one, 2 for a file that can't be read.

    \b
    Examples:
      writ inspect model.bundle
      writ inspect model.bundle --rules
      writ inspect model.bundle --format json | jq .digest
    """
    try:
        opened = open_bundle(bundle)
        opened.verify()
    except BundleError as ex:
        click.echo(bundle_sentence(bundle, ex), err=True)
        sys.exit(1)
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    if rules:
        click.echo(show_program(opened.program()), nl=False)
    elif style == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(_facts(opened)), indent=2))
    else:
        _print(opened)


def _facts(bundle: Bundle) -> dict[str, object]:
    return {
        "format": VERSION,
        "digest": bundle.digest(),
        "manifest": bundle.manifest,
        "sections": {name: extent.size for name, extent in bundle.sections.items()},
    }


def _print(bundle: Bundle) -> None:
    manifest = bundle.manifest
    click.echo(f"format       {VERSION}")
    click.echo(f"digest       sha256:{bundle.digest()}")
    click.echo(f"source       sha256:{manifest.source}")
    click.echo(f"environment  {manifest.environment.id if manifest.environment else 'none, compiled from files'}")
    click.echo(f"profile      {manifest.profile}")
    click.echo(f"epoch        {manifest.epoch}, revision {manifest.revision}")
    click.echo(f"tzdata       {manifest.tzdata}")
    for name, count in manifest.counts.items():
        click.echo(f"{name:<12} {count:,}")
    click.echo("sections, in bytes; every checksum matches:")
    for name, extent in bundle.sections.items():
        click.echo(f"  {name:<18} {extent.size:>14,}")
