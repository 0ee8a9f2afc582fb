"""The service put together: the application (`app`), its `routes/`, its `upkeep/` and its access log and traces
(`observing/`).
"""
