"""freezegate: a test may be frozen only on witnessed evidence that the patch did not write."""

__version__ = "0.1.0"
