"""Vehicles at the start of a run, from Python."""

from numba import types

from gori.kernels.jit import call_at, kernel, part
from gori.kernels.machine import START, data_type, machine_type
from gori.kernels.tree.columns import NQ
from gori.kernels.tree.kinematics import place, positions, velocities
from gori.kernels.vehicle.vehicle import stand, start


@part
def put_bodies(machine, data, y):
    """Poses and velocities of the bodies at y. Returns q and v."""
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    q, v = y[:nq], y[nq : nq + nv]
    place(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)
    positions(machine.body_i, data.body_w)
    velocities(machine.body_i, v, data.body_w, data.dof_w)
    return q, v


@part
def start_one(machine, data, t, y):
    """The same as `start_vehicles` for one machine among many, without the rest of the kernel of vehicles."""
    q, v = put_bodies(machine, data, y)
    code = start(machine, data, t)
    stand(data, q, v)
    return code


@kernel(types.int64(machine_type, data_type, types.float64, types.float64[::1]))
def start_vehicles(machine, data, t, y):
    """Initialise wheels and drive trains at time t, with the bodies at y. Returns a result code."""
    q, v = put_bodies(machine, data, y)
    return call_at(machine.vehicle, machine, data, t, q, v, START)
