"""What went wrong in a run, in words: when, where, and what to try."""

from collections.abc import Iterator

import numpy as np

from gori.errors import ClosureError, InputError, SimulationError, SingularError
from gori.integrate import Radau5
from gori.kernels import codes as code
from gori.kernels.forces.signals import signals_one
from gori.model import Model, assemble
from gori.model.elastic import elastic_elements
from gori.model.loops.branches import is_singular, tangents
from gori.model.loops.system import FLAT, NOTHING
from gori.model.signals import readings
from gori.sim.contact.stiffness import too_stiff
from gori.sim.stepper import Stepper
from gori.sim.sticking import too_fast
from gori.sim.user import UserForce
from gori.sim.vehicle.vehicles import off_grid, off_window

CLOSE_BY = 1e-2
"""smallest singular value of the loop equations, by the largest, below which a pose is next to a singular one"""


def explain(stepper: Stepper, user: UserForce, result: int, machine: Model | None = None) -> SimulationError:
    """The error for a result code of compiled steps; the stepper stands at its last good state.

    machine   its Model where that has other numbers than the one of the stepper, as in a batch
    """
    time, v, model = stepper.time, stepper.v, stepper.model
    when = f"at t = {time:.6g} s"
    if result == code.USER_ERROR:
        cause = user.reproduce()
        return SimulationError(f"a user function failed {when}: {type(cause).__name__}: {cause}", time, cause)
    fastest = int(np.argmax(np.abs(v))) if model.nv else 0
    joint = model.joint_of_dof(fastest) if model.nv else ""
    speed = f"joint {joint!r} is the fastest with {v[fastest]:.3g}" if model.nv else ""
    if (words := singular(stepper, machine)) is not None:
        return SimulationError(f"the equations have no solution {when}: {words}", time)
    if (culprit := not_a_number(stepper, user)) is not None:
        return SimulationError(f"{culprit} {when}, so the run cannot continue. Check for a division by zero", time)
    if result == code.SINGULAR:
        return SimulationError(f"the equations have no solution {when} ({speed}). Try {finer(stepper)}", time)
    if (culprit := opening(stepper, result)) is not None:
        return SimulationError(
            f"the loops could not be kept closed {when}: {culprit} ({speed}). The machine may have reached a pose that "
            f"it cannot pass: check with gori.assemble, or try {finer(stepper)}",
            time,
        )
    if result == code.STEP_TOO_SMALL and 0.0 < stepper.step < np.spacing(abs(time)):
        return SimulationError(
            f"the step became too small {when}: the time itself is too large for it, as it is resolved to "
            f"{np.spacing(abs(time)):.2g} s only, and forces that follow it change in jumps ({speed}). Count the time "
            "from a later start, as state.replace(time=0.0) does",
            time,
        )
    if result == code.STEP_TOO_SMALL and (words := near_singular(stepper)) is not None:
        return SimulationError(f"the step became too small {when} ({speed}): {words}", time)
    if result == code.STEP_TOO_SMALL:
        return SimulationError(
            f"the step became too small {when}: the forces change too fast for {stepper.method.kind} ({speed}). Try "
            f"{listed(cures_of_small_steps(stepper, user))}",
            time,
        )
    if result == code.SUNK:
        less = (
            "Use less throttle, less payload, or" if stepper.data.driver["throttle"].any() else "Use less payload, or"
        )
        return SimulationError(
            f"a wheel has sunk by more than its radius {when}: the soil cannot carry the vehicle, or the wheel has "
            f"dug itself in. {less} firmer soil",
            time,
        )
    if result == code.CONTACTS_FULL:
        pairs, points = stepper.data.contact_memory.pairs.shape[0], len(stepper.data.contact_memory.point)
        return SimulationError(
            f"more pairs of shapes than {pairs}, or more contact points than {points}, were close to each other {when} "
            f"({speed}): bodies are too fast for the step, or start inside each other. Try {finer(stepper)}",
            time,
        )
    if result == code.CONTACT_JAMMED:
        return SimulationError(
            f"contacts that rest have no forces that hold them {when} ({speed}): {', '.join(held_names(stepper))}. "
            "Pressed, bodies that slide with so much friction jam (the paradox of Painlevé). Take less friction there, "
            "another pose, or contact that yields: method time_stepping, or a penalty (without impacts)",
            time,
        )
    if result == code.CONTACT_UNSOLVED:
        return SimulationError(
            f"the forces of contacts that rest were not found {when} ({speed}): {', '.join(held_names(stepper))}. The "
            "iteration for so many points, or masses so different, did not converge. Use contact that yields: method "
            "time_stepping, or a penalty (without impacts)",
            time,
        )
    if result == code.OFF_GRID and model.vehicle is not None:
        return SimulationError(off_grid(model.vehicle, time, "leaves"), time)
    if result == code.OFF_WINDOW and model.vehicle is not None:
        return SimulationError(off_window(model.vehicle, time), time)
    if result == code.NO_CONVERGENCE:
        return SimulationError(
            f"the equations of a step did not converge {when} ({speed}). Try {listed(cures_of_iterations(stepper))}",
            time,
        )
    return SimulationError(
        f"the motion diverged {when}: {speed}, then the numbers overflowed. Try "
        f"{listed(cures_of_divergence(stepper, user))}",
        time,
    )


# ---- what to try: nothing that is already so, and nothing that the machine does not have


def listed(cures: list[str]) -> str:
    """Words for: one of these."""
    return cures[0] if len(cures) == 1 else f"{', '.join(cures[:-1])}, or {cures[-1]}"


def finer(stepper: Stepper) -> str:
    """How this method becomes more accurate."""
    settings = stepper.method.settings()
    if stepper.method.adaptive:
        return f"smaller tolerances (rtol is {settings['rtol']:g})"
    return f"a smaller step (it is {settings['step']:g} s)"


def is_implicit(stepper: Stepper) -> bool:
    """Whether the method solves equations in each step."""
    return stepper.method.core is not None or isinstance(stepper.method, Radau5)


def has_springs(stepper: Stepper) -> bool:
    """Whether anything in the machine is elastic."""
    return len(elastic_elements(stepper.model)) > 0


def has_forces(stepper: Stepper, user: UserForce) -> bool:
    """Whether there are forces besides gravity and what joints do by themselves."""
    named = set(stepper.model.forces.names) - set(stepper.model.joint_names)
    return bool(named or user.functions)


def cures_of_divergence(stepper: Stepper, user: UserForce) -> list[str]:
    cures = [finer(stepper)]
    if (found := too_fast(stepper.model, stepper.method)) is not None:
        cures.append(f"{found.cure} ({found.words})")
    if (stiff := too_stiff(stepper.model, stepper.method)) is not None:
        cures.append(f"{stiff.cure} ({stiff.words})")
    if not stepper.method.adaptive and not is_implicit(stepper):
        cures.append("an adaptive method (dopri5)")
    if has_springs(stepper):
        if not is_implicit(stepper):
            cures.append("an implicit method (radau5)")
        cures.append("softer springs or more damping")
    if has_forces(stepper, user):
        cures.append("check the signs of your forces")
    return cures if len(cures) > 1 else [*cures, "check the initial velocities"]


def cures_of_small_steps(stepper: Stepper, user: UserForce) -> list[str]:
    settings = stepper.method.settings()
    cures = (
        [f"larger tolerances (rtol is {settings['rtol']:g}, atol {settings['atol']:g})"] if "rtol" in settings else []
    )
    if has_springs(stepper):
        cures.append("softer springs")
    if not is_implicit(stepper):
        cures.append("an implicit method (radau5)")
    if has_forces(stepper, user):
        cures.append("check for a discontinuous force")
    return cures or ["another method"]


def cures_of_iterations(stepper: Stepper) -> list[str]:
    cures, settings = [finer(stepper)], stepper.method.settings()
    strategy = settings.get("jacobian", {}).get("type")
    if strategy not in (None, "full") and not stepper.model.loops:  # loops have their own matrix
        cures.append("the whole Jacobian (jacobian: full)")
    if settings.get("newton") is True:
        cures.append("one linear solve per step (newton: false)")
    if stepper.loops is not None and stepper.loops.kind == "frozen_explicit":
        cures.append("another loop solver (loops: multipliers)")
    return cures


def held_names(stepper: Stepper) -> list[str]:
    """Contacts that rest, by name."""
    rest, contact = stepper.data.rest, stepper.model.contact
    names = []
    for held in rest.held[: int(rest.head["held"][0])]:
        if held["stop"] >= 0:
            names.append(f"joint {stepper.model.joint_of_dof(int(rest.stop['dof'][held['stop']]))!r} at its limit")
        elif contact is not None:
            names.append(f"{contact.names[held['a']]}/{contact.names[held['b']]}")
    return list(dict.fromkeys(names))


def ahead(stepper: Stepper) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
    """Times and states (t, q, v) within the step that failed and a little beyond, as the motion would go on: until
    numbers overflow.
    """
    time, q, v = stepper.time, stepper.q.copy(), stepper.v.copy()
    h = max(stepper.step, 1e-12 * max(1.0, abs(time)))
    for share in (0.0, 0.2, 0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 5.0):
        try:
            with np.errstate(over="ignore"):
                moved = stepper.model.integrate(q, share * h * v)
        except InputError:
            return
        yield time + share * h, moved, v


def singular(stepper: Stepper, machine: Model | None = None) -> str | None:
    """Words on an axis that moves no inertia, if there is one; machine: as of `explain`."""
    model, still = machine or stepper.model, np.zeros(stepper.model.nv)
    if model.loops:  # was looked at when the loops were
        return None
    try:
        model.tree.forward_dynamics(stepper.q.copy(), still, still)
    except SingularError as error:
        return str(error)
    return None


def opening(stepper: Stepper, result: int) -> str | None:
    """Words on the cut that opens, or the motion that asks for too much, in the step that failed or a little later.

    None if the loops can be closed there.
    """
    model = stepper.model
    if not model.loops or result not in (code.NOT_CLOSED, code.STEP_TOO_SMALL, code.NO_CONVERGENCE):
        return None
    found = list(ahead(stepper))[:6]
    if not found:  # the coordinates themselves overflow
        return None
    system, (t, q, v) = model.loop_system, found[-1]
    for time in (t, t + 1e-9, t + 1e-6, t + 1e-3):
        try:
            assemble(model, stepper.q, time=time)
        except ClosureError as error:
            return _words(model, error.cut)
        except (InputError, np.linalg.LinAlgError):  # coordinates beyond all bounds
            return None
    if result != code.NOT_CLOSED:
        return None
    return _words(model, system.worst(system.terms(q, v, t).gap)[0].rpartition(".")[0])


def near_singular(stepper: Stepper) -> str | None:
    """Words on a singular pose of the loops at or next to which the run ended, if there is one."""
    if stepper.closure is None or not stepper.closure.at_singular_pose:
        return None
    model, (q, v, t) = stepper.model, (stepper.q.copy(), stepper.v.copy(), stepper.time)
    at = tangents(model, q, t)
    if is_singular(at) and not at.on_branch(at.N.T @ (v / model.loop_system.column_scale)):
        return (
            "the machine is at a singular pose, where it can go on in more than one way, and its velocities lie on "
            "none of them. Start beside this pose, or with velocities of one branch (gori.consistent_velocity)"
        )
    values = np.linalg.svd(model.loop_system.scaled(model.loop_system.terms(q, time=t).J), compute_uv=False)
    good = values[values > max(FLAT * values[0], NOTHING)]
    if not is_singular(at) and good[-1] > CLOSE_BY * good[0]:
        return None
    cures = ["a fixed step (rk4)", "larger tolerances", "another loop solver"]
    if stepper.steps_done == 0:
        cures = ["to start beside this pose", *cures]
    return f"the machine is next to a singular pose, where its accelerations are sensitive. Try {listed(cures)}"


def _words(model: Model, owner: str) -> str:
    if owner in model.motion_names:
        return f"motion {owner!r} exceeds what the loops allow"
    kind = "cut" if owner in model.cut_names else "gear" if owner in model.gears else "mimic joint"
    return f"{kind} {owner!r} would open"


def not_a_number(stepper: Stepper, user: UserForce) -> str | None:
    """A function of the user or a force of the Spec that is not a finite number within the step, if there is one."""
    forces = stepper.model.forces
    values, stack = np.zeros(len(forces.signal_i)), stepper.data.stack
    for t, q, v in ahead(stepper):
        for name, tau in user.values(t, q, v).items():
            if not np.isfinite(tau).all():
                return f"your function {name} returns {tau[~np.isfinite(tau)][0]}"
        read = readings(stepper.model, forces.probes, q, v)
        signals_one(forces.signal_i, forces.signal_f, t, q, v, read, values, stack)
        for k in np.flatnonzero(~np.isfinite(values)):
            return f"{forces.signal_names[k]} is {values[k]}"
    return None
