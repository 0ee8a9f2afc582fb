"""Makes each process with this folder on its path a newer version of Writ: `FORMATS_OF_TESTS` migrations more.

Python imports this module at its start. The next format expands. The one after it contracts, and excludes this program.
"""

import os

from writ.api.store.database import newest_format, schema

from tests.support.next_steps import add_colours, drop_colours

_more = int(os.environ["FORMATS_OF_TESTS"])
newest_format.LEAST_FORMAT = max(newest_format.STORE_FORMAT, newest_format.STORE_FORMAT + _more - 1)
newest_format.STORE_FORMAT += _more
schema.MIGRATIONS = (*schema.MIGRATIONS, add_colours, drop_colours)[: newest_format.STORE_FORMAT]
