"""What code in a workspace may try, and how each try must end; needs no test framework."""
