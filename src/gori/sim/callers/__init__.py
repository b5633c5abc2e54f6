"""Who calls a Simulation, and how: one at a time, with Ctrl-C, in copies and other processes, by mistake."""
