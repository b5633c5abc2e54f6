"""Contact between bodies in a run."""
