"""Ways in which a patch silences or weakens a test: old side and new side compared as objects."""
