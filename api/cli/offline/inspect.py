"""`writ inspect`: checks a bundle file and shows its contents."""

import sys
import time
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from ....bundles.errors import BundleError
from ....bundles.file.header import VERSION
from ....bundles.file.reader import Bundle, open_bundle
from ....bundles.program.text import show_program
from ....bundles.signing.section import Signature, unverified_signature
from ....bundles.signing.signature_check import ANY_ENVIRONMENT, instant_text, open_verified_bundle
from ....bundles.system_errors import os_sentence
from ..output import CommandFailed, escaped
from ..sentences import bundle_sentence
from ..source_paths import FilePath
from .bundle_keys import public_keys_in


class Inspected(NamedTuple):
    """An intact bundle, its signature or None, and whether the signature was verified."""

    bundle: Bundle
    signature: Signature | None
    is_verified: bool


@click.command("inspect")
@click.argument("bundle", type=FilePath())
@click.option("--rules", is_flag=True, help="Print the rule program as text.")
@click.option(
    "--format", "style", type=click.Choice(["text", "json"]), default="text", help="The format of the output."
)
@click.option(
    "--verify",
    "keys",
    metavar="PUBLIC.pem",
    multiple=True,
    type=FilePath(),
    help="Verify the signature. One of the given public keys must have made it.",
)
def inspect_command(bundle: Path, rules: bool, style: str, keys: tuple[Path, ...]) -> None:
    """Check every byte of a bundle file, and show its manifest, sections and counts.

    Without --verify, the signature is shown, but anyone may have made it. With --verify, its environment is shown, and
    you decide whether it is the right one.

    Exit code 0 for an intact bundle, 1 for a damaged one or a signature that is not accepted, 2 for a file that can't
    be read.

    \b
    Examples:
      writ inspect model.bundle
      writ inspect model.bundle --rules
      writ inspect model.bundle --format json | jq .digest
      writ inspect model.bundle --verify public.pem
    """
    texts = public_keys_in(keys)
    try:
        found = _opened(bundle, texts)
        found.bundle.verify()
    except BundleError as ex:
        click.echo(bundle_sentence(bundle, ex), err=True)
        sys.exit(1)
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    if rules:
        click.echo(show_program(found.bundle.program()), nl=False)
    elif style == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(_facts(found)), indent=2))
    else:
        _print(found)


def _opened(path: Path, keys: list[bytes]) -> Inspected:
    if keys:
        return Inspected(*open_verified_bundle(path, keys, ANY_ENVIRONMENT, time.time()), True)
    bundle = open_bundle(path)
    return Inspected(bundle, unverified_signature(bundle), False)


def _facts(found: Inspected) -> dict[str, object]:
    bundle, signature, is_verified = found
    shown = signature and {
        "verified": is_verified,
        "key": signature.key,
        "signed": instant_text(signature.claims.issued),
        "expires": instant_text(signature.claims.expires),
    }
    return {
        "format": VERSION,
        "digest": bundle.digest(),
        "signature": shown,
        "manifest": bundle.manifest,
        "sections": {name: extent.size for name, extent in bundle.sections.items()},
    }


def _print(found: Inspected) -> None:
    bundle = found.bundle
    manifest = bundle.manifest
    click.echo(f"format       {VERSION}")
    click.echo(f"digest       sha256:{bundle.digest()}")
    _print_signature(found)
    click.echo(f"source       sha256:{manifest.source}")
    click.echo(f"environment  {manifest.environment.id if manifest.environment else 'none, compiled from files'}")
    click.echo(f"epoch        {manifest.epoch}, revision {manifest.revision}")
    if manifest.provenance is not None:
        click.echo(f"provenance   {escaped(msgspec.json.encode(manifest.provenance).decode())}")
    click.echo(f"tzdata       {manifest.tzdata}")
    if manifest.extensions:
        click.echo(f"extensions   {', '.join(manifest.extensions)}")
    if manifest.requests is not None:
        click.echo(f"requests     {manifest.requests}")
    if manifest.needs:
        click.echo(f"needs        {', '.join(manifest.needs)}")
    for name, count in manifest.counts.items():
        click.echo(f"{name:<12} {count:,}")
    click.echo("sections, in bytes; every checksum matches:")
    for name, extent in bundle.sections.items():
        click.echo(f"  {name:<18} {extent.size:>14,}")


def _print_signature(found: Inspected) -> None:
    if found.signature is None:
        click.echo("signature    none")
        return
    key, claims = found.signature
    click.echo("signature    " + ("verified" if found.is_verified else "not verified; give the public key by --verify"))
    click.echo(f"signed by    {escaped(key)}")
    click.echo(f"signed       {instant_text(claims.issued)}, accepted until {instant_text(claims.expires)}")
