"""Harnesses: specs as values, the episode loop, tools, budgets, and the pair scheduler."""
