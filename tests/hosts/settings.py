"""The settings of every host here, with time enough for a machine that does much else."""

SETTINGS = """\
version = 1
protected = ["refs/heads/main", "refs/heads/release/*"]

[parents]
"refs/heads/release/*" = "refs/heads/main"

[limits]
wall_s = 60
cpu_s = 30
"""
