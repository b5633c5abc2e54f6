"""Wheels, drive trains, steering, soil and terrain of a Model, compiled."""
