"""The memory of implicit methods.

All implicit methods look for accelerations x with x = f(q(x), v(x)), where

    v(x) = base_velocity + cv x,     q(x) = q (+) (base_increment + cq x)

are the state at the end of the step; f is forward dynamics. They differ only in base_velocity, base_increment, cv, cq.
"""

from typing import Any

from gori.integrate.clock import MethodMemory, Sizes, method_memory
from gori.kernels.jit import part
from gori.kernels.layout import array, field, layout, record
from gori.kernels.tree.columns import KIND, NDOF, P_PJ, V0
from gori.kernels.tree.derivatives import N_BODY_D, N_DOF_D
from gori.kernels.tree.joints import FREE, PRISMATIC
from gori.kernels.tree.tree_solve import N_BODY_N, N_DOF_N

FULL, FROZEN, ROUND_ROBIN, FASTEST, ERROR_DRIVEN, MATRIX_FREE = 0, 1, 2, 3, 4, 5

KRYLOV = 40
"""largest dimension of the Krylov space"""

IMPLICIT_SETTINGS = record(
    "ImplicitSettings",
    field("strategy", "", "of the Jacobian: FULL, FROZEN, ...", dtype="i8"),
    field("columns", "", "to refresh at each step", dtype="i8"),
    field("tolerance", "", "of the strategy"),
    field("differences", "", "whether the Jacobian is made by differences", dtype="i8"),
    field("newton", "", "whether each step is iterated to convergence", dtype="i8"),
    field("rho_inf", "", "of generalized-alpha: what remains of the highest frequencies"),
)

IMPLICIT_HEAD = record(
    "ImplicitHead",
    field("known", "", "whether accelerations of the last step are there", dtype="i8"),
    field("made_for", "", "cv that the kept matrix was made for; 0: there is none"),
    field("next_row", "", "body whose columns are refreshed next, in turn", dtype="i8"),
    field("way", "", "travelled by the joints"),
    field("wanted", "", "columns that an error-driven Jacobian wants to refresh"),
    field("power", "W", "of all that has no potential, at the end of the last step"),
    # counts since the start
    field("guarded", "", "whole matrices made because the inverse had become bad", dtype="i8"),
    field("steps", "", "", dtype="i8"),
    field("refreshed", "", "columns refreshed", dtype="i8"),
    field("whole", "", "whole matrices made", dtype="i8"),
    field("iterations", "", "", dtype="i8"),
    field("products", "", "products with N", dtype="i8"),
    field("impacts", "", "steps of generalized-alpha with an impact", dtype="i8"),
    field("halved", "", "steps that were taken in shorter ones", dtype="i8"),
)
COUNTS = ("guarded", "steps", "refreshed", "whole", "iterations", "products", "impacts", "halved")
"""fields of IMPLICIT_HEAD"""

IMPLICIT_STEP = record(
    "ImplicitStep",
    field("cv", "s", "dv/dx"),
    field("cq", "s2", "dq/dx"),
    field("length", "s", "of the step"),
    field("end_time", "s", "of the step"),
    field("strategy", "", "of the present attempt: that of the settings, or FULL", dtype="i8"),
    field("careful", "", "whether it is done with care (`newton.py`)", dtype="i8"),
    field("once", "", "whether it is done with one correction", dtype="i8"),
)

IMPLICIT_STATE = layout(
    "ImplicitState",
    ("nv", "kept", "closed"),
    array("last", "nv", "m/s2, rad/s2", "accelerations of the last step"),
    array("alpha", "nv", "m/s2, rad/s2", "generalized-alpha's own accelerations a"),
    array("refreshed_step", "nv", "", "step at which each column was last refreshed"),
    array("refreshed_way", "nv", "", "way at which each column was last refreshed"),
    array("growth", "nv", "", "by how much errors of each column of the inverse may have grown since"),
    array("inverse", "kept kept", "", "A^-1 by columns, if the strategy keeps it from step to step"),
    array("closed_matrix", "closed closed", "", "with loops: factors of [N J'; J -eps] by columns"),
    array("closed_pivots", "closed", "", "with loops: room for the pivots of these factors"),
)
"""kept = nv or 0; closed = nv + ne with loops, or 0"""

IMPLICIT_WORK = layout(
    "ImplicitWork",
    ("nq", "nv", "nz", "closed"),
    array("x", "nv", "m/s2, rad/s2", "accelerations to be found"),
    array("dx", "nv", "m/s2, rad/s2", "correction"),
    array("taken", "nv", "m/s2, rad/s2", "last change of x"),
    array("defect", "nv", "m/s2, rad/s2", "x - f"),
    array("residual", "nv", "N, N m", "ID(q, v, x) - G"),
    array("given_residual", "nv", "N, N m", "the same for given accelerations"),
    array("forces", "nv", "N, N m", "G: generalised force of all elements and of the user"),
    array("body_forces", "nv", "N, N m", "the part of it that acts on bodies"),
    array("forward", "nv", "m/s2, rad/s2", "f: forward dynamics"),
    array("q_end", "nq", "m, rad", "position at the end of the step"),
    array("v_end", "nv", "m/s, rad/s", "velocity there"),
    array("z_end", "nz", "", "states of friction elements there"),
    array("increment", "nv", "m, rad", "from q to q_end"),
    array("base_velocity", "nv", "m/s, rad/s", "v_end for x = 0"),
    array("base_increment", "nv", "m, rad", "increment for x = 0"),
    array("axis_scale", "nv", "m, 1", "what makes axes comparable; made when it is not there"),
    array("column", "nv", "", "of the Jacobian; or trial accelerations"),
    array("product", "nv", "", "with the inverse, or with N"),
    array("diagonal", "nv", "", "what forces on single axes add to N"),
    array("score", "nv", "", "of columns, to choose from; or scratch"),
    array("closed_rhs", "closed", "", "with loops: right-hand side and solution"),
)

DENSE_WORK = layout(
    "DenseWork",
    ("nrow", "nv"),
    array("body_d", f"nrow {N_BODY_D}", "", "for the derivatives"),
    array("dof_d", f"nv {N_DOF_D}", "", "for the derivatives"),
    array("jacobian", "nv nv", "", "N or A by columns, then its factors"),
    array("damping", "nv nv", "", "C by columns; or scratch"),
    array("mass", "nv nv", "", "M by columns"),
    array("pivots", "nv", "", "room for the pivots of the factors"),
)
"""matrices of strategies that have a matrix"""

TREE_WORK = layout(
    "TreeWork",
    ("nrow", "nv"),
    array("body_d", f"nrow {N_BODY_D}", "", "for the derivatives"),
    array("dof_d", f"nv {N_DOF_D}", "", "for the derivatives"),
    array("body_n", f"nrow {N_BODY_N}", "", "for the solve in O(n)"),
    array("dof_n", f"nv {N_DOF_N}", "", "for the solve in O(n)"),
    array("basis", f"{KRYLOV + 1} nv", "", "of the Krylov space, by rows"),
    array("triangle", f"{KRYLOV} {KRYLOV + 1}", "", "factor R of the least-squares problem of GMRES"),
    array("rotated", f"{KRYLOV + 1}", "", "its right-hand side"),
    array("cosine", f"{KRYLOV}", "", "of its rotations"),
    array("sine", f"{KRYLOV}", "", "of its rotations"),
    array("answer", f"{KRYLOV}", "", "its solution"),
)
"""matrices of MATRIX_FREE; body_n and dof_n have padding that is zero from the beginning (`tree_solve.py`)"""

ImplicitMemory = method_memory(
    "ImplicitMemory",
    IMPLICIT_HEAD,
    IMPLICIT_STATE,
    IMPLICIT_SETTINGS,
    IMPLICIT_STEP,
    work=IMPLICIT_WORK,
    dense=DENSE_WORK,
    tree=TREE_WORK,
)


def implicit_memory(sizes: Sizes, **settings: Any) -> MethodMemory:
    """A new memory; settings: fields of IMPLICIT_SETTINGS."""
    strategy, named = settings["strategy"], sizes.named()
    named["kept"] = 0 if strategy in (MATRIX_FREE, FULL) else sizes.nv
    named["closed"] = sizes.nv + sizes.ne if sizes.ne > 0 else 0
    return ImplicitMemory.make(named, ("dense" if strategy == MATRIX_FREE else "tree",), **settings)


@part
def scale_axes(machine, scale):
    """Scales that make axes comparable: 1 for angles; for travel the mean distance between joints [m], or 1."""
    body_i, body_f = machine.body_i, machine.body_f
    total, count = 0.0, 0
    for i in range(2, body_i.shape[0]):
        arm = (body_f[i, P_PJ] ** 2 + body_f[i, P_PJ + 1] ** 2 + body_f[i, P_PJ + 2] ** 2) ** 0.5
        if arm > 0.0:
            total += arm
            count += 1
    length = total / count if count > 0 else 1.0
    for i in range(1, body_i.shape[0]):
        kind, d = body_i[i, KIND], body_i[i, V0]
        for k in range(body_i[i, NDOF]):
            scale[d + k] = length if kind == PRISMATIC or (kind == FREE and k >= 3) else 1.0


@part
def size_of(x, scale):
    """Largest component, each by its scale."""
    largest = 0.0
    for k in range(x.shape[0]):
        part = abs(x[k]) / scale[k]
        if part > largest or part * 0.0 != 0.0:  # NaN propagates
            largest = part
    return largest
