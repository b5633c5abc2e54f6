"""Newton's direction in O(n): the linearised tree is solved by recursion (`kernels/tree/tree_solve.py`), which has all
the forces that act on single axes. Other forces - springs between bodies, functions of the user - are not in the
recursion: then it is the preconditioner of GMRES (Saad and Schultz 1986), with products N p by differences of the
residual.
"""

import math

from gori.integrate.implicit_memory import KRYLOV, size_of
from gori.integrate.step_equations import DIFFERENCE, axis_derivatives, defect, residual, simple
from gori.kernels.codes import NO_CONVERGENCE, NOT_FINITE, OK, SINGULAR
from gori.kernels.jit import block, call_at, part, present
from gori.kernels.machine import LINEARISE
from gori.kernels.tree.columns import ARMATURE, NDOF, V0
from gori.kernels.tree.derivatives import motion, rigid_terms
from gori.kernels.tree.inverse_mass import axes_at_root
from gori.kernels.tree.tree_solve import OWN, eliminate, gains, mass_times, own_columns, substitute

RESTARTS = 10


@block
def tree_correction(machine, data, memory, y, a, renew):
    """N dx = residual at x; N is evaluated for the accelerations a (nv,), or with care for f, or reused.
    With care the residual is M (x - f) with the last M.
    """
    work, tree = memory.work, memory.tree
    careful = memory.step[0].careful != 0
    if careful:
        code = defect(machine, data, memory, y, work.x, work.defect)
    else:
        code = residual(machine, data, memory, y, work.x, work.x, work.residual)
    if code != OK:
        return code
    if renew and not factor_tree(machine, data, memory, work, tree, work.forward if careful else a):
        return SINGULAR
    if careful:
        mass_times(machine.body_i, machine.body_f, work.defect, work.residual, tree.body_n, tree.dof_n)
    if simple(machine):
        substitute(machine.body_i, work.residual, work.dx, tree.body_n, tree.dof_n)
        return OK
    if memory.step[0].once != 0:
        code = residual(machine, data, memory, y, work.x, a, work.given_residual)
    return gmres(machine, data, memory, y, a) if code == OK else code


@part
def factor_tree(machine, data, memory, work, tree, a):
    """Prepare `substitute`, after `residual`. False if N is singular."""
    body_i, body_f, step = machine.body_i, machine.body_f, memory.step[0]
    axis_derivatives(machine, memory, work, data.values)
    for i in range(1, body_i.shape[0]):
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            work.diagonal[k] += body_f[i, ARMATURE]
    axes_at_root(body_i, data.body_w, data.dof_w, tree.body_d, tree.dof_d)
    motion(body_i, body_f, work.v_end, a, tree.body_d, tree.dof_d)
    rigid_terms(body_i, body_f, data.body_w, tree.body_d)
    own_columns(body_i, tree.body_d, tree.body_n)
    gains(body_i, step.cv, step.cq, tree.body_d, tree.dof_d, tree.dof_n)
    if not present(machine.penalty):
        return eliminate(body_i, work.diagonal, tree.body_n, tree.dof_n)
    add_contact(machine, data, memory, tree)
    sound = eliminate(body_i, work.diagonal, tree.body_n, tree.dof_n)
    own_columns(body_i, tree.body_d, tree.body_n)  # for products with M
    return sound


@part
def add_contact(machine, data, memory, tree):
    """Add to the inertia of each body how contact resists changes of its acceleration (`kernels/contact/linear.py`)."""
    step, contact = memory.step[0], data.penalty_memory
    contact.weight[0], contact.weight[1] = step.cv, step.cq
    call_at(machine.penalty, machine, data, step.end_time, memory.work.q_end, memory.work.v_end, LINEARISE)
    for i in range(1, contact.apparent.shape[0]):
        for k in range(48):
            tree.body_n[i, OWN + k] += contact.apparent[i, k]


@part
def product(machine, data, memory, y, a, p, out):
    """out = N p by a difference of the residual along p. In a step of one correction N is that of given accelerations
    a: these stay as they are, and M p is added.
    """
    work, tree = memory.work, memory.tree
    head, step, x = memory.head[0], memory.step[0], work.x
    largest = size_of(p, work.axis_scale)
    change = DIFFERENCE / (step.cq * largest) if largest > 0.0 else 1.0
    for k in range(x.shape[0]):
        work.column[k] = x[k] + change * p[k]
    head.products += 1
    base = work.given_residual if step.once != 0 else work.residual
    if step.careful != 0:
        code = defect(machine, data, memory, y, work.column, work.score)
        mass_times(machine.body_i, machine.body_f, work.score, out, tree.body_n, tree.dof_n)
    else:
        still = a if step.once != 0 else work.column
        code = residual(machine, data, memory, y, work.column, still, out)
    for k in range(x.shape[0]):
        out[k] = (out[k] - base[k]) / change
    if step.once != 0:
        mass_times(machine.body_i, machine.body_f, p, work.score, tree.body_n, tree.dof_n)
        for k in range(x.shape[0]):
            out[k] += work.score[k]
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
def gmres(machine, data, memory, y, a):
    """dx with P^-1 N dx = P^-1 residual, P the recursion, to the tolerance in the norm of accelerations; restarted."""
    work, tree = memory.work, memory.tree
    settings, basis, R = memory.settings[0], tree.basis, tree.triangle
    g, cosine, sine, answer = tree.rotated, tree.cosine, tree.sine, tree.answer
    dx, n = work.dx, data.tau.shape[0]
    for k in range(n):
        dx[k] = 0.0
    first, left = 0.0, 0.0
    for cycle in range(RESTARTS):
        # residual of the right-hand side
        if cycle == 0:
            for k in range(n):
                work.product[k] = work.residual[k]
        else:
            code = product(machine, data, memory, y, a, dx, work.product)
            if code != OK:
                return code
            for k in range(n):
                work.product[k] = work.residual[k] - work.product[k]
        substitute(machine.body_i, work.product, basis[0], tree.body_n, tree.dof_n)
        left = math.sqrt(dot(basis[0], basis[0]))
        if left * 0.0 != 0.0:
            return NOT_FINITE
        first = left if cycle == 0 else first
        if left <= settings.tolerance * first:
            return OK
        for k in range(n):
            basis[0, k] /= left
        g[0] = left
        used = 0
        while used < KRYLOV and left > settings.tolerance * first:
            code = product(machine, data, memory, y, a, basis[used], work.product)
            if code != OK:
                return code
            new = basis[used + 1]
            substitute(machine.body_i, work.product, new, tree.body_n, tree.dof_n)
            for i in range(used + 1):
                R[i, used] = 0.0
            for _ in range(2):  # Gram-Schmidt, twice for orthogonality
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
        if left <= settings.tolerance * first:
            return OK
    return NO_CONVERGENCE
