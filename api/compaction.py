"""Builds the bundle of an environment in a process: `python -m api.compaction DIRECTORY ENVIRONMENT REVISION`.

It runs at low priority, so that decisions in the workers are not delayed.
"""

import os
import sys
from pathlib import Path

from api.build import without_cycle_search
from api.bundle_files import BundleFiles
from api.import_model import one_builder
from api.store.refusals import NotFound, StoreUnavailable
from api.store.store import Store

NICENESS = 10


@without_cycle_search()
def main(directory: Path, environment: str, revision: int) -> int:
    """Build a bundle unless there is one of `revision` or later; one process at a time does.

    Gives back an exit code, and says what failed.
    """
    os.nice(NICENESS)
    try:
        store = Store.open(directory)
        files = BundleFiles(directory, store)
        with one_builder(directory):
            if not files.covers(environment, revision):
                files.build(environment)
    except NotFound:  # deleted in the meantime: nothing is left to do
        return 0
    except (StoreUnavailable, OSError) as ex:
        print(ex, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
