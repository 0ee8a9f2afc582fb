"""The three searches over HTTP: filters from the engine, results page by page from the store and the engine."""
