"""The functions that the store's SQL uses and PostgreSQL lacks, and the triggers of the audit log.

They mean what SQLite's functions of these names mean, as far as the store asks. PostgreSQL inlines most of them.

PostgreSQL reads no JSON with U+0000, wherever it stands. So `json_written` first writes each text in the JSON as the
store writes texts (see `texts`). A text from the JSON then equals what the store writes for the same text.
"""

from typing import Final

FUNCTIONS: Final = (
    r"""CREATE FUNCTION json_written(body text) RETURNS json LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN position('\u000' IN body) = 0 THEN body ELSE regexp_replace(
        regexp_replace(body, '(?<!\\)((\\\\)*)\\u0001', '\1\\u0001\\u0002', 'g'),
        '(?<!\\)((\\\\)*)\\u0000', '\1\\u0001\\u0001', 'g'
    ) END::json""",
    """CREATE FUNCTION json_extract(body text, path text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN (json_written(body) #> string_to_array(substr(path, 3), '.')) #>> '{}'""",
    """CREATE FUNCTION json_type(body text, path text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN json_typeof(json_written(body) #> string_to_array(substr(path, 3), '.'))""",
    """CREATE FUNCTION json_array_length(body text) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN pg_catalog.json_array_length(json_written(body))::bigint""",
    """CREATE FUNCTION json_array_length(body text, path text) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN CASE json_type(body, path) WHEN 'array' THEN pg_catalog.json_array_length(
        json_written(body) #> string_to_array(substr(path, 3), '.')
    )::bigint END""",
    """CREATE FUNCTION json_each(body text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE
    BEGIN ATOMIC SELECT pg_catalog.json_array_elements_text(json_written(body)); END""",
    """CREATE FUNCTION json_each(body text, path text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE
    BEGIN ATOMIC
        SELECT pg_catalog.json_array_elements_text(json_written(body) #> string_to_array(substr(path, 3), '.'));
    END""",
    """CREATE FUNCTION instr(whole text, part text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
    $$ SELECT position(part IN whole)::bigint $$""",
    """CREATE FUNCTION instr(whole bytea, part bytea) RETURNS bigint LANGUAGE sql IMMUTABLE AS
    $$ SELECT position(part IN whole)::bigint $$""",
    """CREATE FUNCTION json_of_texts(texts text[]) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT array_to_json(texts)::text $$""",
    """CREATE AGGREGATE json_group_array(text) (
        SFUNC = array_append, STYPE = text[], INITCOND = '{}', FINALFUNC = json_of_texts
    )""",
)


def _trigger(name: str, event: str, condition: str) -> tuple[str, str]:
    refuse = f"IF {condition} THEN RAISE integrity_constraint_violation USING MESSAGE = 'the audit log only grows';"
    end = "IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW;"
    return (
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {refuse} END IF; {end} END $$",
        f"CREATE TRIGGER {name} BEFORE {event} ON audit FOR EACH ROW EXECUTE FUNCTION {name}()",
    )


_CHECKPOINT: Final = "(SELECT max(number) FROM audit_seals WHERE purpose = 'checkpoint')"

TRIGGERS: Final = {
    "audit_unchanged": _trigger("audit_unchanged", "UPDATE", "true"),
    "audit_grows": _trigger("audit_grows", "INSERT", "NEW.number <> coalesce((SELECT max(number) FROM audit), 0) + 1"),
    "audit_kept": _trigger("audit_kept", "DELETE", f"OLD.number > coalesce({_CHECKPOINT}, 0)"),
}
"""The statements of each trigger, by its name in the schema."""
