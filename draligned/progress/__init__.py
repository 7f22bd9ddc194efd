"""StageIF: whether an agent's own progress report can be trusted at every stage of a task."""
