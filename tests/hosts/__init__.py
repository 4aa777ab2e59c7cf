"""Pushes through real servers on loopback; `make test-hosts` runs them, `make test` does not."""
