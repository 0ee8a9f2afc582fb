"""The settings: the one table of `WRIT_` variables, and how their texts are read."""
