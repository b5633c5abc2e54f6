"""Many machines at once: one thread of a GPU for each, or one after the other on a CPU."""
