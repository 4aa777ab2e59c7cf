"""Formats: bytes to values, each trick refused at its place."""
