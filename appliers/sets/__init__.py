"""The case sets. Each module returns the cases of one set."""
