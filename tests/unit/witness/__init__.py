"""The witness without processes: what facts mean."""
