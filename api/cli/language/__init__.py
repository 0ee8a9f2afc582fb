"""Commands for model documents as files: `writ fmt` and `writ convert`."""
