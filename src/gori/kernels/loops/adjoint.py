"""How equations of loops change with where bodies are and how they move: the derivatives of

    G = sum over equations e of  nu_e (J a + gamma)_e + kappa_e (J x)_e

added to the sums of the bodies (`tree/adjoint.py`), on the loops and along them. At p_B, with motions (w; v) and
(alpha; c) of A and B there, c the acceleration of the point that is fixed to the body, and all of B turning with it:

    ALONG     e . (c_B - s_A + w_A x v_A - 2 w_A x v_B)       s_A: spatial acceleration of A at p_B
    TILT ..   e . f'' + 2 e' . f' + e'' . f                   e turns with A, f with B
    TURNED    e . (alpha_B - alpha_A - w_A x w_B)
    DISTANT   n . (c_B - c_A) + (|u|^2 - (n . u)^2) / |d|     u = d', c_A and v_A of the point p_A

J x is linear in the motions that x gives to the bodies. What turns and moves A and B alike changes nothing: so the
derivatives by the pose of A are those of B with the other sign. Equations with a J that never changes have no G.
"""

import math

from gori.kernels.jit import block, part
from gori.kernels.loops.cuts import tilt
from gori.kernels.loops.system import solve
from gori.kernels.loops.tables import ALONG, COUPLED, DISTANT, DRIVEN, SCREWED, SLID, SPUN, TURNED
from gori.kernels.tree.adjoint import W, X, Y, Z
from gori.kernels.tree.derivatives import A, F, V
from gori.kernels.tree.inverse_mass import FROM_ROOT, plus, put6, six
from gori.kernels.tree.kinematics import cross

SOLVES = 3
"""solutions with the same factors: what eps changes fades away"""
ROUNDS = 12
CLOSE_ENOUGH = 1e-14


@part
def x3(a, b):
    """a x b."""
    return cross(a[0], a[1], a[2], b[0], b[1], b[2])


@part
def dot3(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@part
def sum3(a, s, b):
    """a + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@part
def six_of(a, b):
    return a[0], a[1], a[2], b[0], b[1], b[2]


@part
def scaled(s, x):
    """s times six numbers."""
    return s * x[0], s * x[1], s * x[2], s * x[3], s * x[4], s * x[5]


@part
def angular(x):
    return x[0], x[1], x[2]


@part
def linear_at(x, r):
    """Linear part of a motion at the point r."""
    return sum3((x[3], x[4], x[5]), 1.0, x3((x[0], x[1], x[2]), r))


@part
def from_reference(body_d, row, r):
    """A point given from the origin of the row, from the reference point of its tree."""
    if row == 0:
        return r[0], r[1], r[2]
    return body_d[row, FROM_ROOT] + r[0], body_d[row, FROM_ROOT + 1] + r[1], body_d[row, FROM_ROOT + 2] + r[2]


@part
def crossed_force(w, v, f):
    """(w; v) x* f = (w x n + v x f; w x f)."""
    n, g = (f[0], f[1], f[2]), (f[3], f[4], f[5])
    return six_of(sum3(x3(w, n), 1.0, x3(v, g)), x3(w, g))


@part
def add_wrench6(table, row, k, r, s, f):
    """A row's six numbers += s times a wrench at the point r."""
    n = sum3((f[0], f[1], f[2]), 1.0, x3(r, (f[3], f[4], f[5])))
    put6(table, row, k, plus(six(table, row, k), scaled(s, (n[0], n[1], n[2], f[3], f[4], f[5]))))


@part
def add_to_body(body_d, body_t, row, r, sign, of_motion, of_acceleration, of_pose, of_velocity):
    """dG/dW, dG/dA and dG/d(pose) with this sign, and dG/dV, as wrenches at the point r."""
    if row == 0:
        return
    add_wrench6(body_d, row, F, r, sign, of_motion)
    add_wrench6(body_t, row, X, r, sign, of_acceleration)
    add_wrench6(body_t, row, Z, r, sign, of_pose)
    add_wrench6(body_t, row, Y, r, 1.0, of_velocity)
    V_row = six(body_d, row, V)
    through = crossed_force(angular(V_row), linear_at(V_row, r), of_acceleration)
    add_wrench6(body_t, row, Y, r, sign, through)


@block
def cut_cotangents(machine, work, nu, kappa, body_w, body_d, body_t):
    """Add the derivatives of G; after `motion`, W and `place_cuts` at the same state."""
    cut, equation = machine.cut, machine.equation
    zero = (0.0, 0.0, 0.0)
    none = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for c in range(cut.shape[0]):
        first, a, b = cut[c].first, cut[c].row_a, cut[c].row_b
        if equation[first].kind in (COUPLED, DRIVEN):
            continue
        r_A, r_B = from_reference(body_d, a, work.from_a[c]), from_reference(body_d, b, work.from_b[c])
        V_A, V_B, A_A, A_B = six(body_d, a, V), six(body_d, b, V), six(body_d, a, A), six(body_d, b, A)
        W_A, W_B = six(body_t, a, W), six(body_t, b, W)
        w_A, w_B, x_A, x_B = angular(V_A), angular(V_B), angular(W_A), angular(W_B)
        v_A, v_B, u_B = linear_at(V_A, r_A), linear_at(V_B, r_B), linear_at(W_B, r_B)
        al_A, al_B = angular(A_A), angular(A_B)
        c_B = sum3(linear_at(A_B, r_B), 1.0, x3(w_B, v_B))
        of_motion, of_acceleration, of_pose, by_V_A, by_V_B = none, none, none, none, none
        for e in range(first, first + cut[c].equations):
            kind, g = equation[e].kind, work.wrench[e]
            force = (g[3], g[4], g[5])
            f = nu[e]
            k = kappa[e]
            wrench = (g[0], g[1], g[2], g[3], g[4], g[5])
            of_motion = plus(of_motion, scaled(k, wrench))
            of_acceleration = plus(of_acceleration, scaled(f, wrench))
            if kind in (ALONG, SLID, SCREWED):
                m = x3(force, w_A)
                torque = sum3(x3(c_B, force), -2.0, x3(v_B, m))
                push = sum3(x3(m, w_A), -1.0, x3(force, al_A))
                of_pose = plus(of_pose, scaled(f, six_of(torque, push)))
                push = x3(x_A, force)
                of_pose = plus(of_pose, scaled(k, six_of(x3(u_B, force), push)))
                by_V_B = plus(by_V_B, scaled(f, six_of(x3(v_B, force), sum3(x3(force, w_B), -2.0, m))))
                by_V_A = plus(by_V_A, scaled(f, six_of(x3(sum3(v_A, -2.0, v_B), force), m)))
            if kind in (TURNED, SPUN, SCREWED):
                axis = (g[0], g[1], g[2])
                m = x3(axis, w_A)
                torque = sum3(x3(al_B, axis), -1.0, x3(w_B, m))
                of_pose = plus(of_pose, scaled(f, six_of(torque, zero)))
                of_pose = plus(of_pose, scaled(k, six_of(x3(x_B, axis), zero)))
                by_V_B = plus(by_V_B, scaled(-f, six_of(m, zero)))
                by_V_A = plus(by_V_A, scaled(-f, six_of(x3(w_B, axis), zero)))
            elif kind == DISTANT:
                apart = work.apart[c]
                d = (apart[0], apart[1], apart[2])
                far = math.sqrt(dot3(d, d))
                n = force
                r = sum3(r_A, -1.0, d)  # p_A
                own_v, own_u = linear_at(V_A, r), linear_at(W_A, r)
                own_c = sum3(linear_at(A_A, r), 1.0, x3(w_A, own_v))
                u, x, acceleration = sum3(v_B, -1.0, own_v), sum3(u_B, -1.0, own_u), sum3(c_B, -1.0, own_c)
                along = dot3(n, u)
                across = sum3(u, -along, n)
                bent = sum3(acceleration, -2.0 * along / far, u)
                push = sum3(bent, -dot3(n, bent), n)
                push = sum3(zero, 1.0 / far, sum3(push, -dot3(across, across) / far, n))
                torque = sum3(x3(c_B, n), 2.0 / far, x3(v_B, across))
                of_pose = plus(of_pose, scaled(f, six_of(torque, push)))
                push = sum3(zero, 1.0 / far, sum3(x, -dot3(n, x), n))
                of_pose = plus(of_pose, scaled(k, six_of(x3(u_B, n), push)))
                by_V_B = plus(by_V_B, scaled(f, six_of(x3(v_B, n), sum3(x3(n, w_B), 2.0 / far, across))))
                back = sum3(x3(n, w_A), 2.0 / far, across)  # at p_A
                moment = sum3(x3(own_v, n), -1.0, x3(d, back))
                by_V_A = plus(by_V_A, scaled(-f, six_of(moment, back)))
            elif kind not in (ALONG, SLID):
                e0, e1, e2, f0, f1, f2 = tilt(cut[c], kind, body_w)
                on_A, on_B = (e0, e1, e2), (f0, f1, f2)
                A1, B1 = x3(w_A, on_A), x3(w_B, on_B)
                A2 = sum3(x3(al_A, on_A), 1.0, x3(w_A, A1))
                B2 = sum3(x3(al_B, on_B), 1.0, x3(w_B, B1))
                torque = sum3(sum3(x3(B2, on_A), 2.0, x3(B1, A1)), 1.0, x3(on_B, A2))
                of_pose = plus(of_pose, scaled(f, six_of(torque, zero)))
                torque = sum3(x3(x3(x_B, on_B), on_A), -1.0, x3(on_B, x3(on_A, x_A)))
                of_pose = plus(of_pose, scaled(k, six_of(torque, zero)))
                level = dot3(on_A, on_B)
                turn_B = sum3(sum3(sum3(zero, dot3(w_B, on_B), on_A), dot3(on_A, w_B), on_B), -2.0 * level, w_B)
                turn_A = sum3(sum3(sum3(zero, dot3(w_A, on_A), on_B), dot3(on_B, w_A), on_A), -2.0 * level, w_A)
                by_V_B = plus(by_V_B, scaled(f, six_of(sum3(turn_B, 2.0, x3(on_B, A1)), zero)))
                by_V_A = plus(by_V_A, scaled(f, six_of(sum3(turn_A, 2.0, x3(on_A, B1)), zero)))
        add_to_body(body_d, body_t, b, r_B, 1.0, of_motion, of_acceleration, of_pose, by_V_B)
        add_to_body(body_d, body_t, a, r_A, -1.0, of_motion, of_acceleration, of_pose, by_V_A)


# ---- equations with the Jacobians at both ends of a step


@part
def subtract_transposed_of(machine, jac, lam, out):
    """out (nv,) -= J' lam, of a Jacobian that stands in jac."""
    cut, path = machine.cut, machine.path
    for c in range(cut.shape[0]):
        place, axes, at = cut[c].path, cut[c].axes, cut[c].jac
        for e in range(cut[c].first, cut[c].first + cut[c].equations):
            for k in range(axes):
                out[path[place + k]] -= jac[at + k] * lam[e]
            at += axes


@part
def times_of(machine, jac, x, out):
    """out (ne,) = J x, of a Jacobian that stands in jac."""
    cut, path = machine.cut, machine.path
    for c in range(cut.shape[0]):
        place, axes, at = cut[c].path, cut[c].axes, cut[c].jac
        for e in range(cut[c].first, cut[c].first + cut[c].equations):
            total = 0.0
            for k in range(axes):
                total += jac[at + k] * x[path[place + k]]
            out[e] = total
            at += axes


@block
def solve_anew(machine, m, f, g, lam, x):
    """x (nv,) and lam (ne,) of M x + J' lam = f, J x = -g with the present factors."""
    for k in range(x.shape[0]):
        x[k] = 0.0
    for e in range(lam.shape[0]):
        lam[e] = 0.0
    for _ in range(SOLVES):
        solve(machine, m, f, g, lam, m.state.eps_mass, m.state.extra_inertia, x)


@block
def solve_between(machine, m, change, of, none, x, lam, work_lam, f):
    """x and lam of M x + J1' lam = of, J x = 0: J of the factors, change = J1 - J; f (nv,), work_lam (ne,) scratch."""
    for e in range(lam.shape[0]):
        lam[e] = 0.0
    before = math.inf
    for _ in range(ROUNDS):
        for k in range(x.shape[0]):
            f[k] = of[k]
        subtract_transposed_of(machine, change, lam, f)
        solve_anew(machine, m, f, none, work_lam, x)
        moved, size = 0.0, 0.0
        for e in range(lam.shape[0]):
            moved, size = max(moved, abs(work_lam[e] - lam[e])), max(size, abs(work_lam[e]))
            lam[e] = work_lam[e]
        if moved <= CLOSE_ENOUGH * size or not moved < before:
            break
        before = moved
