"""Builds the bundle of an environment in a separate process.

`python -m writ.api.engines.live.compaction DIRECTORY ENVIRONMENT REVISION` is how the service starts it; see
`own_process`.
"""

import sys
from pathlib import Path

from ...store.errors import NotFound, StoreUnavailable
from ...store.store import Store
from .bundle_files import BundleFiles
from .import_model import builder_lock
from .uncollected import without_cycle_search


@without_cycle_search()
def main(directory: Path, environment: str, revision: int) -> int:
    """Build a bundle, unless there is one of `revision` or later. One process at a time builds.

    Returns an exit code, and prints the reason of a failure.
    """
    try:
        store = Store.open(directory, create=False)
        files = BundleFiles(directory, store)
        with builder_lock(directory):
            if files.recorded(environment, revision) is None:
                files.build(environment)
    except NotFound:  # the environment was deleted meanwhile
        return 0
    except (StoreUnavailable, OSError) as ex:
        print(ex, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
