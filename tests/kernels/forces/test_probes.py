"""Readings of bodies and frames, for signals of forces and events."""

import numpy as np

import gori
from gori.kernels.forces.probes import N_READINGS, READINGS, read_probes
from gori.kernels.tree.kinematics import place, positions, velocities
from gori.model.machine import machine_of
from gori.model.signals import probe_table, readings
from gori.spec import expression
from tests.checks import arm, close, machine
from tests.plain import plain, rows
from tests.reference import dynamics as dyn
from tests.reference.random_spec import random_state


def test_names_are_those_of_expressions_and_channels():
    assert READINGS == expression.READINGS and len(READINGS) == N_READINGS
    rec = gori.Simulation(gori.compile(arm())).run(0.01, progress=False)
    for name in READINGS:
        assert rec[f"tool.{name}"].shape == (len(rec),)


def test_readings_are_poses_and_velocities():
    model, tree = machine(3, n=5)
    q, v, _ = random_state(np.random.default_rng(3), tree)
    frames = [*model.body_names, "f0", "f1"]
    own, data = machine_of(model)
    plain(place)(own.body_i, own.body_f, q, data.body_w, data.dof_w)
    plain(positions)(own.body_i, data.body_w)
    plain(velocities)(own.body_i, v, data.body_w, data.dof_w)
    out = np.zeros(len(frames) * N_READINGS)
    plain(read_probes)(rows(probe_table(model, frames)), data.body_w, out)
    close(out, readings(model, frames, q, v), 1e-12)
    for name, row in zip(frames, out.reshape(-1, N_READINGS), strict=True):
        w, u = np.split(dyn.jacobian(tree, q, name) @ v, 2)
        close(row, [*dyn.poses(tree, q)[name][:3, 3], *u, *w], 1e-12)
