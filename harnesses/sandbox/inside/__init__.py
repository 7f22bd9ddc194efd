"""What runs within the sandbox: standard library only, and as little of it as will do."""
