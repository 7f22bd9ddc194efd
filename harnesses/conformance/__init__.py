"""Rules that any harness must pass, built-in or a user's; run by `draligned harness check`."""
