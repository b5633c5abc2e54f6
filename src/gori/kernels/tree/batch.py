"""From rows of states to lanes and back: eight states become one SIMD value for each coordinate.

Blocks of eight states times eight coordinates are transposed in registers; the edges go one by one.
"""

from gori.kernels.jit import kernel, part
from gori.kernels.lanes import WIDTH, lanes, read8, transpose8, write8


@part
def load(rows, first, buffer):
    """rows (B, n) from row `first` on -> buffer (n, 8); lanes past the end repeat the last row."""
    n, last, done = rows.shape[1], rows.shape[0] - 1, 0
    if first + WIDTH - 1 <= last:
        x = lanes(buffer)
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
def store(buffer, first, rows):
    """buffer (n, 8) -> rows (B, n) from row `first` on; lanes past the end are dropped."""
    n, done = rows.shape[1], 0
    count = min(WIDTH, rows.shape[0] - first)
    if count == WIDTH:
        x = lanes(buffer)
        for k in range(0, n - WIDTH + 1, WIDTH):
            store_block(rows, first, k, x[k], x[k + 1], x[k + 2], x[k + 3], x[k + 4], x[k + 5], x[k + 6], x[k + 7])
            done = k + WIDTH
    for lane in range(count):
        for k in range(done, n):
            rows[first + lane, k] = buffer[k, lane]


@part
def store_transposed(square, sign, first, rows):
    """square (n, n, 8) -> rows (B, n * n), each state's matrix transposed and multiplied by sign."""
    n, done = square.shape[0], 0
    count = min(WIDTH, rows.shape[0] - first)
    if count == WIDTH:
        x = lanes(square)
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
