"""Numbers of machines on a GPU as float32, by choice: half of the memory that threads read and write.

So are stored, where each machine has its own, tables of the Model and the work of the tree: poses, twists, inertias and
forces of the bodies, which each evaluation recomputes. All arithmetic is in float64. The state y and what methods keep
stay float64, or positions would lose what a step adds to them; so do time, inputs, the forces on axes, and expressions.
Loops, which would not close to their tolerance, and wheels, which would feel steps of their ground far from the origin,
are refused.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from gori.errors import InputError, UnsupportedError
from gori.kernels.batch.members import TILED, Laid, Tree
from gori.model import Model
from gori.text.arguments import is_one_of

PRECISIONS = ("float64", "float32")
SINGLE = ("machine.*", "data.body_w", "data.dof_w")
"""members that become float32"""


def is_single(precision: str, model: Model, device: str) -> bool:
    """Whether float32 was asked for; refuses by name what cannot bear it."""
    if not is_one_of(precision, PRECISIONS):
        raise InputError(f"precision must be 'float64' or 'float32', not {precision!r}")
    refused = {
        "on a CPU, where machines are as Simulations to the last bit": device != "cuda",
        f"for closed loops ({', '.join(model.loops)}), which need the digits": bool(model.loops),
        "for vehicles": model.vehicle is not None,
        "for contact between bodies": model.contact is not None,
    }
    if precision == "float32":
        for words, there in refused.items():
            if there:
                raise UnsupportedError(f"precision float32 is not there {words}: leave it out")
    return precision == "float32"


def in_single(tree: Tree, above: str = "") -> Tree:
    """The tree with all that may be stored as float32 so."""
    made = {}
    for name, value in tree.items():
        path = f"{above}{name}"
        if isinstance(value, Mapping):
            made[name] = in_single(value, f"{path}.")
        elif isinstance(value, Laid) and may_be_single(path, value):
            made[name] = value._replace(single=True)
        else:
            made[name] = value
    return made


def may_be_single(path: str, laid: Laid) -> bool:
    """Whether the numbers of a member are stored as float32."""
    numbers = laid.place == TILED and laid.array.dtype.kind == "f"
    return numbers and any(fnmatchcase(path, single) for single in SINGLE)
