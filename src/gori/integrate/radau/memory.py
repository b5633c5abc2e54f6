"""The memory of Radau IIA: what is kept from step to step, and what is computed before it is read.

Of y = (q, v, z, w), u = (v, z) has nu numbers. `dense` has room if the Jacobian is a matrix, `tree` if it is not.
"""

from gori.integrate.clock import MethodMemory, Sizes, method_memory
from gori.kernels.layout import array, field, layout, record
from gori.kernels.tree.complex_solve import N_BODY_C, N_DOF_C
from gori.kernels.tree.derivatives import N_BODY_D, N_DOF_D
from gori.kernels.tree.tree_solve import N_BODY_N, N_DOF_N

NONE, EARLIER, PRESENT = 0, 1, 2
FOR_ITS_STAGES, FOR_ITS_ERROR = 1, 2
AT_HAND = 1

RADAU_HEAD = record(
    "RadauHead",
    field("loosened", "", "times the tolerances, for a step over a singular pose; or 0"),
    field("known", "", "whether the stages of the last step are there", dtype="i8"),
    field("last_step", "s", "length of the last step"),
    field("made", "", "matrix of the Jacobian: NONE, EARLIER, or made at the PRESENT state", dtype="i8"),
    field("factored", "s", "step that its factors are for; 0: there are none"),
    field("contraction", "", "by which the last iterations have converged"),
    field("rest", "", "of the last change of Z: how many times as much was left to change"),
    field("refused", "", "why attempts at this step were refused: FOR_ITS_STAGES, FOR_ITS_ERROR; or 0", dtype="i8"),
    field("planned", "s", "the step after this one, to have a singular pose between its stages; or 0"),
    # counts since the start
    field("attempts", "", "at steps, refused ones included", dtype="i8"),
    field("iterations", "", "of Newton's method, three evaluations each", dtype="i8"),
    field("jacobians", "", "", dtype="i8"),
    field("factorisations", "", "", dtype="i8"),
)
COUNTS = ("attempts", "iterations", "jacobians", "factorisations")
"""fields of RADAU_HEAD"""

RADAU_SETTINGS = record(
    "RadauSettings", field("rtol", "", "relative tolerance"), field("atol", "", "absolute tolerance")
)

RADAU_STEP = record(
    "RadauStep",
    field("factors", "", "whether the factors are at hand, AT_HAND, or have to be made once more", dtype="i8"),
    field("pivot", "", "smallest pivot of the loops at the stages of the present attempt"),
    field("nearest", "", "position in the step of that stage, 0 to 1"),
    field("pivot_1", "", "of the loops at the first stage, before it was corrected; 0: not known"),
    field("pivot_2", "", "at the second"),
    field("pivot_3", "", "at the third"),
    field("iterations", "", "of the present attempt", dtype="i8"),
    field("slow", "", "step by which to continue where iterations converge too slowly, as a share"),
)

RADAU_STATE = layout(
    "RadauState",
    ("n", "axes", "unknowns"),
    array("rates", "n", "", "dy/dt at the present state"),
    array("last", "3 n", "", "Z of the last step"),
    array("by_q", "axes unknowns", "", "E by columns"),
    array("by_u", "unknowns unknowns", "", "B by columns"),
)
"""axes = nv and unknowns = nu with a matrix, or both 0"""

RADAU_WORK = layout(
    "RadauWork",
    ("nv", "n", "nu"),
    array("Z", "3 n", "", "what the stages add to y"),
    array("rates", "3 n", "", "dy/dt of the stages"),
    array("W", "3 nu", "", "T^-1 Z, of u"),
    array("right", "3 nu", "", "right-hand sides of the real and the complex equations, then changes of W"),
    array("scale", "n", "", "tolerance of each number of y"),
    array("trial", "n", "", "state of a stage"),
    array("new", "n", "", "state at the end of the step"),
    array("new_rates", "n", "", "dy/dt there"),
    array("error", "n", "", "of the step"),
    array("slope", "n", "", "dy/dt at the start less that of the polynomial"),
    array("tangent", "nv", "", "a change of q, along the axes"),
)

RADAU_DENSE = layout(
    "RadauDense",
    ("axes", "unknowns"),
    array("real", "unknowns unknowns", "", "1 - c B - c^2 E by columns, then its factors, for the real c"),
    array("pivots", "unknowns", "", "room for its pivots"),
    array("complex", "unknowns unknowns 2", "", "the same for the complex c"),
    array("complex_pivots", "unknowns", "", "room for its pivots"),
    array("axis_scale", "axes", "m, 1", "what makes axes comparable; made when it is not there"),
)

RADAU_TREE = layout(
    "RadauTree",
    ("nrow", "nv", "nz"),
    array("body_d", f"nrow {N_BODY_D}", "", "for the derivatives"),
    array("dof_d", f"nv {N_DOF_D}", "", "for the derivatives"),
    array("body_n", f"nrow {N_BODY_N}", "", "for the real c"),
    array("dof_n", f"nv {N_DOF_N}", "", "for the real c"),
    array("body_c", f"nrow {N_BODY_C}", "", "for the complex c"),
    array("dof_c", f"nv {N_DOF_C}", "", "for the complex c"),
    array("stiffness", "nv", "N m/rad, N/m", "of the forces on each axis"),
    array("damping", "nv", "N m s/rad, N s/m", "of the forces on each axis"),
    array("diagonal", "nv", "", "what they and the armature add to M + c C + c^2 K"),
    array("complex_diagonal", "2 nv", "", "the same for the complex c"),
    array("by_speed", "nz", "", "dz'/dv of friction elements"),
    array("by_state", "nz", "1/s", "dz'/dz of friction elements"),
    array("force", "nv", "", "M times a vector"),
)

RadauMemory = method_memory(
    "RadauMemory",
    RADAU_HEAD,
    RADAU_STATE,
    RADAU_SETTINGS,
    RADAU_STEP,
    work=RADAU_WORK,
    dense=RADAU_DENSE,
    tree=RADAU_TREE,
)


def radau_memory(sizes: Sizes, rtol: float, atol: float) -> MethodMemory:
    """A new memory. Without loops, and with forces on single axes alone, no matrix is needed."""
    matrix = sizes.ne > 0 or not sizes.on_axes
    nu = sizes.nv + sizes.nz
    named = sizes.named() | {"nu": nu, "axes": sizes.nv if matrix else 0, "unknowns": nu if matrix else 0}
    return RadauMemory.make(named, ("tree" if matrix else "dense",), rtol=rtol, atol=atol)
