"""Pictures."""

from gori.view.skeleton import draw

__all__ = ["draw"]
