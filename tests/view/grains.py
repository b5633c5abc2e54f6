"""Grains in a tray, for pictures."""

import numpy as np

from gori.spec import Body, Joint, Spec


def tray() -> Spec:
    shapes = {"bin": {"type": "box", "size": (2.0, 1.0, 0.5), "at": (0.0, 0.0, 0.25)}}
    body = Body(mass=1.0, inertia=(1, 1, 1), shapes=shapes)
    return Spec(bodies={"tray": body}, joints={"shaker": Joint(type="prismatic", parent="ground", child="tray")})


def column_and_row(camera, point):
    x, y, _ = camera.see(np.array([point]))[0]
    return int((x - camera.low[0]) * camera.scale), int((camera.high[1] - y) * camera.scale)
