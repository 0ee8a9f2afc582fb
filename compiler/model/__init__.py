"""The model: the classes of its elements, generated ids, and the normal form, from which digests are computed."""
