"""Cotangents of q (+) dv: from those by where a step arrives to those by where it starts and by the step itself.

The transposes of the matrices of `model/tangents.py`, in tangent coordinates. With the turn w and the shift u of a
joint, E = exp([w]), V and the cotangent (c; e) by the new place:

    by q     E c + (V u) x E e,  E e
    by dv    (1 + b [w] + c [w]^2) c + (d(V u)/dw)' E e,  (1 + b [w] + c [w]^2) e
"""

from gori.kernels.jit import part
from gori.kernels.tree.columns import KIND, NDOF, V0
from gori.kernels.tree.configuration import exp_coefficients
from gori.kernels.tree.joints import FREE, HELICAL
from gori.kernels.tree.kinematics import cross


@part
def rates_of_coefficients(x, b, c):
    """Rates of b = (1 - cos t)/t^2 and c = (t - sin t)/t^3 with x = t^2."""
    if x < 0.04:
        return (
            -1.0 / 24.0 + x * (1.0 / 360.0 + x * (-1.0 / 13440.0 + x * (1.0 / 907200.0 - x / 95800320.0))),
            -1.0 / 120.0 + x * (1.0 / 2520.0 + x * (-1.0 / 120960.0 + x * (1.0 / 9979200.0 - x / 1245404160.0))),
        )
    return (1.0 - c * x - 2.0 * b) / (2.0 * x), (b - 3.0 * c) / (2.0 * x)


@part
def polynomial(w, s, b, x):
    """(1 + s [w] + b [w]^2) x."""
    ux, uy, uz = cross(w[0], w[1], w[2], x[0], x[1], x[2])
    vx, vy, vz = cross(w[0], w[1], w[2], ux, uy, uz)
    return x[0] + s * ux + b * vx, x[1] + s * uy + b * vy, x[2] + s * uz + b * vz


@part
def turned_back(kind, d, dv, of, by_q, by_dv):
    """Of one joint with a quaternion."""
    w, f = (dv[d], dv[d + 1], dv[d + 2]), (of[d], of[d + 1], of[d + 2])
    x = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    _, b, c = exp_coefficients(x)
    s = 1.0 - c * x  # sin(t) / t
    nx, ny, nz = polynomial(w, s, b, f)
    mx, my, mz = polynomial(w, b, c, f)
    if kind == FREE:
        u, g = (dv[d + 3], dv[d + 4], dv[d + 5]), (of[d + 3], of[d + 4], of[d + 5])
        g0, g1, g2 = polynomial(w, s, b, g)  # E e
        i0, i1, i2 = cross(w[0], w[1], w[2], u[0], u[1], u[2])
        j0, j1, j2 = cross(w[0], w[1], w[2], i0, i1, i2)
        p0, p1, p2 = cross(u[0] + b * i0 + c * j0, u[1] + b * i1 + c * j1, u[2] + b * i2 + c * j2, g0, g1, g2)
        nx, ny, nz = nx + p0, ny + p1, nz + p2
        # (d(V u)/dw)' E e
        b_rate, c_rate = rates_of_coefficients(x, b, c)
        k0, k1, k2 = cross(w[0], w[1], w[2], g0, g1, g2)
        k0, k1, k2 = cross(u[0], u[1], u[2], c * k0 - b * g0, c * k1 - b * g1, c * k2 - b * g2)
        l0, l1, l2 = cross(i0, i1, i2, c * g0, c * g1, c * g2)
        along = 2.0 * (b_rate * (i0 * g0 + i1 * g1 + i2 * g2) + c_rate * (j0 * g0 + j1 * g1 + j2 * g2))
        mx, my, mz = mx + l0 - k0 + along * w[0], my + l1 - k1 + along * w[1], mz + l2 - k2 + along * w[2]
        h0, h1, h2 = polynomial(w, b, c, g)
        by_q[d + 3], by_q[d + 4], by_q[d + 5] = g0, g1, g2
        by_dv[d + 3], by_dv[d + 4], by_dv[d + 5] = h0, h1, h2
    by_q[d], by_q[d + 1], by_q[d + 2] = nx, ny, nz
    by_dv[d], by_dv[d + 1], by_dv[d + 2] = mx, my, mz


@part
def stepped_back(body_i, dv, of, by_q, by_dv):
    """by_q, by_dv (nv,) from of (nv,), derivatives by q (+) dv; neither may be `of` itself."""
    for i in range(1, body_i.shape[0]):
        d = body_i[i, V0]
        if body_i[i, KIND] <= HELICAL:
            for k in range(d, d + body_i[i, NDOF]):
                by_q[k], by_dv[k] = of[k], of[k]
        else:
            turned_back(body_i[i, KIND], d, dv, of, by_q, by_dv)
