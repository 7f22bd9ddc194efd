"""Frozen records: everything that touches the disk or a model."""
