"""The sinks of records: a `file`, standard output (`stream`), or a `collector` over HTTP. `sink` is their interface."""
