"""Bytes to values and back, strict both ways."""
