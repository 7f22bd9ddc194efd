"""A live agent in the scenarios, under a gate, with a store that rejects invalid calls."""
