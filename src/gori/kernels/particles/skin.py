"""The neighbour-list skin that costs least, for CPU and GPU.

Lists of skin s hold until something has moved by s/2: with a way u in a sub-step, for k = s / 2u sub-steps. A sub-step
costs about 1 + b s/r, as more pairs are looked at, and lists cost as much as c sub-steps, so that with them it is

    1 + b s/r + 2 c u/s,     which is least for   s^2 = (2 c / b) r u

u is what the last lists have seen: s / 2k. FOLLOW times the mean radius r stands in the settings as `follow`, 0 for a
skin that is given. When nothing moves, lists hold for ever, and with a skin that was made for motion: so after
PATIENCE sub-steps they are made anew, if that makes the skin notably smaller.
"""

import math

from gori.kernels.jit import part

FOLLOW = {"cpu": 60.0, "cuda": 60.0}
"""2 c / b, by device: measured with `bench/particle_lists.py`"""
NARROW, WIDE = 0.02, 1.0
"""least and largest skin, in mean radii"""
PATIENCE = 1000
NOTABLY = 0.7


@part
def best_skin(g, since):
    """The skin [m] for lists to come, after those that were worn out in so many sub-steps; 0: they were not."""
    settings, skin = g.settings[0], g.skin[0]
    if settings.follow == 0.0 or since == 0:
        return skin
    wanted = math.sqrt(0.5 * settings.follow * skin / since)
    return min(max(wanted, settings.narrow), settings.wide)


@part
def too_wide(g, since):
    """Whether lists that hold since so many sub-steps should be made anew with a smaller skin."""
    return since == PATIENCE and best_skin(g, since) < NOTABLY * g.skin[0]
