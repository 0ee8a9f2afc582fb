"""The statements of leases, for PostgreSQL. Each one is a transaction alone."""

from typing import Final

COMMITS: Final = "writ_commits"
"""The channel of the hints. Its messages are tickets."""

UNKNOWN_SERVER: Final = "unknown"
"""The id of the row that stands for all servers whose leases a new primary does not know. No server has this id."""

_UNANSWERED: Final = """
SELECT json_object_agg(id, json_build_array(first, last)) FROM environments JOIN (
    SELECT environment, min(revision) AS first, max(revision) AS last FROM unanswered GROUP BY environment
) AS commits ON number = environment
"""

DRAW_TICKET: Final = f"""
WITH drawn AS MATERIALIZED (SELECT nextval('commit_tickets') AS ticket)
SELECT ticket, pg_notify('{COMMITS}', ticket::text), ({_UNANSWERED}) FROM drawn
"""
"""Draws a ticket for the commits before, and sends the hint. Reads which of these commits no writer has settled."""

LIST_UNBUILT: Final = """
SELECT servers.id, servers.number, servers.lease FROM servers, environments
WHERE environments.id = %(environment)s AND servers.folder IS NOT NULL AND NOT EXISTS (
    SELECT FROM bundles WHERE environment = environments.number AND folder = servers.folder
    AND revision >= %(revision)s
)
"""
"""Lists the servers without a bundle of this revision or a later one."""

SETTLE: Final = """
DELETE FROM unanswered USING environments
WHERE number = environment AND id = %(environment)s AND unanswered.revision <= %(revision)s
"""
"""Takes the right to decide without these commits from every server. It must come before the ticket of an answer."""

_NOTED: Final = "(SELECT noted FROM primary_line WHERE xmin::text::bigint = noted & 4294967295)"
"""The transaction that noted the primary, or null if a dump was restored since. On one connection, it
differs after that.
"""

_CONTENT: Final = """
(SELECT encode(sha256(convert_to(concat_ws(' ',
    (SELECT number FROM credential_generation),
    (SELECT string_agg(concat_ws(' ', uuid, epoch, revision), ' ' ORDER BY uuid) FROM environments)
), 'UTF8')), 'hex'))
"""

NEWEST: Final = f"""
SELECT (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM commit_tickets), {_CONTENT}, {_NOTED}
"""
"""Reads the newest ticket, the content (see `Reading`), and who noted the primary. A new sequence shows 1 already."""

LIST_SERVERS: Final = "SELECT id, number, confirmed, lease FROM servers"

LIST_NOTED: Final = f"""
SELECT noted, id, number, confirmed, lease FROM (SELECT {_NOTED} AS noted) AS line LEFT JOIN servers ON true
"""
"""Lists the same, each with who noted the primary. With no server, there is one row without an id."""

_LEAVE_TRACE: Final = """
INSERT INTO server_traces SELECT %(trace)s, number FROM written
ON CONFLICT (id) DO UPDATE SET number = greatest(server_traces.number, excluded.number)
RETURNING (SELECT number FROM written)
"""
"""Leaves the trace of a data directory with its lease, in one transaction. Returns the number of the lease."""

REGISTER: Final = f"""
WITH written AS (
    INSERT INTO servers (id, number, confirmed, lease, folder)
    VALUES (%(id)s, nextval('lease_numbers'), %(known)s, %(lease)s, %(folder)s)
    ON CONFLICT (id) DO UPDATE SET number = excluded.number, confirmed = excluded.confirmed, lease = excluded.lease
    RETURNING number
), known AS (
    INSERT INTO server_formats VALUES (%(id)s, %(format)s) ON CONFLICT (id) DO UPDATE SET format = excluded.format
)
{_LEAVE_TRACE}"""
"""Adds the row of a server, with the newest format that it knows. A server that has lost its connection takes its row
over, with a new number.
"""

RENEW: Final = f"""
WITH written AS (
    UPDATE servers SET number = nextval('lease_numbers'), confirmed = %(known)s
    WHERE id = %(id)s AND number = %(number)s RETURNING number
)
{_LEAVE_TRACE}"""
"""Writes the row of a server for its next lease. It finds none if a writer has removed the row."""

REMOVE: Final = """
DELETE FROM servers WHERE id = (
    SELECT id FROM servers WHERE id = %(id)s AND number = %(number)s FOR UPDATE SKIP LOCKED
)
"""
"""Removes the row of a server, unless it has a new lease. It waits for no transaction: other writes wait behind it."""

THIS_PLACE: Final = """
SELECT system_identifier, ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint,
    (SELECT oid::bigint FROM pg_database WHERE datname = current_database())
FROM pg_control_system()
"""
"""Reads the system identifier and the timeline of a primary, and the number of the database. A replica refuses it: it
writes no log.
"""

LAST_LINE: Final = """
SELECT system, timeline, database, noted, began, xmin::text::bigint = noted & 4294967295 FROM primary_line
"""
"""Reads the primary that wrote last, and whether the row is the one that was noted, and not a copy from a dump.

`xmin` is the lower half of the number of the transaction that wrote the row. It stays when PostgreSQL freezes the row,
or moves it to another file (`VACUUM FULL`).
"""
LOCK_LINE: Final = "LOCK TABLE primary_line IN SHARE ROW EXCLUSIVE MODE"
_MILLISECONDS: Final = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

NOTE_LINE: Final = f"""
INSERT INTO primary_line VALUES (
    true, %s, %s, %s, pg_current_xact_id()::text::bigint, greatest(%s::bigint + 1, {_MILLISECONDS})
)
ON CONFLICT (single) DO UPDATE SET
    system = excluded.system, timeline = excluded.timeline, database = excluded.database, noted = excluded.noted,
    began = greatest(primary_line.began + 1, excluded.began)
RETURNING system, timeline, database, noted, began
"""
"""Notes the primary, later than a line that began then. It must not run in a subtransaction, whose number the row would
have.
"""

RAISE_EPOCHS: Final = f"""
UPDATE environments
SET epoch = greatest(epoch + 1, coalesce((%(above)s::jsonb ->> uuid)::bigint, 0) + 1, {_MILLISECONDS})
"""
"""Begins an epoch that no restored or promoted copy of this store had: of two copies, each has only its own past."""

RENEW_CREDENTIALS: Final = f"UPDATE credential_generation SET number = greatest(number + 1, {_MILLISECONDS})"
"""Makes each worker forget the credentials that it knows. A mere next number may be one that a worker has seen."""

FORGET_BUNDLES: Final = "DELETE FROM bundles"
FORGET_UNANSWERED: Final = "DELETE FROM unanswered"
"""They may have been answered after a dump was made, or after a replica had its last change."""
OTHER_NUMBER: Final = "floor(random() * 9007199254740992)::bigint"
"""The next number of a duty. It is random: by a sequence, a dump that is restored under a service would deadlock."""

FORGET_HOLDERS: Final = f"""
UPDATE duties SET holder = %(id)s, name = '', number = {OTHER_NUMBER}, lease = greatest(lease, %(lease)s)
"""
LONGEST_LEASE: Final = "SELECT max(lease) FROM servers"
FORGET_SERVERS: Final = "DELETE FROM servers"
FORGET_TRACES: Final = "DELETE FROM server_traces"
READ_IDENTITY: Final = "SELECT uuid_send(id) FROM store_identity"
READ_TRACE: Final = "SELECT number FROM server_traces WHERE id = %s"
ADD_UNKNOWN: Final = "INSERT INTO servers VALUES (%(id)s, nextval('lease_numbers'), -1, %(lease)s)"
