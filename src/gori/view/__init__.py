"""Pictures and films."""

from gori.view.animate import animate, pictures
from gori.view.skeleton import draw

__all__ = ["animate", "draw", "pictures"]
