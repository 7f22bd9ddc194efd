"""Tasks, personas, kinds and relevance rows written for this project."""
