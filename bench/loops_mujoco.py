"""MuJoCo beside Gori: the mechanisms of `bench/mechanisms.py`, with their loops closed by equality constraints.

A cut is a point on each side that must coincide (`connect`), a hinge in space two points on its axis. The constraints
are as hard as MuJoCo makes them: impedance 0.9999, the largest, and a time constant of a few steps, without its guard
(refsafe) that allows no less than two. The problem of the constraints is quadratic, so one Newton iteration solves it.

Euler is MuJoCo's semi-implicit method, a quarter as dear a step as RK4 and faster in the rows of squares, where its
error happens to be small; elsewhere RK4 is as fast or faster. implicitfast does as Euler, and worse on the platform.
Tried, and no faster: other solvers and Jacobians than the default, other time constants; softer impedance is worse.
"""

import time

import numpy as np

import gori
from bench.mechanisms import CASES, planar
from bench.mujoco_peer import Peer, mujoco

INTEGRATORS = {"four_bar": "Euler", "n_four_bar_40": "Euler", "andrews": "RK4", "bricard": "RK4", "stewart": "RK4"}
_TIME_CONSTANT = {"Euler": 3.0, "RK4": 1.5}
"""of the constraints, in steps"""

# a run that fails is seen by its result: no words, no log file
mujoco.set_mju_user_warning(lambda _: None)


def run(name: str, step: float) -> tuple[np.ndarray, float]:
    """Position (3,) of the case's point at the end, not finite if the run failed; seconds of the steps alone."""
    case = CASES[name]
    model = gori.compile(points_for_hinges(case.make()), open_loops=True)
    peer = Peer(model, step, INTEGRATORS[name], *closing(model.spec, _TIME_CONSTANT[INTEGRATORS[name]] * step))
    for force in model.spec.forces.values():
        if force.type == "torque":
            peer.data.qfrc_applied[peer.model.joint(force.joint).dofadr[0]] = force.value
    start = time.perf_counter()
    peer.run(round(case.duration / step))
    seconds = time.perf_counter() - start
    q = model.q0
    for info in model.joints:
        q[info.q] = peer.q(info.name)
    if peer.data.warning.number.any() or not np.isfinite(q).all():
        return np.full(3, np.nan), seconds
    return model.forward_kinematics(q)[case.point][:3, 3], seconds


def points_for_hinges(spec: gori.Spec) -> gori.Spec:
    """The same with every cut spherical: in the plane a point does for a hinge, in space two on its axis."""
    cuts = {}
    for name, cut in spec.cuts.items():
        places = {name: 0.0} if cut.type == "spherical" or planar(spec) else {name: 0.0, f"{name}_2": 0.5}
        for place, along in places.items():
            (R, p), (R_child, p_child) = cut.pose(), cut.child_pose()
            axis = along * np.array(cut.axis)
            cuts[place] = gori.spec.Cut(
                type="spherical", parent=cut.parent, child=cut.child, at=p + R @ axis, child_at=p_child + R_child @ axis
            )
    return gori.Spec(**{**spec.model_dump(exclude_unset=True), "cuts": cuts})


def closing(spec: gori.Spec, time_constant: float) -> tuple[str, str, str]:
    """The elements that close the loops and the line springs as MJCF; more flags; more options."""
    hard = f'solref="{time_constant!r} 1" solimp="0.9999 0.9999 0.001 0.5 2"'
    connects = [f'<connect site1="{name}.A" site2="{name}.B" {hard}/>' for name in spec.cuts]
    springs = [
        f'<spatial stiffness="{force.stiffness!r}" damping="{force.damping!r}" springlength="{force.length!r}">'
        f'<site site="{name}.A"/><site site="{name}.B"/></spatial>'
        for name, force in spec.forces.items()
        if force.type == "spring"
    ]
    elements = f"<equality>{''.join(connects)}</equality><tendon>{''.join(springs)}</tendon>"
    return elements, 'refsafe="disable" autoreset="disable"', 'iterations="1"'
