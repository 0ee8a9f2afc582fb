"""`writ compile`: compiles model documents into a bundle file."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import click

from ....bundles.signing.sign import DAY, DEFAULT_LIFETIME, sign
from ....bundles.system_errors import os_sentence
from ...engines.live.build import InvalidModel, NoSources, build_bundle, files_of, unsigned
from ..output import CommandFailed, error_console, progress_bar
from ..overwriting import refuse_overwriting
from ..sentences import summary
from ..source_paths import FilePath, SourcePath
from .bundle_keys import read_lifetime, signing_key_in


@click.command("compile")
@click.argument("sources", nargs=-1, required=True, type=SourcePath())
@click.option("-o", "--output", required=True, type=FilePath(dir_okay=False), help="The bundle file.")
@click.option("--sign", "key", metavar="KEY", type=FilePath(), help="Sign with this private key (PEM).")
@click.option(
    "--expires-in",
    "lifetime",
    metavar="TIME",
    callback=read_lifetime,
    help=f"How long the signed bundle is accepted, like `12h`. The default is `{DEFAULT_LIFETIME // DAY}d`.",
)
def compile_command(sources: tuple[Path, ...], output: Path, key: Path | None, lifetime: int | None) -> None:
    """Compile model documents into a bundle. All files and folders (.writ, .json, .yaml) together are one model.

    The same model gives the same bytes, in any input order. Exit code 0 if the bundle is written, 1 if the model has
    errors (then the output stays as it was), 2 if a file can't be read or written.

    With --sign, programs that have the public key can verify who made the bundle. KEY is the file of an Ed25519 key
    (PKCS#8). Make one by `writ keys rotate --kind bundle`, or by `openssl genpkey -algorithm ed25519`.

    \b
    Examples:
      writ compile model.yaml -o model.bundle
      writ compile policies/ people.json -o prod.bundle
      writ compile model.yaml -o model.bundle --sign key.pem --expires-in 7d
    """
    console, finish = error_console(), _signing(key, lifetime)
    try:
        refuse_overwriting(output, files_of(sources))
        with progress_bar() as progress:
            built = build_bundle(sources, output, progress, finish)
    except InvalidModel as ex:
        click.echo(ex.checked.shown, nl=False, err=True)
        console.print(summary(ex.checked.diagnostics))
        sys.exit(1)
    except NoSources as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    click.echo(built.shown, nl=False, err=True)
    console.print(
        f"{output}: {output.stat().st_size:,} bytes" + (f", {summary(built.diagnostics)}" if built.shown else "")
    )


def _signing(path: Path | None, lifetime: int | None) -> Callable[[BinaryIO], object]:
    """Returns what signs the finished bundle, or does nothing without a key. Raises UsageError, CommandFailed."""
    if path is None:
        if lifetime is not None:
            raise click.UsageError("--expires-in needs --sign: only a signature expires")
        return unsigned
    key = signing_key_in(path)
    return lambda file: sign(file, key, int(time.time()), lifetime or DEFAULT_LIFETIME)
