"""Force elements, signals, and the sum of all forces."""
