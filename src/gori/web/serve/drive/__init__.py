"""Driving a vehicle in a browser: courses, pedals, a process that simulates in real time, and its session."""
