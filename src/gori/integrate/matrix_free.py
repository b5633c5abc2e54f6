"""Newton's direction in O(n): the linearised tree is solved by recursion (`kernels/tree/tree_solve.py`), which has all
the forces that act on single axes. Other forces - springs between bodies, functions of the user - are not in the
recursion: then it is the preconditioner of GMRES (Saad and Schultz 1986), with products N p by differences of the
residual.
"""

import math

from gori.integrate.trial import DIFFERENCE, axis_derivatives, defect, residual, simple
from gori.integrate.work import (
    CAREFUL,
    COLUMN,
    CQ,
    CV,
    DEFECT,
    DIAGONAL,
    DX,
    FALL,
    GIVEN,
    KRYLOV,
    ONCE,
    PRODUCT,
    PRODUCTS,
    RESIDUAL,
    SCALE,
    SCORE,
    SPEED,
    TOLERANCE,
    X,
    size_of,
)
from gori.kernels.codes import NO_CONVERGENCE, NOT_FINITE, OK, SINGULAR
from gori.kernels.jit import block, part
from gori.kernels.tree.columns import ARMATURE, NDOF, V0
from gori.kernels.tree.derivatives import motion, rigid_terms
from gori.kernels.tree.inverse_mass import axes_at_root
from gori.kernels.tree.tree_solve import eliminate, gains, mass_times, own_columns, substitute

RESTARTS = 10


@block
def tree_correction(machine, data, work, y, a, renew):
    """N DX = RESIDUAL at X; N is that of the accelerations a (nv,) here, or with care of f, or it is still the last.
    With care the residual is M (x - f) with the last M.
    """
    vectors, careful = work.vectors, work.head[CAREFUL] != 0.0
    if careful:
        code = defect(machine, data, work, y, vectors[X], vectors[DEFECT])
    else:
        code = residual(machine, data, work, y, vectors[X], vectors[X], vectors[RESIDUAL])
    if code != OK:
        return code
    if renew and not factor_tree(machine, data, work, vectors[FALL] if careful else a):
        return SINGULAR
    if careful:
        mass_times(machine.body_i, machine.body_f, vectors[DEFECT], vectors[RESIDUAL], work.body_n, work.dof_n)
    if simple(machine):
        substitute(machine.body_i, vectors[RESIDUAL], vectors[DX], work.body_n, work.dof_n)
        return OK
    if work.head[ONCE] != 0.0:
        code = residual(machine, data, work, y, vectors[X], a, vectors[GIVEN])
    return gmres(machine, data, work, y, a) if code == OK else code


@part
def factor_tree(machine, data, work, a):
    """Prepare `substitute`, after `residual`. False if N is singular."""
    body_i, body_f, vectors = machine.body_i, machine.body_f, work.vectors
    axis_derivatives(machine, work, data.values)
    for i in range(1, body_i.shape[0]):
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            vectors[DIAGONAL, k] += body_f[i, ARMATURE]
    axes_at_root(body_i, data.body_w, data.dof_w, work.body_d, work.dof_d)
    motion(body_i, body_f, vectors[SPEED], a, work.body_d, work.dof_d)
    rigid_terms(body_i, body_f, data.body_w, work.body_d)
    own_columns(body_i, work.body_d, work.body_n)
    gains(body_i, work.head[CV], work.head[CQ], work.body_d, work.dof_d, work.dof_n)
    return eliminate(body_i, vectors[DIAGONAL], work.body_n, work.dof_n)


@part
def product(machine, data, work, y, a, p, out):
    """out = N p by a difference of the residual along p. In a step of one correction N is that of given accelerations
    a: these stay as they are, and M p is added.
    """
    vectors, x, head = work.vectors, work.vectors[X], work.head
    largest = size_of(p, vectors[SCALE])
    change = DIFFERENCE / (head[CQ] * largest) if largest > 0.0 else 1.0
    for k in range(x.shape[0]):
        vectors[COLUMN, k] = x[k] + change * p[k]
    head[PRODUCTS] += 1.0
    base = vectors[GIVEN] if head[ONCE] != 0.0 else vectors[RESIDUAL]
    if head[CAREFUL] != 0.0:
        code = defect(machine, data, work, y, vectors[COLUMN], vectors[SCORE])
        mass_times(machine.body_i, machine.body_f, vectors[SCORE], out, work.body_n, work.dof_n)
    else:
        still = a if head[ONCE] != 0.0 else vectors[COLUMN]
        code = residual(machine, data, work, y, vectors[COLUMN], still, out)
    for k in range(x.shape[0]):
        out[k] = (out[k] - base[k]) / change
    if head[ONCE] != 0.0:
        mass_times(machine.body_i, machine.body_f, p, vectors[SCORE], work.body_n, work.dof_n)
        for k in range(x.shape[0]):
            out[k] += vectors[SCORE, k]
    return code


@part
def dot(a, b):
    total = 0.0
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    return total


@part
def rotate(R, j, length, g, cosine, sine):
    """Bring column j of the least-squares problem to triangular form (Givens); False if it vanishes."""
    for i in range(j):
        above, below = R[i, j], R[i + 1, j]
        R[i, j] = cosine[i] * above + sine[i] * below
        R[i + 1, j] = cosine[i] * below - sine[i] * above
    whole = math.sqrt(R[j, j] ** 2 + length**2)
    if whole == 0.0:
        return False
    cosine[j], sine[j] = R[j, j] / whole, length / whole
    R[j, j] = whole
    g[j + 1] = -sine[j] * g[j]
    g[j] = cosine[j] * g[j]
    return True


@block
def gmres(machine, data, work, y, a):
    """DX with P^-1 N DX = P^-1 RESIDUAL, P the recursion, to TOLERANCE in the norm of accelerations; restarted.

    small: rows of the triangular factor R, then right-hand side, cosines, sines and answer of the least squares.
    """
    vectors, basis, R = work.vectors, work.basis, work.small
    g, cosine, sine, answer = R[KRYLOV], R[KRYLOV + 1], R[KRYLOV + 2], R[KRYLOV + 3]
    dx, n = vectors[DX], vectors.shape[1]
    for k in range(n):
        dx[k] = 0.0
    first, left = 0.0, 0.0
    for cycle in range(RESTARTS):
        # what is left of the right-hand side
        if cycle == 0:
            for k in range(n):
                vectors[PRODUCT, k] = vectors[RESIDUAL, k]
        else:
            code = product(machine, data, work, y, a, dx, vectors[PRODUCT])
            if code != OK:
                return code
            for k in range(n):
                vectors[PRODUCT, k] = vectors[RESIDUAL, k] - vectors[PRODUCT, k]
        substitute(machine.body_i, vectors[PRODUCT], basis[0], work.body_n, work.dof_n)
        left = math.sqrt(dot(basis[0], basis[0]))
        if left * 0.0 != 0.0:
            return NOT_FINITE
        first = left if cycle == 0 else first
        if left <= work.head[TOLERANCE] * first:
            return OK
        for k in range(n):
            basis[0, k] /= left
        g[0] = left
        used = 0
        while used < KRYLOV and left > work.head[TOLERANCE] * first:
            code = product(machine, data, work, y, a, basis[used], vectors[PRODUCT])
            if code != OK:
                return code
            new = basis[used + 1]
            substitute(machine.body_i, vectors[PRODUCT], new, work.body_n, work.dof_n)
            for i in range(used + 1):
                R[i, used] = 0.0
            for _ in range(2):  # Gram and Schmidt: twice is enough
                for i in range(used + 1):
                    share = dot(basis[i], new)
                    R[i, used] += share
                    for k in range(n):
                        new[k] -= share * basis[i, k]
            length = math.sqrt(dot(new, new))
            if not rotate(R, used, length, g, cosine, sine):
                return SINGULAR
            if length > 0.0:
                for k in range(n):
                    new[k] /= length
            used += 1
            left = abs(g[used])
        for i in range(used - 1, -1, -1):
            answer[i] = g[i]
            for j in range(i + 1, used):
                answer[i] -= R[i, j] * answer[j]
            answer[i] /= R[i, i]
            for k in range(n):
                dx[k] += answer[i] * basis[i, k]
        if left <= work.head[TOLERANCE] * first:
            return OK
    return NO_CONVERGENCE
