"""Whole tasks: handed over, watched, answered, held, stopped."""
