"""Factors of a symmetric positive matrix of 8 x 8 blocks, most of which are empty: L L', block column after column.

The lower blocks stand in one array, row i after row i - 1, each by rows, so that a row of a block is one SIMD value.
`filled` (n, n) says which are not empty; blocks fill in as columns are eliminated, and empty ones cost nothing. Of the
diagonal blocks only inverses of their factors are kept.
"""

import math

from gori.kernels.jit import block, part
from gori.kernels.lanes import WIDTH, lanes, lanes_of, spread, sum8


@part
def at(i, j):
    """Where block (i, j), i >= j, stands."""
    return i * (i + 1) // 2 + j


@part
def begin_matrix(matrix, filled):
    """The unit matrix (n (n + 1) / 2, 8, 8)."""
    for i in range(filled.shape[0]):
        for j in range(i):
            filled[i, j] = 0
        for r in range(WIDTH):
            for c in range(WIDTH):
                matrix[at(i, i), r, c] = 1.0 if r == c else 0.0


@part
def fill_block(matrix, filled, i, j):
    """Make room for block (i, j), i > j."""
    if filled[i, j] == 0:
        filled[i, j] = 1
        rows, b, zero = lanes(matrix), at(i, j), spread(0.0)
        for r in range(WIDTH):
            rows[b, r] = zero


@part
def factor_diagonal(matrix, i, corner):
    """Transposed inverse of the factor of diagonal block i into corner (8, 8); False if it is not positive."""
    A = matrix[at(i, i)]
    for c in range(WIDTH):
        for r in range(c, WIDTH):
            sum = A[r, c]
            for k in range(c):
                sum -= A[r, k] * A[c, k]
            if r == c:
                if not sum > 0.0:
                    return False
                A[c, c] = math.sqrt(sum)
            else:
                A[r, c] = sum / A[c, c]
    for c in range(WIDTH):
        for r in range(WIDTH):
            if r < c:
                corner[c, r] = 0.0
                continue
            sum = 1.0 if r == c else 0.0
            for k in range(c, r):
                sum -= A[r, k] * corner[c, k]
            corner[c, r] = sum / A[r, r]
    return True


@part
def times(rows, b, numbers, a, right, c, sign, start):
    """Block b = start * block b + sign * (block a) (block c of `right`), by rows."""
    x0, x1, x2, x3 = right[c, 0], right[c, 1], right[c, 2], right[c, 3]
    x4, x5, x6, x7 = right[c, 4], right[c, 5], right[c, 6], right[c, 7]
    for r in range(WIDTH):
        low = numbers[a, r, 0] * x0 + numbers[a, r, 1] * x1 + numbers[a, r, 2] * x2 + numbers[a, r, 3] * x3
        high = numbers[a, r, 4] * x4 + numbers[a, r, 5] * x5 + numbers[a, r, 6] * x6 + numbers[a, r, 7] * x7
        rows[b, r] = start * rows[b, r] + sign * (low + high)


@part
def transpose(matrix, b, turned, i):
    """Block b of the matrix, transposed, into `turned`."""
    for r in range(WIDTH):
        for c in range(WIDTH):
            turned[i, c, r] = matrix[b, r, c]


@block
def factor_blocks(matrix, filled, corner, turned):
    """L of a matrix in its place, but for its diagonal blocks, of which corner (n, 8, 8) gets the transposed inverses.

    turned (n, 8, 8) is work. Returns False if the matrix is not positive.
    """
    n, rows, corners, columns = filled.shape[0], lanes(matrix), lanes(corner), lanes(turned)
    for k in range(n):
        if not factor_diagonal(matrix, k, corner[k]):
            return False
        for i in range(k + 1, n):
            if filled[i, k] == 1:
                times(rows, at(i, k), matrix, at(i, k), corners, k, 1.0, 0.0)
                transpose(matrix, at(i, k), turned, i)
        for i in range(k + 1, n):
            if filled[i, k] == 0:
                continue
            for j in range(k + 1, i + 1):
                if j == i or filled[j, k] == 1:
                    if j < i:
                        fill_block(matrix, filled, i, j)
                    times(rows, at(i, j), matrix, at(i, k), columns, j, -1.0, 1.0)
    return True


@block
def solve_blocks(matrix, filled, corner, x):
    """x (8 n,) = (L L')^-1 x, after `factor_blocks`."""
    n, rows, corners, blocks = filled.shape[0], lanes(matrix), lanes(corner), lanes_of(x)
    for i in range(n):
        for j in range(i):
            if filled[i, j] == 1:
                b, eight = at(i, j), blocks[j]
                for r in range(WIDTH):
                    x[WIDTH * i + r] -= sum8(rows[b, r] * eight)
        sum = spread(0.0)
        for r in range(WIDTH):
            sum = sum + x[WIDTH * i + r] * corners[i, r]
        blocks[i] = sum
    for i in range(n - 1, -1, -1):
        eight = blocks[i]
        for r in range(WIDTH):
            x[WIDTH * i + r] = sum8(corners[i, r] * eight)
        for j in range(i):
            if filled[i, j] == 1:
                b, sum = at(i, j), spread(0.0)
                for r in range(WIDTH):
                    sum = sum + x[WIDTH * i + r] * rows[b, r]
                blocks[j] = blocks[j] - sum
