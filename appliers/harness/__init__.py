"""The harness of the benchmark: cases, sandboxes, judgements and reports."""
