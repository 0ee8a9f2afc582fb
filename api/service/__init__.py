"""The service put together: the application, its routes, its upkeep and what observes it."""
