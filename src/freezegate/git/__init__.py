"""The only door to pygit2: what the repository holds, as facts."""
