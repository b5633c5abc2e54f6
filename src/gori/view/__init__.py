"""Pictures and films."""

from gori.view import particles
from gori.view.animate import animate, pictures
from gori.view.engine_map import engine_map
from gori.view.ground import ruts
from gori.view.skeleton import draw

__all__ = ["animate", "draw", "engine_map", "particles", "pictures", "ruts"]
