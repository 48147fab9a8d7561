//! From a path and an operation to a verdict and the rule that gave it.
