"""Witness runs of real pytest in real processes."""
