"""Helper programs of other people's clients, as they run on a phone."""
