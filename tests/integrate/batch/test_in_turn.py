"""Machines that take turns in the arrays of one run."""

import numpy as np
import pytest

import gori
from gori.integrate.batch.in_turn import AT, BYTES, FROM, InTurn, load_row, run_in_turn, save_row
from gori.kernels.codes import NOT_FINITE, OK
from gori.kernels.tree.columns import MASS
from gori.sim.stepper import Stepper
from tests.plain import plain
from tests.sim.batch.machines import H, arm, pendulum, speeds

COUNT = 4
METHOD = gori.RK4(step=H)
"""which keeps nothing but the state and the clock"""


def simulation(model: gori.Model, v: np.ndarray | None = None) -> gori.Simulation:
    state = model.state() if v is None else model.state().replace(v=v)
    run = gori.Simulation(model, METHOD, state=state)
    run.stepper.plan_steps(1)
    return run


def job(stepper: Stepper, rows: np.ndarray, codes: np.ndarray, numbers=(), values=None) -> InTurn:
    """Rows: y, then the clock."""
    machine, data, memory, clock, y, samples, watch = stepper.arguments
    pieces = [(y.ctypes.data, y.nbytes, 0), (clock.ctypes.data, clock.nbytes, y.nbytes)]
    return InTurn(
        run=stepper.method.run.address, memory=memory.address, machine=machine, data=data, clock=clock, y=y,
        samples=samples, watch=watch, pieces=np.array(pieces), rows=rows.ctypes.data, width=rows.shape[1],
        numbers=np.array(numbers, np.int64), codes=codes,
        values=np.zeros((len(numbers), len(rows))) if values is None else values,
    )  # fmt: skip


def rows_of(stepper: Stepper) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of all machines, as the Stepper stands, and in them y and the clock."""
    y, clock = stepper.y, stepper.clock_record
    rows = np.zeros((COUNT, y.nbytes + clock.nbytes), np.uint8)
    ys, clocks = rows[:, : y.nbytes].view(np.float64), rows[:, y.nbytes :].view(clock.dtype)
    ys[:], clocks[:] = y, clock
    return rows, ys, clocks


def test_machines_are_as_simulations():
    model, v = arm(), speeds(arm(), COUNT)
    stepper = simulation(model).stepper
    rows, ys, clocks = rows_of(stepper)
    ys[:, model.nq : model.nq + model.nv] = v
    untouched, codes = rows[0].copy(), np.zeros(COUNT, np.int64)
    work = job(stepper, rows, codes)
    assert run_in_turn(work, 5, 1, 3) == 0 and run_in_turn(work, 6, 1, 3) == 0
    for k in (1, 2):
        alone = simulation(model, v[k])
        alone.step(11)
        assert np.array_equal(ys[k], alone.stepper.y)
        assert clocks[k]["time"][0] == alone.time and clocks[k]["steps_done"][0] == 11
    assert np.array_equal(rows[0], untouched) and clocks[3]["steps_done"][0] == 0


def test_those_that_fail_are_skipped_from_then_on():
    stepper = simulation(arm()).stepper
    rows, ys, clocks = rows_of(stepper)
    ys[2, 0] = np.nan
    codes = np.array([OK, NOT_FINITE, OK, OK])
    work, before = job(stepper, rows, codes), rows[1].copy()
    assert run_in_turn(work, 4, 0, COUNT) == 2
    assert codes[[0, 3]].tolist() == [OK, OK] and codes[2] != OK and np.array_equal(rows[1], before)
    assert clocks["steps_done"][:, 0].tolist() == [4, 0, 0, 4]
    ys[2] = ys[0]  # that alone does not bring it back
    assert run_in_turn(work, 1, 2, 3) == 1 and clocks["steps_done"][2, 0] == 0


def test_numbers_of_their_own_are_there_before_their_steps():
    model = pendulum()
    run = simulation(model)
    masses = run.stepper.machine.body_f[:, MASS:]
    values = np.array([1.0, 3.0, 0.5, 1.0])
    rows, ys, _ = rows_of(run.stepper)
    work = job(run.stepper, rows, np.zeros(COUNT, np.int64), [masses[1:].ctypes.data], values[None].copy())
    run_in_turn(work, 20, 0, COUNT)
    assert np.array_equal(ys[0], ys[3]) and len({y.tobytes() for y in ys}) == 3
    alone = simulation(model)
    alone.stepper.machine.body_f[1, MASS] = 3.0
    alone.step(20)
    assert np.array_equal(ys[1], alone.stepper.y)


def test_pieces_of_a_row():
    """In plain Python, with copies written down."""
    pieces = np.zeros((2, 3), np.int64)
    pieces[:, FROM], pieces[:, BYTES], pieces[:, AT] = (100, 200), (16, 8), (0, 16)
    copies = []
    instead = {"copy_bytes": lambda *copy: copies.append(tuple(int(x) for x in copy))}
    plain(load_row, instead)(pieces, 1000)
    plain(save_row, instead)(pieces, 1000)
    assert copies == [(100, 1000, 16), (200, 1016, 8), (1000, 100, 16), (1016, 200, 8)]


def test_a_bundle_needs_all_its_members():
    with pytest.raises(TypeError, match="InTurn: clock"):
        InTurn(run=0)
