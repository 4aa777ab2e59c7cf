"""What a function checks, how strictly, and whether the checks are ever reached."""
