"""The ledger as a file: locked, atomic append."""
