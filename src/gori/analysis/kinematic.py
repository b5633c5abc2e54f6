"""Kinematic analysis: positions, velocities and exact accelerations for given motions, without integration.

    Phi(q, t) = 0 by Newton's method,     J v = nu,     J a = -gamma

The equations of motions stand among those of the loops, so J has full column rank where the motions determine all.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gori.errors import ClosureError, InputError
from gori.model import Model, assemble, compile
from gori.record import Recording
from gori.sim.channels import add_channels
from gori.sim.progress import Progress
from gori.sim.trace import Trace
from gori.spec import Motion, Spec

WEAK = 1e-10
"""smallest singular value of J, by the largest, at which the motions still determine all"""


def kinematics(
    model: Model,
    times: Any,
    motions: Mapping[str, Any] | None = None,
    wrenches: Mapping[str, Any] | None = None,
    q: Any = None,
    progress: bool = True,
) -> Recording:
    """The motion that given motions of independent coordinates lead to, as a Recording with accelerations.

    times      (N,) [s], that do not decrease
    motions    {joint: value}, besides those of the Spec: a number, an expression of t, a table [[t, x], ...], or a
               gori.spec.Motion
    wrenches   {body or frame: (6,) or (N, 6)}: moments and forces on end effectors, world axes; they matter to the
               channels of drives and reactions
    q          rough pose at the first time; default: the start of the Spec

    Channels, besides those of every Recording: JOINT.a, BODY.acceleration, MOTION.drive (the torque or force that the
    motion takes), JOINT.reaction and CUT.reaction. A motion given here is called as its joint.
    """
    times = np.array(times, float, ndmin=1)
    if times.ndim != 1 or not len(times) or not np.isfinite(times).all() or (np.diff(times) < 0.0).any():
        raise InputError("times must be a one-dimensional array that does not decrease")
    model = with_motions(model, times, motions or {}, wrenches or {})
    system = model.loop_system
    if not model.spec.motions:
        raise InputError("kinematics needs motions: give motions={joint: 'expression of t'}, or motions in the Spec")
    place, rows = assemble(model, q, time=times[0]), []
    bar = Progress(progress, float(times[0]), float(times[-1]))
    v, a = np.zeros(model.nv), np.zeros(model.nv)
    try:
        for k, time in enumerate(times):
            if k > 0:  # from where the motion leads by itself
                h = time - times[k - 1]
                place = _follow(model, model.integrate(place, h * v + 0.5 * h * h * a), time)
            v = _determined(model, place, system.terms(place, None, time).slip, time)
            a = _determined(model, place, system.terms(place, v, time).gamma, time)
            rows.append((place, v, a))
            bar.move(float(time))
    finally:
        bar.close()
    states = [np.array([row[j] for row in rows]) for j in range(3)]
    recording = Recording(model, times, states[0], states[1], info={"analysis": "kinematics"})
    add_channels(recording, Trace(recording, accelerations=states[2]))
    return recording


def with_motions(model: Model, times: np.ndarray, motions: Mapping[str, Any], wrenches: Mapping[str, Any]) -> Model:
    """The Model with more motions and wrenches."""
    if not motions and not wrenches:
        return model
    data = model.spec.model_dump(exclude_unset=True)
    for name, value in motions.items():
        motion = {"joint": name, "value": value}
        if isinstance(value, Motion):
            motion = value.model_dump(exclude_unset=True)
        data.setdefault("motions", {})[name] = motion
    for name, value in wrenches.items():
        rows = np.array(value, float)
        if rows.shape not in ((6,), (len(times), 6)) or not np.isfinite(rows).all():
            raise InputError(f"the wrench on {name!r} must be 6 numbers, or {len(times)} rows of 6, not {rows.shape}")
        values: list = list(rows) if rows.ndim == 1 else [list(zip(times, column)) for column in rows.T]
        if rows.ndim == 2 and len(times) == 1:
            values = list(rows[0])
        force = {"type": "wrench", "body": name, "moment": values[:3], "force": values[3:]}
        data.setdefault("forces", {})[f"wrench on {name}".replace(" ", "_")] = force
    return compile(Spec(**data), model.open_loops)


def _follow(model: Model, guess: np.ndarray, time: float) -> np.ndarray:
    """q on the loops next to a good guess."""
    system = model.loop_system
    for _ in range(8):
        terms = system.terms(guess, time=time)
        if np.abs(terms.gap * system.row_scale).max() <= 1e-14:
            return guess
        step = np.linalg.lstsq(terms.J, -terms.gap, rcond=1e-12)[0]
        if np.abs(step / system.column_scale).max() > 0.3:
            break
        guess = model.integrate(guess, step)
        if np.abs(step / system.column_scale).max() <= 1e-15:
            return guess
    return assemble(model, guess, time=time)


def _determined(model: Model, q: np.ndarray, rest: np.ndarray, time: float) -> np.ndarray:
    """x with J x = -rest, if there is one and only one."""
    system = model.loop_system
    J = system.scaled(system.terms(q, time=time).J)
    x, _, _, values = np.linalg.lstsq(J, -rest * system.row_scale, rcond=None)
    if len(J) < model.nv or values[-1] <= WEAK * values[0]:
        about = model.mobility(q)
        if about.freedom:
            raise InputError(
                f"the motions do not determine all coordinates at t = {time:g} s: {about.freedom} degrees of freedom "
                f"are left ({', '.join(about.independent)}). Give motions to as many independent joints; or this is a "
                "singular pose, where the machine can move in more than one way"
            )
    left = np.abs(J @ x + rest * system.row_scale)
    if left.max() > 1e-7 * (1.0 + np.abs(x).max() + np.abs(rest * system.row_scale).max()):
        name = system.names[int(np.argmax(left))]
        raise ClosureError(
            f"the machine locks up at t = {time:g} s: {name} cannot follow the motions", name, left.max(), time
        )
    return x * system.column_scale
