"""The linearised dynamics of a tree solved in O(n) for a complex step c: (M + c C + c^2 K + diag) x = b.

The elimination is that of `tree_solve.py`, with complex numbers: g, V, A, D and x have a real and an imaginary part.
What is real - the axes S, and what each body adds to A - is read from the tables of `tree_solve.py`, which are made
first. Complex vectors are given by two arrays, of the real and of the imaginary parts.
"""

from gori.kernels.jit import part
from gori.kernels.lanes import read8, sum8, write8
from gori.kernels.tree.columns import CHILDREN, NDOF, PARENT, V0
from gori.kernels.tree.derivatives import PHI, PSI, PSI2, F
from gori.kernels.tree.inverse_mass import AXIS, put6, six
from gori.kernels.tree.kinematics import cross
from gori.kernels.tree.tree_solve import OWN, SCREW, along, minus_product, nine, plus, times

# body_c (nrow, N_BODY_C)
SUM_RE = 0  # 9 x 8: A of its children, where branches meet
SUM_IM = 72
FELT_RE = 144  # 8: w of its children, or z, where branches meet or part
FELT_IM = 152
NINTH_RE = 160  # the ninth number of z
NINTH_IM = 161
N_BODY_C = 168

# dof_c (nv, N_DOF_C)
GAIN_RE = 0  # 9: g
GAIN_IM = 16
ROW_RE = 32  # 9: L
ROW_IM = 48
REACT_RE = 64  # 8: U, for a joint of one axis U + V
REACT_IM = 72
TWIST_RE = 80  # 8: V of a joint of several axes
TWIST_IM = 88
OVER_D_RE = 96  # 1/D
OVER_D_IM = 97
RHO_RE = 98
RHO_IM = 99
N_DOF_C = 104


@part
def complex_gains(body_i, c_re, c_im, body_d, dof_d, body_c, dof_c):
    """g and V of all axes for c = c_re + i c_im, after `gains`, which has summed up the forces F."""
    q_re, q_im = c_re * c_re - c_im * c_im, 2.0 * c_re * c_im
    for i in range(1, body_i.shape[0]):
        force = six(body_d, i, F)
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            s, t, u, w = six(dof_d, k, AXIS), six(dof_d, k, PHI), six(dof_d, k, PSI2), six(dof_d, k, PSI)
            for r in range(6):
                dof_c[k, GAIN_RE + r] = s[r] + c_re * t[r] + q_re * u[r]
                dof_c[k, GAIN_IM + r] = c_im * t[r] + q_im * u[r]
            for r in range(3):
                dof_c[k, GAIN_RE + 6 + r] = c_re * s[r] + q_re * w[r]
                dof_c[k, GAIN_IM + 6 + r] = c_im * s[r] + q_im * w[r]
            x0, x1, x2 = cross(s[0], s[1], s[2], force[0], force[1], force[2])
            y0, y1, y2 = cross(s[3], s[4], s[5], force[3], force[4], force[5])
            z0, z1, z2 = cross(s[0], s[1], s[2], force[3], force[4], force[5])
            n0, n1, n2 = x0 + y0, x1 + y1, x2 + y2
            put6(dof_c, k, TWIST_RE, (q_re * n0, q_re * n1, q_re * n2, q_re * z0, q_re * z1, q_re * z2))
            put6(dof_c, k, TWIST_IM, (q_im * n0, q_im * n1, q_im * n2, q_im * z0, q_im * z1, q_im * z2))
            for r in range(6, 8):
                dof_c[k, TWIST_RE + r], dof_c[k, TWIST_IM + r] = 0.0, 0.0
        if body_i[i, CHILDREN] > 1:
            for r in range(SUM_RE, SUM_IM + 72):
                body_c[i, r] = 0.0


@part
def complex_eliminate(body_i, diagonal, body_n, dof_n, body_c, dof_c):
    """Tips to ground: U, L and 1/D of every axis. Returns False where some D is zero or not finite.

    diagonal (2, nv): real and imaginary parts. A + i B is what `tree_solve.py` calls A.
    """
    zero = 0.0 * read8(dof_n, 0, SCREW)
    none = (zero, zero, zero, zero, zero, zero, zero, zero, zero)
    A, B, sound = none, none, True
    for i in range(body_i.shape[0] - 1, 0, -1):
        p, several = body_i[i, PARENT], body_i[i, NDOF] > 1
        if body_i[i, CHILDREN] == 1:
            A = plus(A, nine(body_n, i, OWN))
        elif body_i[i, CHILDREN] > 1:
            A, B = plus(nine(body_n, i, OWN), nine(body_c, i, SUM_RE)), nine(body_c, i, SUM_IM)
        else:
            A, B = nine(body_n, i, OWN), none
        aside_re, aside_im = none, none
        for k in range(body_i[i, V0] + body_i[i, NDOF] - 1, body_i[i, V0] - 1, -1):
            s, v_re, v_im = read8(dof_n, k, SCREW), read8(dof_c, k, TWIST_RE), read8(dof_c, k, TWIST_IM)
            u_re = times(A, dof_c, k, GAIN_RE) - times(B, dof_c, k, GAIN_IM)
            u_im = times(A, dof_c, k, GAIN_IM) + times(B, dof_c, k, GAIN_RE)
            row_re, row_im = along(s, A), along(s, B)
            d_re, d_im = sum8(s * u_re) + diagonal[0, k], sum8(s * u_im) + diagonal[1, k]
            square = d_re * d_re + d_im * d_im
            over_re, over_im = d_re / square, -d_im / square
            sound = sound and over_re * 0.0 == 0.0 and over_im * 0.0 == 0.0
            if several:
                v_re = v_re + times(aside_re, dof_c, k, GAIN_RE) - times(aside_im, dof_c, k, GAIN_IM)
                v_im = v_im + times(aside_re, dof_c, k, GAIN_IM) + times(aside_im, dof_c, k, GAIN_RE)
                write8(dof_c, k, TWIST_RE, v_re)
                write8(dof_c, k, TWIST_IM, v_im)
                x, y = v_re * over_re - v_im * over_im, v_re * over_im + v_im * over_re
                aside_re = minus_product(minus_product(aside_re, x, row_re), -y, row_im)
                aside_im = minus_product(minus_product(aside_im, x, row_im), y, row_re)
            else:
                u_re, u_im = u_re + v_re, u_im + v_im
            x, y = u_re * over_re - u_im * over_im, u_re * over_im + u_im * over_re
            A = minus_product(minus_product(A, x, row_re), -y, row_im)
            B = minus_product(minus_product(B, x, row_im), y, row_re)
            write8(dof_c, k, REACT_RE, u_re)
            write8(dof_c, k, REACT_IM, u_im)
            for r in range(9):
                dof_c[k, ROW_RE + r], dof_c[k, ROW_IM + r] = row_re[r], row_im[r]
            dof_c[k, OVER_D_RE], dof_c[k, OVER_D_IM] = over_re, over_im
        if several:
            A, B = plus(A, aside_re), plus(B, aside_im)
        if p > 0 and body_i[p, CHILDREN] > 1:
            for r in range(9):
                write8(body_c, p, SUM_RE + 8 * r, read8(body_c, p, SUM_RE + 8 * r) + A[r])
                write8(body_c, p, SUM_IM + 8 * r, read8(body_c, p, SUM_IM + 8 * r) + B[r])
    return sound


@part
def complex_substitute(body_i, x_re, x_im, dof_n, body_c, dof_c):
    """x_re + i x_im, both (nv,), becomes N^-1 times it, after `complex_eliminate`."""
    none = 0.0 * read8(dof_n, 0, SCREW)
    w_re, w_im = none, none
    for i in range(1, body_i.shape[0]):
        if body_i[i, CHILDREN] > 1:
            write8(body_c, i, FELT_RE, none)
            write8(body_c, i, FELT_IM, none)
    for i in range(body_i.shape[0] - 1, 0, -1):
        p, several = body_i[i, PARENT], body_i[i, NDOF] > 1
        if body_i[i, CHILDREN] > 1:
            w_re, w_im = read8(body_c, i, FELT_RE), read8(body_c, i, FELT_IM)
        elif body_i[i, CHILDREN] == 0:
            w_re, w_im = none, none
        aside_re, aside_im = none, none
        for k in range(body_i[i, V0] + body_i[i, NDOF] - 1, body_i[i, V0] - 1, -1):
            s, over_re, over_im = read8(dof_n, k, SCREW), dof_c[k, OVER_D_RE], dof_c[k, OVER_D_IM]
            rho_re, rho_im = x_re[k] - sum8(s * w_re), x_im[k] - sum8(s * w_im)
            dof_c[k, RHO_RE], dof_c[k, RHO_IM] = rho_re, rho_im
            g_re, g_im = rho_re * over_re - rho_im * over_im, rho_re * over_im + rho_im * over_re
            u_re, u_im = read8(dof_c, k, REACT_RE), read8(dof_c, k, REACT_IM)
            w_re, w_im = w_re + u_re * g_re - u_im * g_im, w_im + u_re * g_im + u_im * g_re
            if several:
                v_re, v_im = read8(dof_c, k, TWIST_RE), read8(dof_c, k, TWIST_IM)
                aside_re = aside_re + v_re * g_re - v_im * g_im
                aside_im = aside_im + v_re * g_im + v_im * g_re
        w_re, w_im = w_re + aside_re, w_im + aside_im
        if p > 0 and body_i[p, CHILDREN] > 1:
            write8(body_c, p, FELT_RE, read8(body_c, p, FELT_RE) + w_re)
            write8(body_c, p, FELT_IM, read8(body_c, p, FELT_IM) + w_im)

    z_re, z_im, last_re, last_im = none, none, 0.0, 0.0
    for i in range(1, body_i.shape[0]):
        p = body_i[i, PARENT]
        if p == 0:
            z_re, z_im, last_re, last_im = none, none, 0.0, 0.0
        elif p != i - 1:
            z_re, z_im = read8(body_c, p, FELT_RE), read8(body_c, p, FELT_IM)
            last_re, last_im = body_c[p, NINTH_RE], body_c[p, NINTH_IM]
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            l_re, l_im = read8(dof_c, k, ROW_RE), read8(dof_c, k, ROW_IM)
            m_re, m_im = dof_c[k, ROW_RE + 8], dof_c[k, ROW_IM + 8]
            rho_re = dof_c[k, RHO_RE] - sum8(l_re * z_re - l_im * z_im) - (m_re * last_re - m_im * last_im)
            rho_im = dof_c[k, RHO_IM] - sum8(l_re * z_im + l_im * z_re) - (m_re * last_im + m_im * last_re)
            over_re, over_im = dof_c[k, OVER_D_RE], dof_c[k, OVER_D_IM]
            a, b = rho_re * over_re - rho_im * over_im, rho_re * over_im + rho_im * over_re
            x_re[k], x_im[k] = a, b
            g_re, g_im = read8(dof_c, k, GAIN_RE), read8(dof_c, k, GAIN_IM)
            z_re, z_im = z_re + g_re * a - g_im * b, z_im + g_re * b + g_im * a
            h_re, h_im = dof_c[k, GAIN_RE + 8], dof_c[k, GAIN_IM + 8]
            last_re, last_im = last_re + h_re * a - h_im * b, last_im + h_re * b + h_im * a
        if body_i[i, CHILDREN] > 1:
            write8(body_c, i, FELT_RE, z_re)
            write8(body_c, i, FELT_IM, z_im)
            body_c[i, NINTH_RE], body_c[i, NINTH_IM] = last_re, last_im
