"""The service put together: what both servers share (`server_program`), the application (`app`) and its start
(`start`), its `routes/`, its `upkeep/`, its registry of `jobs`, and its access log and traces (`observing/`).
"""
