"""Progress reports on tau2-bench: one added block, and truth by replay. tau2 is optional."""
