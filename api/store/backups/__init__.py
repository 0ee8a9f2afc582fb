"""Backups of the store in one file: `backup` copies and restores it, and `last_backup` remembers when."""
