"""What went wrong in a run, in words: when, where, and what to try."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from gori.errors import ClosureError, SimulationError, SingularError
from gori.integrate.march import STEP
from gori.kernels import codes as code
from gori.kernels.forces.signals import signals_one
from gori.model import assemble


def explain(simulation: Any, result: int) -> SimulationError:
    """The error for a result code of a compiled run; the simulation stands at its last good state."""
    state, model = simulation.state, simulation.model
    when = f"at t = {state.time:.6g} s"
    if result == code.USER_ERROR:
        cause = simulation._user.reproduce()
        return SimulationError(f"a function of yours failed {when}: {type(cause).__name__}: {cause}", state.time, cause)
    fastest = int(np.argmax(np.abs(state.v))) if model.nv else 0
    joint = model.joint_of_dof(fastest) if model.nv else ""
    speed = f"joint {joint!r} is the fastest with {state.v[fastest]:.3g}" if model.nv else ""
    if (words := singular(simulation)) is not None:
        return SimulationError(f"the equations have no solution {when}: {words}", state.time)
    if (culprit := not_a_number(simulation)) is not None:
        return SimulationError(f"{culprit} {when}, so the motion cannot go on. Look for a division by zero", state.time)
    if result == code.SINGULAR:
        return SimulationError(f"the equations have no solution {when} ({speed})", state.time)
    if (culprit := opening(simulation, result)) is not None:
        return SimulationError(
            f"the loops could not be kept closed {when}: {culprit} ({speed}). The machine may have reached a pose that "
            "it cannot pass: look there with gori.assemble; or try a smaller step",
            state.time,
        )
    if result == code.STEP_TOO_SMALL:
        return SimulationError(
            f"the step became too small {when}: the forces change too fast for {simulation.method.kind} "
            f"({speed}). Try larger tolerances, softer springs, an implicit method, or look for a force that jumps",
            state.time,
        )
    if result == code.SUNK:
        return SimulationError(
            f"a wheel has sunk by more than its radius {when}: the soil does not bear the vehicle, or the wheel has "
            "dug itself in. Take less throttle, less payload, or firmer soil",
            state.time,
        )
    if result == code.OFF_GRID:
        soft = model.spec.terrain.soft
        (x, y), (length, width) = soft.at, soft.size
        return SimulationError(
            f"a wheel leaves the grid of soft soil {when}: it goes from x = {x:g} to {x + length:g} m and from "
            f"y = {y:g} to {y + width:g} m. Make terrain.soft.size larger",
            state.time,
        )
    if result == code.NO_CONVERGENCE:
        return SimulationError(
            f"the equations of a step did not converge {when} ({speed}). Try a smaller step, or another strategy for "
            "the Jacobian (jacobian: full)",
            state.time,
        )
    return SimulationError(
        f"the motion diverged {when}: {speed}, then the numbers overflowed. Try a smaller step, an adaptive method "
        "(dopri5), more damping, or check stiff springs and the signs of your forces",
        state.time,
    )


def ahead(simulation: Any) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
    """Times and states (t, q, v) within the step that failed and a little beyond, as the motion would go on."""
    state = simulation.state
    h = max(float(simulation._clock[STEP]), 1e-12 * max(1.0, abs(state.time)))
    for share in (0.0, 0.2, 0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 5.0):
        yield state.time + share * h, simulation.model.integrate(state.q, share * h * state.v), state.v


def singular(simulation: Any) -> str | None:
    """Words on an axis that moves no inertia, if there is one."""
    model, still = simulation.model, np.zeros(simulation.model.nv)
    if model.loops:  # was looked at when the loops were
        return None
    try:
        model.tree.forward_dynamics(simulation.state.q, still, still)
    except SingularError as error:
        return str(error)
    return None


def opening(simulation: Any, result: int) -> str | None:
    """Words on the cut that opens, or the motion that asks for too much, in the step that failed or a little later.

    None if the loops can be closed there.
    """
    model, state = simulation.model, simulation.state
    if not model.loops or result not in (code.NOT_CLOSED, code.STEP_TOO_SMALL, code.NO_CONVERGENCE):
        return None
    system, (t, q, v) = model.loop_system, list(ahead(simulation))[5]
    for time in (t, t + 1e-9, t + 1e-6, t + 1e-3):
        try:
            assemble(model, state.q, time=time)
        except ClosureError as error:
            return _words(model, error.cut)
    if result != code.NOT_CLOSED:
        return None
    return _words(model, system.worst(system.terms(q, v, t).gap)[0].rpartition(".")[0])


def _words(model: Any, owner: str) -> str:
    if owner in model.spec.motions:
        return f"motion {owner!r} asks for more than the loops allow"
    return f"{'cut' if owner in model.spec.cuts else 'mimic joint'} {owner!r} would open"


def not_a_number(simulation: Any) -> str | None:
    """A function of the user or a force of the Spec that is not a finite number within the step, if there is one."""
    elements = simulation.model.forces
    values, stack = np.zeros(len(elements.signal_i)), simulation._data.stack
    for t, q, v in ahead(simulation):
        for name, tau in simulation._user.values(t, q, v).items():
            if not np.isfinite(tau).all():
                return f"your function {name} gives {tau[~np.isfinite(tau)][0]}"
        signals_one(elements.signal_i, elements.signal_f, t, q, v, values, stack)
        for k in np.flatnonzero(~np.isfinite(values)):
            return f"{elements.signal_names[k]} is {values[k]}"
    return None
