"""Commands for model documents as files: `writ fmt`, `writ convert` and `writ rename`."""
