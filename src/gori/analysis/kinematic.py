"""Kinematic analysis: positions, velocities and exact accelerations for given motions, without integration.

    Phi(q, t) = 0 by Newton's method,     J v = nu,     J a = -gamma

The equations of motions stand among those of the loops, so J has full column rank where the motions determine all.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gori.analysis.instant import first_instant, move
from gori.errors import ClosureError, InputError
from gori.model import Model, compile
from gori.model.arrays import numbers_of
from gori.model.model import require_model
from gori.record import Recording
from gori.sim.channels import add_channels
from gori.sim.progress import Progress
from gori.sim.trace import Trace
from gori.spec import Motion, Spec


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

    Where the motions ask for more than the loops allow a ClosureError tells when; its `recording` holds what was found
    until then.

    Channels, besides those of every Recording: JOINT.a, BODY.acceleration, MOTION.drive (the torque or force that the
    motion takes), JOINT.reaction and CUT.reaction. A motion given here is called as its joint.
    """
    require_model(model)
    times = numbers_of(times, "times", least=1)
    if times.ndim != 1 or not len(times) or not np.isfinite(times).all() or (np.diff(times) < 0.0).any():
        raise InputError("times must be a one-dimensional array that does not decrease")
    for name, given in (("motions", motions), ("wrenches", wrenches)):
        if not isinstance(given, Mapping | None) or not all(isinstance(key, str) for key in given or ()):
            raise InputError(f"{name} must be a dict by names, not {given!r:.100}")
    model = with_motions(model, times, motions or {}, wrenches or {})
    if not model.spec.motions:
        raise InputError("kinematics needs motions: give motions={joint: 'expression of t'}, or motions in the Spec")
    here, rows = first_instant(model, q, float(times[0])), []
    bar, failure = Progress(progress, float(times[0]), float(times[-1])), None
    try:
        for time in times:
            here = move(model, here, float(time))
            rows.append(here)
            bar.move(float(time))
    except ClosureError as error:
        if not rows:
            raise
        failure = error
    finally:
        bar.close()
    states = [np.array([row[j] for row in rows]) for j in range(1, 4)]
    recording = Recording(model, times[: len(rows)], states[0], states[1], info={"analysis": "kinematics"})
    add_channels(recording, Trace(recording, accelerations=states[2]))
    if failure is not None:
        failure.recording = recording
        raise failure
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
        rows = numbers_of(value, f"the wrench on {name!r}")
        if rows.shape not in ((6,), (len(times), 6)) or not np.isfinite(rows).all():
            raise InputError(f"the wrench on {name!r} must be 6 numbers, or {len(times)} rows of 6, not {rows.shape}")
        values: list = list(rows) if rows.ndim == 1 else [list(zip(times, column)) for column in rows.T]
        if rows.ndim == 2 and len(times) == 1:
            values = list(rows[0])
        force = {"type": "wrench", "body": name, "moment": values[:3], "force": values[3:]}
        data.setdefault("forces", {})[f"wrench on {name}".replace(" ", "_")] = force
    return compile(Spec(**data), model.open_loops)
