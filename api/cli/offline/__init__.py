"""The commands that need no store, one module each. They read model documents and bundle files."""
