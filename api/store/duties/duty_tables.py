"""The statements of duties, for PostgreSQL. Each one is a transaction alone."""

from typing import Final

from ..leases.lease_tables import OTHER_NUMBER

READ: Final = "SELECT holder, name, number, lease FROM duties WHERE task = %(task)s"

ADD: Final = f"""
INSERT INTO duties VALUES (%(task)s, 'unknown', '', {OTHER_NUMBER}, %(lease)s) ON CONFLICT DO NOTHING
"""
"""Adds a duty as if an unknown process had it. The row of a holder may be lost with a primary."""

TAKE: Final = f"""
UPDATE duties SET holder = %(id)s, name = %(name)s, lease = %(lease)s, number = {OTHER_NUMBER}
WHERE task = %(task)s AND number = %(number)s RETURNING number
"""
"""Takes a duty, if its row has still that number. Of two processes, one finds it."""

RENEW: Final = f"""
UPDATE duties SET number = {OTHER_NUMBER} WHERE task = %(task)s AND holder = %(id)s RETURNING number
"""

GIVE_BACK: Final = f"""
UPDATE duties SET holder = '', name = '', number = {OTHER_NUMBER} WHERE task = %(task)s AND holder = %(id)s
"""
