"""One module a git hook: read its input, gather, decide, report, exit."""
