"""Wheels at rest in any pose on hard ground: energy of the tyre, force and moment on the hub, without compiling."""

import numpy as np

from gori.kernels.vehicle import wheels as kernel
from gori.kernels.vehicle.state import CONTACT, WHEEL_OUTPUT, WHEEL_STATE
from gori.kernels.vehicle.tables import WHEEL
from gori.model.vehicle.terrain import terrain_tables
from gori.model.vehicle.tyre import tyre_row
from tests.kernels.vehicle.grounds import terrain
from tests.kernels.vehicle.tyres import FIALA
from tests.plain import plain, rows

R, RHO = FIALA.radius, 0.5 * FIALA.width
TYRE, STILL = rows(tyre_row(FIALA))[0], rows(WHEEL.zeros(1))[0]
DITCH = {"type": "step", "height": -0.4, "length": 0.9, "at": [0.0, -0.45], "yaw_deg": 90.0}


def ground(**options):
    tables = terrain_tables(terrain(**options))
    return tables._replace(terrain=rows(tables.terrain), feature=rows(tables.feature), area=rows(tables.area))


PLANE, SLOPE = ground(), ground(grade=[0.2, -0.15])
ALONG, ACROSS = ground(features={"a": DITCH}), ground(features={"a": DITCH | {"at": [-0.45, 0.0], "yaw_deg": 0.0}})
# a step rises over 1 mm
WALL = ground(features={"a": {"type": "step", "height": 0.6, "at": [0.0, 0.25], "yaw_deg": 90.0}})


def axis_at(camber, yaw=0.0):
    return np.array([np.sin(yaw) * np.cos(camber), np.cos(yaw) * np.cos(camber), np.sin(camber)])


def wrench(here, centre, axis):
    """Energy [J], force [N] and moment [N m] on the hub, and the contact."""
    contact, out = rows(CONTACT.zeros(1))[0], rows(WHEEL_OUTPUT.zeros(1))[0]
    contact.centre[:], contact.axis[:] = centre, np.array(axis) / np.linalg.norm(axis)
    plain(kernel.touch)(here, TYRE, contact)
    plain(kernel.press)(STILL, TYRE, rows(WHEEL_STATE.zeros(1))[0], (0.0, 0.0, 0.0), contact, out)
    return out.elastic, np.array(out.hub_force), np.array(out.hub_moment), contact
