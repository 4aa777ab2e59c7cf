"""Values that cannot be wrong once built."""
