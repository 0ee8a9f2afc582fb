"""The commands that work on a store, one module each. `opening` has their shared options and opens the store."""
