"""The embedded store: the stored model, its change log and its environments in one SQLite database; all SQL is here."""
