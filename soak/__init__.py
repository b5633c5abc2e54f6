"""Gori under bad conditions: wrong arguments, kills, signals, full disks."""
