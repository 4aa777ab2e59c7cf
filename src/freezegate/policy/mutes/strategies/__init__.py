"""What Hypothesis draws for a test, and where it draws less than before."""
