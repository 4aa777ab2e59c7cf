"""Unit tests of the hooks."""
