"""The tables of vehicles and their ground, compiled once: wheels, tyres, drive trains, steering, drag, terrain, soil.

Rows are in the frame of the body that carries them. Maps and fields of any length are in one flat array, `curve`;
a row knows where they begin there, and how long they are.
"""

from typing import Any, NamedTuple

import numpy as np

from gori.kernels.layout import field, record
from gori.kernels.vehicle.magic import N_MAGIC
from gori.kernels.vehicle.state import PLACE

WHEEL = record(
    "Wheel",
    field("carrier", "", "row of the body that carries the wheel", dtype="i8"),
    field("tyre", "", "row of its tyre", dtype="i8"),
    field("train", "", "its drive train, or -1", dtype="i8"),
    field("hub", "m", "centre of the wheel in the carrier's row", shape=3),
    field("axis", "", "of rotation, to the left, in the carrier's row", shape=3),
    field("inertia", "kg m2", "about the axis"),
    field("brake", "N m", "torque of its brake at full pedal, where it has no drive train"),
    field("driver", "", "row of the driver whose pedal that is, or -1", dtype="i8"),
)

MOST_POINTS = 10
"""points that the load table of a tyre may have"""
FIALA, MAGIC = 0, 1

TYRE = record(
    "Tyre",
    field("kind", "", "FIALA or MAGIC", dtype="i8"),
    field("radius", "m", "unloaded"),
    field("width", "m", "of the tread"),
    field("rim", "m", "radius of the rim: the tyre gives way up to it"),
    field("stiffness", "N/m", "vertical, where there is no load table"),
    field("damping", "N s/m", "vertical"),
    field("sigma_x", "m", "relaxation length forward, 0: that of the Magic Formula"),
    field("sigma_y", "m", "relaxation length to the side, 0: that of the Magic Formula"),
    field("rolling", "", "rolling resistance coefficient"),
    field("reference_friction", "", "friction coefficient of the ground that the data are for"),
    field("standstill_damping", "", "damping ratio at standstill"),
    field("mirror", "", "-1 for a tyre on the other side than its data, else 1"),
    field("roll_part", "", "part of the depth that shortens the rolling radius; negative: formula of a .tir file"),
    field("points", "", "of the load table, 0: linear", dtype="i8"),
    field("depths", "m", "of the load table; it begins at (0, 0), which is not stored", shape=MOST_POINTS),
    field("loads", "N", "of the load table", shape=MOST_POINTS),
    field("slip_stiffness", "N", "Fiala"),
    field("cornering_stiffness", "N/rad", "Fiala"),
    field("friction_min", "", "Fiala: friction coefficient of full sliding"),
    field("friction_max", "", "Fiala: friction coefficient without sliding"),
    field("magic", "", "coefficients of the Magic Formula, in the columns of `magic.py`", shape=N_MAGIC),
)

TRAIN = record(
    "Train",
    field("first_wheel", "", "row of its first wheel; its wheels follow each other", dtype="i8"),
    field("wheels", "", "number of its wheels, two for each axle", dtype="i8"),
    field("first_axle", "", "row of its first axle", dtype="i8"),
    field("chassis", "", "row of the body that takes the reaction of the half shafts", dtype="i8"),
    field("driver", "", "row of its driver", dtype="i8"),
    field("gears", "", "number of forward gears", dtype="i8"),
    field("centre_locked", "", "1: the centre differential is always locked", dtype="i8"),
    field("low_locks", "", "1: the centre differential is locked in the low range", dtype="i8"),
    field("map", "", "of the engine in `curve`: speeds, throttles, torques row by row of throttle", dtype="i8"),
    field("speeds", "", "of the map", dtype="i8"),
    field("throttles", "", "of the map", dtype="i8"),
    field("converter", "", "in `curve`: speed ratios, 1 / K^2, torque ratios", dtype="i8"),
    field("ratios", "", "number of speed ratios of the converter", dtype="i8"),
    field("up", "", "in `curve`: throttles, then turbine speeds of shifting up", dtype="i8"),
    field("ups", "", "points of shifting up", dtype="i8"),
    field("down", "", "in `curve`: throttles, then turbine speeds of shifting down", dtype="i8"),
    field("downs", "", "points of shifting down", dtype="i8"),
    field("gear", "", "in `curve`: ratios of reverse, first, second, ...", dtype="i8"),
    field("gear_efficiency", "", "of the gearbox"),
    field("engine_inertia", "kg m2", "with the pump"),
    field("lowest", "rad/s", "speed below which the engine is held"),
    field("idle", "rad/s", "upper end of the idle governor"),
    field("idle_gain", "s/rad", "throttle by speed of the idle governor"),
    field("cut", "rad/s", "speed of full cut-off"),
    field("cut_gain", "s/rad", "throttle by speed of the governor"),
    field("lag", "s", "from the pedal to the engine"),
    field("turbine_inertia", "kg m2", ""),
    field("prop_inertia", "kg m2", "of the propeller shafts, seen from the wheels"),
    field("final", "", "ratio of final drive and hubs"),
    field("hub", "", "ratio of the hubs"),
    field("high", "", "ratio of the transfer case"),
    field("low", "", "ratio of the transfer case"),
    field("efficiency", "", "of transfer case, final drive and hubs"),
    field("hub_efficiency", "", ""),
    field("clutch", "N m", "capacity of the gearbox's clutch"),
    field("release", "s", "time in which the clutch opens"),
    field("shift_time", "s", "of a change of gear"),
    field("dwell", "s", "least time between changes of the automatic"),
    field("overspeed", "rad/s", "turbine speed that no shift may lead to"),
    field("change_speed", "rad/s", "speed of the carrier below which the transfer case changes"),
    field("slow", "rad/s", "turbine speed below which the losses of gears fade out"),
)

AXLE = record(
    "Axle",
    field("share", "", "of the torque"),
    field("locked", "", "1: the differential is locked", dtype="i8"),
    field("inverse", "1/(kg m2)", "1 over the inertia of both wheels"),
    field("wheel_inertia", "kg m2", "of each wheel, left and right", shape=2),
    field("inertia", "kg m2", "of each wheel with its half shaft, seen from the wheel", shape=2),
    field("inverse_inertia", "1/(kg m2)", "1 over that", shape=2),
    field("brake", "N m", "torque of each brake at full pedal", shape=2),
)

STEER = record(
    "Steer",
    field("driver", "", "row of its driver", dtype="i8"),
    field("dof", "", "of the rack in v", dtype="i8"),
    field("coordinate", "", "of the rack in q", dtype="i8"),
    field("travel", "m", "of the rack for a full turn of the wheel"),
    field("stiffness", "N/m", "of the spring that leads the rack"),
    field("damping", "N s/m", "of the damper beside it"),
)

DRAG = record(
    "Drag",
    field("body", "", "row of the body", dtype="i8"),
    field("point", "m", "where it acts, in the body's row", shape=3),
    field("factor", "kg/m", "half of density times area times coefficient"),
)

TERRAIN = record(
    "Terrain",
    field("point", "m", "of the plane", shape=3),
    field("grade", "", "dh/dx and dh/dy of the plane", shape=2),
    field("friction", "", "coefficient where no area has another"),
    field("nx", "", "values of the height field along x, 0: no field", dtype="i8"),
    field("ny", "", "values of the height field along y", dtype="i8"),
    field("heights", "", "of the field in `curve`, by rows of y", dtype="i8"),
    field("corner", "m", "first value of the field", shape=2),
    field("cell", "m", "distances between values of the field", shape=2),
)

TRAPEZOID, SINE = 0, 1

FEATURE = record(
    "Feature",
    field("kind", "", "TRAPEZOID or SINE", dtype="i8"),
    field("x", "m", "where it begins"),
    field("y", "m", "where it begins"),
    field("cos", "", "of its yaw angle"),
    field("sin", "", "of its yaw angle"),
    field("half_width", "m", ""),
    field("height", "m", ""),
    field("up", "m", "length of the rise"),
    field("top", "m", "length of the level part; of a SINE the whole length"),
    field("down", "m", "length of the fall"),
)

AREA = record(
    "Area",
    field("x", "m", "centre of an area with friction of its own"),
    field("y", "m", "centre"),
    field("cos", "", "of its yaw angle"),
    field("sin", "", "of its yaw angle"),
    field("half_length", "m", ""),
    field("half_width", "m", ""),
    field("friction", "", "coefficient"),
)

EXPONENTIAL, BEKKER = 0, 1

SOIL = record(
    "Soil",
    field("kind", "", "EXPONENTIAL or BEKKER", dtype="i8"),
    field("p0", "Pa", "EXPONENTIAL"),
    field("k1", "1/m", "EXPONENTIAL"),
    field("k2", "1/m", "EXPONENTIAL"),
    field("kc", "N/m^(n+1)", "BEKKER"),
    field("kphi", "N/m^(n+2)", "BEKKER"),
    field("exponent", "", "BEKKER"),
    field("rebound", "", "share of the largest sinkage that comes back"),
    field("cohesion", "Pa", ""),
    field("tan_phi", "", "tangent of the angle of friction"),
    field("shear_length", "m", ""),
    field("share", "", "of the strength that remains behind the hump"),
    field("hump", "", "0: none"),
    field("c0", "m^(1-c2)", "slip sinkage"),
    field("c1", "", "slip sinkage: exponent of the pressure"),
    field("c2", "", "slip sinkage: exponent of the slip path"),
    field("p_crit", "Pa", "slip sinkage"),
    field("x0", "m", "lower corner of the grid"),
    field("y0", "m", "lower corner of the grid"),
    field("cell", "m", "side of a cell"),
    field("nx", "", "cells along x", dtype="i8"),
    field("ny", "", "cells along y", dtype="i8"),
    field("wx", "", "cells along x that there is room for (`window.py`); as many as nx: all", dtype="i8"),
    field("wy", "", "cells along y, likewise", dtype="i8"),
)


WHOLE_GRID, NONE_FORGOTTEN = PLACE.zeros(0), np.zeros(0, np.int64)
"""window and count of ground that is remembered as a whole"""


class Ground(NamedTuple):
    """What a wheel may roll on. `soil` and `cells` are empty on hard ground, `window` and `forgotten` also where there
    is room for the whole grid.
    """

    terrain: Any
    feature: Any
    area: Any
    curve: Any
    soil: Any
    cells: Any
    window: Any = WHOLE_GRID
    forgotten: Any = NONE_FORGOTTEN
