"""The storage seam: get, put_if_absent, list, append."""
