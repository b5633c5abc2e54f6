"""Rigid impacts by events: gaps that are watched, and contacts that rest."""
