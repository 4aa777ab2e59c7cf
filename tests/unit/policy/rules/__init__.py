"""One table of cases for each detector."""
