"""A file workspace for one episode, in a process of its own without network (DR-23, DR-37)."""
