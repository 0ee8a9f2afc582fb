"""Where records go: a file, standard output, or a collector over HTTP. `sink` says what all of them have."""
