"""A description with grains, for tests: a tray on a slide, filled."""

from typing import Any

from gori.spec import Spec

MATERIALS = {"steel": {"E": 2.1e11, "nu": 0.3}, "grain": {"E": 1e8, "nu": 0.25, "density": 2500}}
CONTACTS = {
    "grain/grain": {"restitution": 0.5, "friction": 0.4},
    "steel/grain": {"restitution": 0.6, "friction": 0.3},
}
BIN = {"type": "box", "size": [0.5, 0.3, 0.3], "hollow": True, "material": "steel"}
TRAY = {"mass": 20, "inertia": [1, 1, 1], "shapes": {"bin": BIN}}
SLIDE = {"type": "prismatic", "parent": "ground", "child": "tray", "axis": [1, 0, 0]}
LOAD = {"material": "grain", "radius": 0.01, "fill": {"shape": "tray.bin", "count": 50}}
BOX = {"at": [0, 0, 1], "size": [0.2, 0.2, 0.1]}


def data(**more: Any) -> dict[str, Any]:
    """Plain data of the tray, with sections replaced."""
    parts = {"materials": MATERIALS, "contacts": CONTACTS, "bodies": {"tray": TRAY}, "joints": {"slide": SLIDE}}
    return parts | {"particles": {"load": LOAD}} | more


def tray(**more: Any) -> Spec:
    """The tray, with sections replaced."""
    return Spec(**data(**more))
