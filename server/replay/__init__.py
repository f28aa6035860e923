"""Recorded sessions, run over again: read, asked of another model, repeated on a phone."""
