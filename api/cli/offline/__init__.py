"""Commands that need no store: they read model documents and bundle files, one module each."""
