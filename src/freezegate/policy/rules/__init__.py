"""One rule a module: facts in, findings out."""
