"""Makes an export in a separate process, which gets the signing key on its standard input.

`python -m writ.api.engines.exports.making DIRECTORY ENVIRONMENT REVISION PROFILE LIFETIME` is how the service
starts it; see `own_process`.
"""

import sys
import time
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import cast

from ....bundles.manifest import Profile
from ....bundles.signing.keys import SigningKey, read_signing_key
from ...store.errors import NotFound, StoreUnavailable
from ...store.store import Store
from ..live.own_process import last_words, own_process
from ..live.uncollected import without_cycle_search
from .make import ExportMaker


async def make_beside(
    directory: Path, environment: str, revision: int, profile: Profile, key: SigningKey, lifetime: int
) -> None:
    """Make an export of `revision` or later in a process of its own. Raises StoreUnavailable if it can't be made."""
    arguments = (str(directory), environment, str(revision), profile, str(lifetime))
    process = await own_process("writ.api.engines.exports.making", *arguments, stdin=PIPE, stderr=PIPE)
    _, said = await process.communicate(key.pem())
    if process.returncode:
        failed = "no bundle can be exported"
        raise StoreUnavailable(f"{failed}: {last_words(said)}", f"{failed}; the service's log says why")


@without_cycle_search()
def main(directory: Path, environment: str, revision: int, profile: Profile, lifetime: int) -> int:
    """Make the export. Returns an exit code, and prints the reason of a failure."""
    key = read_signing_key(sys.stdin.buffer.read())
    try:
        store = Store.open(directory, create=False)
        ExportMaker(directory, store, time.time).export(environment, revision, profile, key, lifetime)
    except NotFound:  # the environment was deleted meanwhile
        return 0
    except (StoreUnavailable, OSError) as ex:
        print(ex, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), cast(Profile, sys.argv[4]), int(sys.argv[5])))
