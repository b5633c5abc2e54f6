"""The linearised dynamics of a tree solved in O(n), with no matrix: (M + cv C + cq K + diag) x = b.

M, C = d tau/dv and K = d tau/dq are those of inverse dynamics (`derivatives.py`, whose notation is used here), with
gravity, Coriolis and centrifugal forces; diag is what acts on single axes: springs, dampers, motors, armature. With
m the deeper of the axes i and j, N = M + cv C + cq K is

    N_ij = S_i' (I_m^C alpha_j + 2 B_m^C beta_j) + [j is deeper] cq S_i' (S_j x* F_j^C)
    alpha_j = S_j + cv (psi'_j + S'_j) + cq psi''_j,      beta_j = cv S_j + cq psi'_j  (its angular part is enough)

So a body answers a change of its motion z = (alpha; beta), nine numbers, with a wrench W = A z + w, and an axis adds
g = (alpha_j; beta_j) to z. The elimination is that of the articulated-body algorithm, with a 6 x 9 matrix A in place
of the articulated inertia:

    inward    U = A g, L = S' A, D = S' U + diag, V = cq S x* F^C;   A -= (U + V) L / D
              rho = b - S' w;                                        w += (U + V) rho / D
    outward   x = (rho - L z) / D,                                   z += g x

It is exact: for cq = cv = 0 it is M^-1, and no iteration is needed. A joint of several axes is taken one axis at a
time; V of its axes is not felt by the others of the same joint, because their S turn with the body.

Not pivoted: D vanishes only where an axis moves no inertia, or the machine is at the edge of stability within one step.
It counts as zero up to ROUNDING (`aba.py`) times the inertia at the axis, from which nothing was subtracted.
"""

from gori.kernels.jit import part
from gori.kernels.lanes import read8, sum8, write8
from gori.kernels.tree.aba import ROUNDING
from gori.kernels.tree.columns import ARMATURE, CHILDREN, NDOF, PARENT, V0
from gori.kernels.tree.derivatives import PHI, PSI, PSI2, F, H, J, M, P, T
from gori.kernels.tree.inverse_mass import AXIS, put6, six
from gori.kernels.tree.kinematics import cross

# body_n (nrow, N_BODY_N): columns of eight numbers, the last two of them zero
OWN = 0  # 9 x 8: the body's own A
SUM = 72  # 9 x 8: A of its children, where branches meet
FELT = 144  # 8: w of its children, or z, where branches meet or part
FELT_LAST = 152  # the ninth number of z
MOVED = 160  # 8: alpha, for products with M
OWN_DIAGONAL = 168  # 8: diagonal of the body's own inertia
SUM_DIAGONAL = 176  # 8: of all that it carries, where branches meet
N_BODY_N = 184

# dof_n (nv, N_DOF_N)
SCREW = 0  # 8: S, two zeros
GAIN = 8  # 9: g
ROW = 24  # 9: L
REACT = 40  # 8: U, for a joint of one axis U + V
TWIST = 48  # 8: V of a joint of several axes
D_INVERSE = 56
RHO = 57
N_DOF_N = 64


@part
def nine(table, row, k):
    """Nine columns of eight numbers."""
    return (
        read8(table, row, k), read8(table, row, k + 8), read8(table, row, k + 16),
        read8(table, row, k + 24), read8(table, row, k + 32), read8(table, row, k + 40),
        read8(table, row, k + 48), read8(table, row, k + 56), read8(table, row, k + 64),
    )  # fmt: skip


@part
def plus(a, b):
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5], a[6] + b[6], a[7] + b[7],
        a[8] + b[8],
    )  # fmt: skip


@part
def times(a, table, row, k):
    """The matrix a of nine columns times nine numbers of a row."""
    x = a[0] * table[row, k] + a[1] * table[row, k + 1] + a[2] * table[row, k + 2]
    y = a[3] * table[row, k + 3] + a[4] * table[row, k + 4] + a[5] * table[row, k + 5]
    return x + (y + a[6] * table[row, k + 6] + a[7] * table[row, k + 7] + a[8] * table[row, k + 8])


@part
def along(s, a):
    """s' a: nine numbers."""
    return (
        sum8(s * a[0]), sum8(s * a[1]), sum8(s * a[2]), sum8(s * a[3]), sum8(s * a[4]), sum8(s * a[5]),
        sum8(s * a[6]), sum8(s * a[7]), sum8(s * a[8]),
    )  # fmt: skip


@part
def minus_product(a, u, row):
    """a - u row'."""
    return (
        a[0] - u * row[0], a[1] - u * row[1], a[2] - u * row[2], a[3] - u * row[3], a[4] - u * row[4],
        a[5] - u * row[5], a[6] - u * row[6], a[7] - u * row[7], a[8] - u * row[8],
    )  # fmt: skip


@part
def own_columns(body_i, body_d, body_n):
    """What each body adds to A: its inertia on alpha, 2 B on beta; after `rigid_terms`."""
    for i in range(1, body_i.shape[0]):
        jxx, jyy, jzz, jxy, jxz, jyz = six(body_d, i, J)
        hx, hy, hz, m = body_d[i, H], body_d[i, H + 1], body_d[i, H + 2], body_d[i, M]
        px, py, pz = 2.0 * body_d[i, P], 2.0 * body_d[i, P + 1], 2.0 * body_d[i, P + 2]
        put6(body_n, i, OWN, (jxx, jxy, jxz, 0.0, -hz, hy))
        put6(body_n, i, OWN + 8, (jxy, jyy, jyz, hz, 0.0, -hx))
        put6(body_n, i, OWN + 16, (jxz, jyz, jzz, -hy, hx, 0.0))
        put6(body_n, i, OWN + 24, (0.0, hz, -hy, m, 0.0, 0.0))
        put6(body_n, i, OWN + 32, (-hz, 0.0, hx, 0.0, m, 0.0))
        put6(body_n, i, OWN + 40, (hy, -hx, 0.0, 0.0, 0.0, m))
        put6(body_n, i, OWN + 48, (body_d[i, T], body_d[i, T + 3], body_d[i, T + 6], 0.0, -pz, py))
        put6(body_n, i, OWN + 56, (body_d[i, T + 1], body_d[i, T + 4], body_d[i, T + 7], pz, 0.0, -px))
        put6(body_n, i, OWN + 64, (body_d[i, T + 2], body_d[i, T + 5], body_d[i, T + 8], -py, px, 0.0))
        put6(body_n, i, OWN_DIAGONAL, (jxx, jyy, jzz, m, m, m))
        body_n[i, OWN_DIAGONAL + 6], body_n[i, OWN_DIAGONAL + 7] = 0.0, 0.0
        if body_i[i, CHILDREN] > 1:
            for k in range(SUM, SUM + 72):
                body_n[i, k] = 0.0
            for k in range(SUM_DIAGONAL, SUM_DIAGONAL + 8):
                body_n[i, k] = 0.0


@part
def gains(body_i, cv, cq, body_d, dof_d, dof_n):
    """S, g and V of all axes, with forces F summed up from the leaves; after `rigid_terms`."""
    for i in range(body_i.shape[0] - 1, 0, -1):
        p = body_i[i, PARENT]
        force = six(body_d, i, F)
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            s, t, u, w = six(dof_d, k, AXIS), six(dof_d, k, PHI), six(dof_d, k, PSI2), six(dof_d, k, PSI)
            put6(dof_n, k, SCREW, s)
            gain = (
                s[0] + cv * t[0] + cq * u[0], s[1] + cv * t[1] + cq * u[1], s[2] + cv * t[2] + cq * u[2],
                s[3] + cv * t[3] + cq * u[3], s[4] + cv * t[4] + cq * u[4], s[5] + cv * t[5] + cq * u[5],
            )  # fmt: skip
            put6(dof_n, k, GAIN, gain)
            for r in range(3):
                dof_n[k, GAIN + 6 + r] = cv * s[r] + cq * w[r]
            x0, x1, x2 = cross(s[0], s[1], s[2], force[0], force[1], force[2])
            y0, y1, y2 = cross(s[3], s[4], s[5], force[3], force[4], force[5])
            z0, z1, z2 = cross(s[0], s[1], s[2], force[3], force[4], force[5])
            put6(dof_n, k, TWIST, (cq * (x0 + y0), cq * (x1 + y1), cq * (x2 + y2), cq * z0, cq * z1, cq * z2))
        if p > 0:
            for r in range(6):
                body_d[p, F + r] += force[r]


@part
def eliminate(body_i, diagonal, body_n, dof_n):
    """Tips to ground: U, L and 1/D of every axis; diagonal (nv,). False where some D is rounding, or 1/D not finite."""
    zero = 0.0 * read8(dof_n, 0, SCREW)
    none = (zero, zero, zero, zero, zero, zero, zero, zero, zero)
    A, weight, sound = none, zero, True
    for i in range(body_i.shape[0] - 1, 0, -1):
        p, several = body_i[i, PARENT], body_i[i, NDOF] > 1
        A = plus(A, nine(body_n, i, OWN)) if body_i[i, CHILDREN] == 1 else nine(body_n, i, OWN)
        own = read8(body_n, i, OWN_DIAGONAL)
        weight = weight + own if body_i[i, CHILDREN] == 1 else own
        if body_i[i, CHILDREN] > 1:
            A = plus(A, nine(body_n, i, SUM))
            weight = weight + read8(body_n, i, SUM_DIAGONAL)
        aside = none
        for k in range(body_i[i, V0] + body_i[i, NDOF] - 1, body_i[i, V0] - 1, -1):
            s, twist = read8(dof_n, k, SCREW), read8(dof_n, k, TWIST)
            u = times(A, dof_n, k, GAIN)
            row = along(s, A)
            D = sum8(s * u) + diagonal[k]
            inverse = 1.0 / D
            sound = sound and inverse * 0.0 == 0.0 and abs(D) > ROUNDING * sum8(s * s * weight)
            if several:
                twist = twist + times(aside, dof_n, k, GAIN)
                write8(dof_n, k, TWIST, twist)
                aside = minus_product(aside, twist * inverse, row)
            else:
                u = u + twist
            A = minus_product(A, u * inverse, row)
            write8(dof_n, k, REACT, u)
            for r in range(9):
                dof_n[k, ROW + r] = row[r]
            dof_n[k, D_INVERSE] = inverse
        if several:
            A = plus(A, aside)
        if p > 0 and body_i[p, CHILDREN] > 1:
            for r in range(9):
                write8(body_n, p, SUM + 8 * r, read8(body_n, p, SUM + 8 * r) + A[r])
            write8(body_n, p, SUM_DIAGONAL, read8(body_n, p, SUM_DIAGONAL) + weight)
    return sound


@part
def substitute(body_i, b, x, body_n, dof_n):
    """x = N^-1 b, both (nv,), after `eliminate`; b and x may be the same."""
    none = 0.0 * read8(dof_n, 0, SCREW)
    w = none
    for i in range(1, body_i.shape[0]):
        if body_i[i, CHILDREN] > 1:
            write8(body_n, i, FELT, none)
    for i in range(body_i.shape[0] - 1, 0, -1):
        p, several = body_i[i, PARENT], body_i[i, NDOF] > 1
        if body_i[i, CHILDREN] != 1:
            w = read8(body_n, i, FELT) if body_i[i, CHILDREN] > 1 else none
        aside = none
        for k in range(body_i[i, V0] + body_i[i, NDOF] - 1, body_i[i, V0] - 1, -1):
            rho = b[k] - sum8(read8(dof_n, k, SCREW) * w)
            dof_n[k, RHO] = rho
            g = rho * dof_n[k, D_INVERSE]
            w = w + read8(dof_n, k, REACT) * g
            if several:
                aside = aside + read8(dof_n, k, TWIST) * g
        w = w + aside
        if p > 0 and body_i[p, CHILDREN] > 1:
            write8(body_n, p, FELT, read8(body_n, p, FELT) + w)

    z, last = none, 0.0
    for i in range(1, body_i.shape[0]):
        p = body_i[i, PARENT]
        if p == 0:
            z, last = none, 0.0
        elif p != i - 1:
            z, last = read8(body_n, p, FELT), body_n[p, FELT_LAST]
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            reaction = sum8(read8(dof_n, k, ROW) * z) + dof_n[k, ROW + 8] * last
            rate = (dof_n[k, RHO] - reaction) * dof_n[k, D_INVERSE]
            x[k] = rate
            z = z + read8(dof_n, k, GAIN) * rate
            last = last + dof_n[k, GAIN + 8] * rate
        if body_i[i, CHILDREN] > 1:
            write8(body_n, i, FELT, z)
            body_n[i, FELT_LAST] = last


@part
def mass_times(body_i, body_f, x, out, body_n, dof_n):
    """out = M x, both (nv,), after `own_columns` and `gains`."""
    none = 0.0 * read8(dof_n, 0, SCREW)
    write8(body_n, 0, MOVED, none)
    for i in range(1, body_i.shape[0]):
        alpha = read8(body_n, body_i[i, PARENT], MOVED)
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            alpha = alpha + read8(dof_n, k, SCREW) * x[k]
        write8(body_n, i, MOVED, alpha)
        wrench = none
        for r in range(6):
            wrench = wrench + read8(body_n, i, OWN + 8 * r) * body_n[i, MOVED + r]
        write8(body_n, i, FELT, wrench)
    for i in range(body_i.shape[0] - 1, 0, -1):
        p, wrench = body_i[i, PARENT], read8(body_n, i, FELT)
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            out[k] = sum8(read8(dof_n, k, SCREW) * wrench) + body_f[i, ARMATURE] * x[k]
        if p > 0:
            write8(body_n, p, FELT, read8(body_n, p, FELT) + wrench)
