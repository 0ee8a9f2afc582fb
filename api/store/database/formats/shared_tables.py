"""The sharing of a store by servers of two formats: its tables, and what completes the rows of older servers."""

from typing import Final

SERVERS_AND_FORMATS: Final = """
CREATE TABLE server_formats (
    id text COLLATE "C" PRIMARY KEY,
    format bigint NOT NULL
);
CREATE TABLE store_expansion (
    format bigint NOT NULL,
    quiet_since timestamptz NOT NULL,
    observed timestamptz NOT NULL
);
"""
"""The newest format that each server knows, by its id in `servers`: an older one has no row. It is no column there,
since a change of that table would stop the leases of all servers for a moment.

`store_expansion` has one row while servers of two formats share the store: the `format` of the newer ones, the time
since when no older server has been seen, and when a newer one has last looked.
"""

EXPANSIONS: Final = "SELECT format FROM store_expansion"

NOTE_EXPANSION: Final = """
DELETE FROM store_expansion;
INSERT INTO store_expansion VALUES ({format}, now(), now());
"""

OLDER_SERVERS: Final = """
SELECT id, number, lease FROM servers
WHERE NOT EXISTS (SELECT 1 FROM server_formats AS f WHERE f.id = servers.id AND f.format >= ?)
"""
"""Lists the servers that don't know a format. The one that stands for unknown servers is among them."""

OBSERVE: Final = """
UPDATE store_expansion
SET quiet_since = CASE WHEN ? = 1 OR observed < now() - make_interval(secs => ?) THEN now() ELSE quiet_since END,
    observed = now()
RETURNING extract(epoch FROM now() - quiet_since)::double precision
"""
"""Notes that somebody has looked. The parameters are 1 if there are older servers, and the most seconds between two
looks. Returns the seconds for which none has been seen.
"""

END_EXPANSION: Final = (
    "UPDATE writ_format SET number = ?, least = ?",
    "DELETE FROM store_expansion WHERE format <= ?",
)

FORGET_FORMATS: Final = "DELETE FROM server_formats WHERE id NOT IN (SELECT id FROM servers)"

_NAMED: Final = ("roles", "groups", "subjects", "resources", "policies")

COMPLETE_NAMES: Final = r"""
CREATE FUNCTION complete_called() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE found text;
BEGIN
    IF NEW.called IS NOT NULL AND (TG_OP = 'INSERT' OR NEW.called IS DISTINCT FROM OLD.called) THEN
        RETURN NEW;
    END IF;
    IF TG_TABLE_NAME = 'subjects' THEN
        BEGIN
            IF json_type(convert_from(NEW.body, 'UTF8'), '$.attributes.name') = 'string' THEN
                found := json_extract(convert_from(NEW.body, 'UTF8'), '$.attributes.name');
            END IF;
        EXCEPTION WHEN OTHERS THEN
            found := NULL;
        END;
    ELSE
        found := NEW.name;
    END IF;
    NEW.called := substring(coalesce(found, NEW.id) FROM '^(?:\u0001.|[^\u0001]){0,64}');
    RETURN NEW;
END $$;
""" + "".join(
    f"""
CREATE TRIGGER complete_called BEFORE INSERT OR UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION complete_called();
UPDATE {table} SET called = NULL;
"""
    for table in _NAMED
)
"""Fills in what elements are called, as `Kind.values` does, also in each row that a server of the second format writes.

A write of a newer server names its own. The pattern takes a character that is written as two (see `texts`) as one.
"""

UNCOMPLETED_NAMES: Final = ("DROP FUNCTION complete_called() CASCADE",)
