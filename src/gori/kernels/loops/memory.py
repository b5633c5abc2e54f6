"""The memory of the solvers of loops: what must be kept from step to step, what can be recomputed, and the tolerances.

    loop_head       LOOP_HEAD       kept numbers
    loop_state      LOOP_STATE      kept arrays, flat
    loop_settings   LOOP_SETTINGS   tolerances, by the Model and the solver
    loop            LOOP_WORK       recomputed before they are read, flat

A run continues bit for bit from the kept pieces alone. `work.standing` and `work.stood_q`, `work.stood_v` tell for
which state bodies, cuts and J are computed already: they hold nothing that has to be kept.
"""

from typing import Any, NamedTuple

from gori.kernels.jit import part
from gori.kernels.layout import array, field, layout, record, row
from gori.kernels.loops.tables import N_SPOT
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
    array("spot", f"ncut {N_SPOT}", "m, m/s", "where the cuts are (`tables.py`)"),
    array("jac", "njac", "", "J by cuts, equation after equation"),
    array("force", "nv", "N, N m", "tau - bias"),
    array("move", "nv", "", "a correction"),
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
)

JUST_PLACED, WITH_FACTORS = 1.0, 2.0

carve_state, carve_work = LOOP_STATE.carve, LOOP_WORK.carve


class LoopMemory(NamedTuple):
    """All pieces, by name; head and settings are record arrays of length 1."""

    head: Any
    settings: Any
    state: Any
    work: Any


@part
def carve(machine, data):
    """The LoopMemory of Data."""
    nq, nv, ne, s = machine.body_i[0, NQ], data.tau.shape[0], machine.eq_i.shape[0], machine.sparse_i
    return LoopMemory(
        data.loop_head,
        data.loop_settings,
        carve_state(data.loop_state, nv, ne, nv + ne, s[2]),
        carve_work(data.loop, nq, nv, ne, nv + ne, machine.cut_i.shape[0], s[0], s[1]),
    )


def state_sizes(machine: Any, nv: int) -> dict[str, int]:
    """Sizes of LOOP_STATE."""
    ne = len(machine.eq_i)
    return {"nv": nv, "ne": ne, "n": nv + ne, "nlower": int(machine.sparse_i[2])}


def work_sizes(machine: Any, nv: int) -> dict[str, int]:
    """Sizes of LOOP_WORK."""
    ne, (njac, nentry) = len(machine.eq_i), (int(k) for k in machine.sparse_i[:2])
    sizes = {"nq": int(machine.body_i[0, NQ]), "nv": nv, "ne": ne, "n": nv + ne, "ncut": len(machine.cut_i)}
    return sizes | {"njac": njac, "nentry": nentry}


def views(machine: Any, data: Any) -> LoopMemory:
    """The LoopMemory of Data in Python; head and settings as rows whose fields are attributes."""
    nv = len(data.tau)
    return LoopMemory(
        row(data.loop_head),
        row(data.loop_settings),
        LOOP_STATE.views(data.loop_state, **state_sizes(machine, nv)),
        LOOP_WORK.views(data.loop, **work_sizes(machine, nv)),
    )
