"""What went wrong in a run, in words: when, where, and what to try."""

from typing import Any

import numpy as np

from gori.errors import SimulationError
from gori.kernels import accelerations as code


def explain(simulation: Any, result: int) -> SimulationError:
    """The error for a result code of a compiled run; the simulation stands at its last good state."""
    state, model = simulation.state, simulation.model
    when = f"at t = {state.time:.6g} s"
    if result == code.USER_ERROR:
        cause = simulation._user.reproduce(state.time, state.q, state.v)
        return SimulationError(f"a function of yours failed {when}: {type(cause).__name__}: {cause}", state.time, cause)
    fastest = int(np.argmax(np.abs(state.v))) if model.nv else 0
    joint = model.joint_of_dof(fastest) if model.nv else ""
    speed = f"joint {joint!r} is the fastest with {state.v[fastest]:.3g}" if model.nv else ""
    if result == code.SINGULAR:
        from gori.errors import SingularError

        try:
            model.forward_dynamics(state.q, np.zeros(model.nv), np.zeros(model.nv))
            words = "an axis moves no inertia"
        except SingularError as error:
            words = str(error)
        return SimulationError(f"the equations have no solution {when}: {words}", state.time)
    if result == code.STEP_TOO_SMALL:
        return SimulationError(
            f"the step became too small {when}: the forces change too fast for {simulation.method.kind} "
            f"({speed}). Try larger tolerances, softer springs, an implicit method, or look for a force that jumps",
            state.time,
        )
    if result == code.NO_CONVERGENCE:
        return SimulationError(
            f"the equations of a step did not converge {when} ({speed}). Try a smaller step", state.time
        )
    return SimulationError(
        f"the motion diverged {when}: {speed}, then the numbers overflowed. Try a smaller step, an adaptive method "
        "(dopri5), more damping, or check stiff springs and the signs of your forces",
        state.time,
    )
