"""Search providers, one file each, behind one Protocol (`outcome.SearchBackend`)."""
