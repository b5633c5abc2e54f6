"""From rows of states to lanes and back: eight states become one SIMD value for each coordinate.

Blocks of eight states times eight coordinates are transposed in registers; the edges go one by one.

A batch kernel takes the tables of the Model, arrays with one row for each state, and one flat workspace for eight
states, declared beside the kernel with `lane_work` and cut into arrays of Lanes with `carve(lanes_of(work), ...)`.
"""

from gori.kernels.jit import kernel, part
from gori.kernels.lanes import WIDTH, numbers, read8, transpose8, write8
from gori.kernels.layout import Array, Layout, array, layout
from gori.kernels.tree.columns import N_BODY_W, N_DOF_W

BODY_W = array("body_w", f"nrow {N_BODY_W}", "", "bodies (`columns.py`)")
DOF_W = array("dof_w", f"nv {N_DOF_W}", "", "degrees of freedom (`columns.py`)")


def lane_work(name: str, *arrays: Array, sizes: tuple[str, ...] = ()) -> Layout:
    """Workspace of a batch kernel, in Lanes: the tables of the tree, and arrays of the kernel."""
    return layout(name, ("nrow", "nq", "nv", *sizes), BODY_W, DOF_W, *arrays)


@part
def fill(x, value):
    """Set all elements of an array of Lanes."""
    flat = x.reshape(x.size)
    for k in range(flat.shape[0]):
        flat[k] = value


@part
def load(rows, first, x):
    """rows (B, n) from row `first` on -> x (n,) of Lanes; lanes past the end repeat the last row."""
    n, last, done = rows.shape[1], rows.shape[0] - 1, 0
    buffer = numbers(x)
    if first + WIDTH - 1 <= last:
        for k in range(0, n - WIDTH + 1, WIDTH):
            x[k], x[k + 1], x[k + 2], x[k + 3], x[k + 4], x[k + 5], x[k + 6], x[k + 7] = transpose8((
                read8(rows, first, k), read8(rows, first + 1, k),
                read8(rows, first + 2, k), read8(rows, first + 3, k),
                read8(rows, first + 4, k), read8(rows, first + 5, k),
                read8(rows, first + 6, k), read8(rows, first + 7, k),
            ))  # fmt: skip
            done = k + WIDTH
    for lane in range(WIDTH):
        row = min(first + lane, last)
        for k in range(done, n):
            buffer[k, lane] = rows[row, k]


@part
def store_block(rows, first, k, x0, x1, x2, x3, x4, x5, x6, x7):
    """Eight Lanes -> rows (B, n), columns k to k + 7, from row `first` on."""
    y0, y1, y2, y3, y4, y5, y6, y7 = transpose8((x0, x1, x2, x3, x4, x5, x6, x7))
    write8(rows, first, k, y0)
    write8(rows, first + 1, k, y1)
    write8(rows, first + 2, k, y2)
    write8(rows, first + 3, k, y3)
    write8(rows, first + 4, k, y4)
    write8(rows, first + 5, k, y5)
    write8(rows, first + 6, k, y6)
    write8(rows, first + 7, k, y7)


@part
def store(x, first, rows):
    """x (n,) of Lanes -> rows (B, n) from row `first` on; lanes past the end are dropped."""
    n, done = rows.shape[1], 0
    buffer = numbers(x)
    count = min(WIDTH, rows.shape[0] - first)
    if count == WIDTH:
        for k in range(0, n - WIDTH + 1, WIDTH):
            store_block(rows, first, k, x[k], x[k + 1], x[k + 2], x[k + 3], x[k + 4], x[k + 5], x[k + 6], x[k + 7])
            done = k + WIDTH
    for lane in range(count):
        for k in range(done, n):
            rows[first + lane, k] = buffer[k, lane]


@part
def store_transposed(x, sign, first, rows):
    """x (n, n) of Lanes -> rows (B, n * n), each state's matrix transposed and multiplied by sign."""
    n, done = x.shape[0], 0
    square = numbers(x)
    count = min(WIDTH, rows.shape[0] - first)
    if count == WIDTH:
        for r in range(n):
            for c in range(0, n - WIDTH + 1, WIDTH):
                store_block(
                    rows, first, r * n + c,
                    sign * x[c, r], sign * x[c + 1, r], sign * x[c + 2, r], sign * x[c + 3, r],
                    sign * x[c + 4, r], sign * x[c + 5, r], sign * x[c + 6, r], sign * x[c + 7, r],
                )  # fmt: skip
        done = n - n % WIDTH
    for lane in range(count):
        for r in range(n):
            for c in range(done, n):
                rows[first + lane, r * n + c] = sign * square[c, r, lane]


@kernel("b1(f8[::1])")
def all_finite(x):
    """Whether there is no NaN and no infinity: their product with zero is NaN."""
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k] * 0.0
    return total == 0.0
