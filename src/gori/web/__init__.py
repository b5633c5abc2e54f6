"""The viewer in a browser: files, servers, notebooks, pictures. Names are imported when they are first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gori.web.drawings import Drawings
    from gori.web.export import to_html
    from gori.web.film import Film
    from gori.web.gltf import to_gltf
    from gori.web.notebook import widget
    from gori.web.render import to_picture
    from gori.web.scene import Scene
    from gori.web.usd import to_usd

_HOMES = {
    "Drawings": "drawings", "Film": "film", "Scene": "scene", "to_gltf": "gltf", "to_html": "export",
    "to_picture": "render", "to_usd": "usd", "widget": "notebook",
}  # fmt: skip

__all__ = ["Drawings", "Film", "Scene", "to_gltf", "to_html", "to_picture", "to_usd", "widget"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gori.web' has no attribute {name!r}")
    value = getattr(import_module(f"gori.web.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
