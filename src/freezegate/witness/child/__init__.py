"""What runs inside the child process, and reads what it is told from a file.

The interpreter is that of the guarded project, which may know neither freezegate nor a new Python:
standard library and pytest alone, Python 3.8 and later, and no name of freezegate's to import.
`bundle.py` makes one program of these modules.

What they cannot see: code under test shares the process, and could forge the result by looking for
it in memory. That is left to the domain and to `mute.harness`; this catches what happens by
accident and by the usual hooks.
"""
