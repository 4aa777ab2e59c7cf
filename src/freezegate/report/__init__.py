"""A verdict as people and programs read it."""
