"""The memory of the solvers of loops: what must be kept from step to step, what can be recomputed, and the tolerances.

    head       LOOP_HEAD       kept numbers
    state      LOOP_STATE      kept arrays
    settings   LOOP_SETTINGS   tolerances, by the Model and the solver
    work       LOOP_WORK       recomputed before they are read

A run continues bit for bit from the kept pieces alone. `work.standing` and `work.stood_q`, `work.stood_v` tell for
which state bodies, cuts and J are computed already: they hold nothing that has to be kept. `work.departing` and what
belongs to it is made anew by whoever begins a run (`sim/loops/departure.py`).
"""

from typing import Annotated, Any

from gori.kernels.bundle import Bundle
from gori.kernels.layout import array, field, layout, record
from gori.kernels.tree.columns import NQ

LOOP_HEAD = record(
    "LoopHead",
    field("poor_pivot", "", "below it independent coordinates are chosen anew"),
    field("singular_pivot", "", "below it adaptive methods step over the pose"),
    field("redundant", "", "equations that are always redundant", dtype="i8"),
    field("epsilon", "", "regularisation as a share of what is typical for each equation"),
    field("known", "", "whether multipliers and accelerations of an evaluation are there", dtype="i8"),
    field("mass_factors", "", "whether the factors are those of [M J'; J -eps]", dtype="i8"),
    field("pivot", "", "smallest pivot of the last factors, redundant ones left out, by the best so far"),
    field("best_pivot_mass", "", "best smallest pivot of factors with M"),
    field("best_pivot_unit", "", "best smallest pivot of factors with the unit matrix"),
    field("evaluations", "", "count", dtype="i8"),
    field("factorisations", "", "count", dtype="i8"),
    field("corrections", "", "count", dtype="i8"),
    field("contraction", "", "of frozen factors: share by which corrections shrink"),
    field("time_last", "s", "of frozen factors: last evaluation at the end of a step"),
    field("time_before", "s", "of frozen factors: the evaluation before that"),
    field("chosen_at", "s", "last choice of independent coordinates"),
    field("choices", "", "times that other independent coordinates were chosen", dtype="i8"),
    field("leaps", "", "steps in a row over one singular pose", dtype="i8"),
)

LOOP_SETTINGS = record(
    "LoopSettings",
    field("position_tolerance", "m, rad", "of Phi"),
    field("velocity_tolerance", "m/s, rad/s", "of J v - nu"),
    field("acceleration_tolerance", "", "of frozen factors, as a share of the largest acceleration"),
)

LOOP_STATE = layout(
    "LoopState",
    ("nv", "ne", "n", "nlower"),
    array("multipliers", "ne", "N, N m", "of the last evaluation"),
    array("multipliers_before", "ne", "N, N m", "of the evaluation before; of frozen factors alone"),
    array("accelerations", "nv", "m/s2, rad/s2", "of the last evaluation"),
    array("accelerations_before", "nv", "m/s2, rad/s2", "of the evaluation before; of frozen factors alone"),
    array("dependent", "nv", "", "1 for dependent coordinates, 0 for independent ones"),
    array("extra_inertia", "nv", "kg, kg m2", "added to the diagonal of M where the tree alone has no inertia"),
    array("eps_mass", "ne", "", "regularisation of the factors with M"),
    array("eps_unit", "ne", "", "regularisation of the factors with the unit matrix"),
    array("lower", "nlower", "", "factors"),
    array("over_pivots", "n", "", "one over the pivots"),
)
"""n = nv + ne; kept because positions and velocities are corrected with the factors of an earlier evaluation"""

LOOP_WORK = layout(
    "LoopWork",
    ("nq", "nv", "ne", "n", "ncut", "njac", "nentry"),
    array("gap", "ne", "m, rad", "Phi"),
    array("slip", "ne", "m/s, rad/s", "J v - nu"),
    array("gamma", "ne", "m/s2, rad/s2", "J qdd + gamma = 0"),
    array("wrench", "ne 6", "", "moment and force of each equation at p_B, world axes, on B"),
    array("from_b", "ncut 3", "m", "p_B from the origin of B, world axes"),
    array("from_a", "ncut 3", "m", "p_B from the origin of A, world axes"),
    array("apart", "ncut 3", "m", "p_B - p_A, world axes"),
    array("drift", "ncut 3", "m/s", "velocity of p_B seen from A, world axes"),
    array("jac", "njac", "", "J by cuts, equation after equation"),
    array("force", "nv", "N, N m", "tau - bias"),
    array("move", "nv", "", "a correction"),
    array("moved", "nv", "m, rad", "sum of the corrections of a position"),
    array("product", "nv", "", "of M or J with a vector; or zero accelerations"),
    array("q", "nq", "m, rad", "position on the loops next to a stage"),
    array("v", "nv", "m/s, rad/s", "velocity on the loops next to a stage"),
    array("standing", "1", "", "whether bodies, cuts and J are those of `stood`: JUST_PLACED, or WITH_FACTORS"),
    array("stood_q", "nq", "m, rad", "see `standing`"),
    array("stood_v", "nv", "m/s, rad/s", "see `standing`"),
    array("mass", "nv nv", "kg, kg m2", "M, entries of axes that carry each other"),
    array("entries", "nentry", "", "of the matrix to factor, above its diagonal"),
    array("diagonal", "n", "", "of the matrix to factor"),
    array("x", "n", "", "right-hand side and solution, in the order of elimination"),
    array("columns", "nv nv", "", "R of the reduced equation, by rows"),
    array("reduced", "nv nv", "kg, kg m2", "R' M R and its factors"),
    array("departing", "3", "", "whether the run starts in a singular pose; the time of this start [s], the power [W]"),
    array("departure_q", "nq", "m, rad", "q of this start"),
    array("departure_v", "nv", "m/s, rad/s", "v of this start"),
    array("departure_a", "nv", "m/s2, rad/s2", "accelerations there, on the branch that v lies on"),
)

JUST_PLACED, WITH_FACTORS = 1.0, 2.0


class LoopMemory(Bundle):
    """All pieces; head and settings are tables of one row."""

    head: Annotated[Any, LOOP_HEAD.type[::1]]  # kept
    state: Annotated[Any, LOOP_STATE.type]  # kept
    settings: Annotated[Any, LOOP_SETTINGS.type[::1]]
    work: Annotated[Any, LOOP_WORK.type]


def loop_memory(machine: Any, nv: int) -> LoopMemory:
    """A new memory for a Machine; without loops next to nothing."""
    sizes = dict.fromkeys({*LOOP_STATE.sizes, *LOOP_WORK.sizes}, 0)
    if machine is not None:
        cut, ne = machine.cut, len(machine.equation)
        sizes |= {"nq": int(machine.body_i[0, NQ]), "nv": nv, "ne": ne, "n": nv + ne, "ncut": len(cut)}
        sizes |= {"njac": int((cut["equations"] * cut["axes"]).sum())}
        sizes |= {"nentry": len(machine.pattern.row), "nlower": len(machine.pattern.at)}
    return LoopMemory(
        head=LOOP_HEAD.zeros(1), state=LOOP_STATE.make(**sizes), settings=LOOP_SETTINGS.zeros(1),
        work=LOOP_WORK.make(**sizes),
    )  # fmt: skip
