"""PDR-Bench reading, eligible fields, factor cards, review, conditions (DESIGN §5)."""
