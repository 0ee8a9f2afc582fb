"""Makes each process with this folder on its path a newer version of Writ: `FORMATS_OF_TESTS` migrations more.

Python imports this module at its start. Servers of the format before bear the first of these steps, and not the second.
"""

import os

from writ.api.store.database import newest_format, schema
from writ.api.store.database.formats.step import Beside, Step

from tests.support.next_steps import FILL_COLOURS, UNREAD, add_colour_column, add_colours, drop_colours

_more = int(os.environ["FORMATS_OF_TESTS"])
newest_format.STORE_FORMAT += _more
_BESIDE = Beside(add_colour_column, contract=(FILL_COLOURS,), unread=UNREAD)
_STEPS = (Step(add_colours, beside=_BESIDE), Step(drop_colours))
schema.MIGRATIONS = (*schema.MIGRATIONS, *_STEPS)[: newest_format.STORE_FORMAT]
