"""A single-wheel test rig: one wheel, pressed on by a given load, driven over soil at given speed and slip.

The wheel is lowered until the soil carries the load and starts rolling, first with one Newton step to the load at each
step, then in a carriage without mass on a slow dashpot, so that the mean soil force is the load. Speed matters only
through the slip: the soil has no rate of its own.
"""

import math
from typing import Any, NamedTuple

from numba import types

from gori.kernels.codes import OK
from gori.kernels.jit import kernel, part
from gori.kernels.layout import field, record
from gori.kernels.vehicle.patch import soft_wheel
from gori.kernels.vehicle.state import CELL, CONTACT, FOOTPRINT, PATCH, PLACE, WHEEL_STATE
from gori.kernels.vehicle.tables import AREA, FEATURE, SOIL, TERRAIN, TYRE, Ground

RIG = record(
    "Rig",
    field("deflection", "m", "of the tyre"),
    field("load", "N", ""),
    field("speed", "m/s", "along x"),
    field("angular_velocity", "rad/s", "of the wheel"),
    field("yaw", "rad", "heading right of x"),
    field("start", "m", "position along x at the start"),
    field("settle", "", "steps before the measurement", dtype="i8"),
    field("measure", "", "steps of the measurement", dtype="i8"),
    field("step", "s", ""),
)
RIG_RESULT = record(
    "RigResult",
    field("pull", "N", "force along the heading; means over the measurement"),
    field("side", "N", "force along the axle"),
    field("torque", "N m", "that drives the wheel"),
    field("sinkage", "m", ""),
    field("area", "m2", "of contact"),
    field("aligning", "N m", "moment about the vertical"),
    field("ripple", "N", "standard deviation of the pull"),
    field("load", "N", "vertical force of the soil"),
)


class RigWork(NamedTuple):
    """One row each of what a wheel keeps and computes."""

    wheel: Any
    contact: Any
    footprint: Any
    patch: Any


ground_type = types.NamedTuple(
    [
        TERRAIN.type[::1], FEATURE.type[::1], AREA.type[::1], types.float64[::1], SOIL.type[::1], CELL.type[::1],
        PLACE.type[::1], types.int64[::1],
    ],
    Ground,
)  # fmt: skip
work_type = types.NamedTuple([WHEEL_STATE.type[::1], CONTACT.type[::1], FOOTPRINT.type[::1], PATCH.type[::1]], RigWork)

SLOW = 4.0
"""stiffness of the carriage's dashpot over a step, by that of the soil that comes back"""


@part
def rise(load, radius, dashpot, patch):
    """How far the wheel should rise in this step [m], at most a fiftieth of its radius.

    dashpot   [N/m] over one step: with it the mean of the soil's force is the load; 0: Newton's step to the load
    """
    gap = patch.force[2] - load
    slope = max(dashpot, patch.k_up) if dashpot > 0.0 else patch.k_up if gap > 0.0 else patch.k_down
    most = 0.02 * radius
    if slope * most <= abs(gap):
        return most if gap > 0.0 else -most
    return gap / slope


@kernel(types.int64(ground_type, TYRE.type[::1], RIG.type[::1], work_type, RIG_RESULT.type[::1]))
def run_rig(ground, tyres, rigs, work, results):
    """One wheel over the same track as often as there are results. Returns the code of `soft_wheel`.

    tyres   (1,) of no stiffness: its deflection is held
    rigs    (1,) the experiment
    """
    tyre, rig = tyres[0], rigs[0]
    wheel, contact, patch = work.wheel[0], work.contact[0], work.patch[0]
    radius, dt, settle = tyre.radius, rig.step, rig.settle
    ahead, right = math.cos(rig.yaw), math.sin(rig.yaw)
    contact.axis[0], contact.axis[1] = right, ahead
    t, wheel.deflection = 0.0, rig.deflection
    for n in range(results.shape[0]):
        out = results[n]
        x, z, squares, dashpot = rig.start, radius - rig.deflection, 0.0, 0.0
        t += 10.0 * dt  # no contact of the last pass goes on
        for i in range(-200, settle + rig.measure):
            # at first it is only lowered
            v, omega = (rig.speed, rig.angular_velocity) if i >= 0 else (0.0, 0.0)
            t += dt
            x += v * dt
            contact.centre[0], contact.centre[2], contact.velocity[0] = x, z, v
            code = soft_wheel(ground, tyre, wheel, contact, omega, t, dt, 1, work.footprint[0], patch)
            if code != OK:
                return code
            if i >= settle:
                pull = patch.force[0] * ahead - patch.force[1] * right
                out.pull += pull
                out.side += patch.force[0] * right + patch.force[1] * ahead
                out.torque -= patch.torque
                out.sinkage += patch.sinkage
                out.area += patch.area
                out.load += patch.force[2]
                out.aligning += patch.moment[2]
                squares += pull * pull
            if i == settle // 2:
                dashpot = SLOW * patch.k_up
            z += rise(rig.load, radius, dashpot, patch)
        count = rig.measure
        out.pull, out.side, out.torque, out.sinkage = (
            out.pull / count, out.side / count, out.torque / count, out.sinkage / count
        )  # fmt: skip
        out.area, out.load, out.aligning = out.area / count, out.load / count, out.aligning / count
        out.ripple = math.sqrt(max(0.0, squares / count - out.pull * out.pull))
    return OK
