"""The local viewer of a study, and the pages of blind review."""
