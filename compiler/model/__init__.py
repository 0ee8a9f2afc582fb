"""The model: the classes of its elements, generated ids, and the normal form that digests are made of."""
