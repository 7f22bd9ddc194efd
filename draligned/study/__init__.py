"""The study folder: freeze, inventory, claims, log, ledger, resume, observation."""
