"""Recorded sessions in the formats of other tools."""
