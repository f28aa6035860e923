"""A small shell in memory. It never runs a command of the host."""
