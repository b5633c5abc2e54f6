"""Newton's method with a line search, for steps in which contact begins, ends, sticks or slides.

Where bodies just do not touch at x, the residual r knows nothing of contact, and the next change throws them deep into
each other; from there back, and so on. So each change dx = N^-1 r is taken by a share s alone (Matthies and Strang
1979). With g(s) = dx . r(x - s dx), the whole change is taken where it does not overshoot, g(1) >= -LOOSE g(0); else s
is where |g| is at most that. If r is the gradient of a convex potential - bodies with their inertia and contact that
repels do have one - g falls along s, its zero is the minimum along dx, and iterations cannot cycle. Damping and
friction have none, but do not change the direction of this.
"""

from gori.integrate.implicit_memory import size_of
from gori.integrate.step_equations import residual
from gori.kernels.codes import OK
from gori.kernels.jit import block, part

LOOSE = 0.5
"""of g at the start: what is small enough along a change"""
TRIES = 24
"""shares that are tried for one change"""
NEAREST = 0.1
"""of the interval that holds the share: how near to its ends the next trial may be"""


@part
def along_change(dx, r):
    """dx . r"""
    total = 0.0
    for k in range(dx.shape[0]):
        total += dx[k] * r[k]
    return total


@part
def next_share(low, high, at_low, at_high):
    """Where g may be zero: by the rule of false position, not too near to the ends; in the middle if g is no number."""
    if at_high * 0.0 != 0.0:
        return 0.5 * (low + high)
    share, margin = low + (high - low) * at_low / (at_low - at_high), NEAREST * (high - low)
    return min(max(share, low + margin), high - margin)


@block
def share_of_change(machine, data, memory, y):
    """Share of the change dx that is to be taken from x, with the residual there; and a result code."""
    work = memory.work
    x, dx, trial, out = work.x, work.dx, work.column, work.score
    start = along_change(dx, work.residual)
    low, high, at_low, at_high, share = 0.0, 1.0, start, 0.0, 1.0
    if not start > 0.0:
        return OK, 1.0  # no way down: the equations are not those of a potential here
    for k in range(TRIES):
        for j in range(x.shape[0]):
            trial[j] = x[j] - share * dx[j]
        code = residual(machine, data, memory, y, trial, trial, out)
        if code != OK:
            return code, share
        here = along_change(dx, out)
        if here >= -LOOSE * start and (k == 0 or here <= LOOSE * start):
            break
        if here > 0.0:
            at_high *= 0.5 if at_low < start else 1.0  # twice on the same side (Dowell and Jarratt 1971)
            low, at_low = share, here
        else:
            high, at_high = share, here
        share = next_share(low, high, at_low, at_high)
    return OK, share


@part
def change_is_small(work, close):
    """Whether the change found is no more than `close`, an admissible error of x."""
    return size_of(work.dx, work.axis_scale) <= close
