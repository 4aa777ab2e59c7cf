"""What an oracle resolves to: everything that decides its answer, over trees, no code run."""
