"""The SQLite database: connections, schema and migrations, and files that only their owner may read."""
