"""Reading requests and writing answers: bodies, limits, paths, request ids, entity tags, queries."""
