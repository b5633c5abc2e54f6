"""Wheels, soil and drive trains: what acts between a vehicle's bodies and the ground."""
