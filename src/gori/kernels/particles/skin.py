"""The neighbour-list skin that costs least, for CPU and GPU.

Lists of skin s hold until something has moved by s/2: with a way u in a sub-step, for k = s / 2u sub-steps. A sub-step
costs e s more than without a skin, for pairs and walls that are listed and do not touch, and lists cost L, so that with
them it is

    e s + 2 L u/s,     which is least for   s^2 = 2 L u / e

Both are known from the lists that were: u = s / 2k, and of n particles with P pairs and W walls in the farther half of
the skin, e = 2 p (P + w W) / s and L = l n, where l / p and w are constants of a device:

    s^2 <- s^2 (l / p) n / (2 k (P + w W))

When nothing moves, lists hold for ever, and with a skin that was made for motion: so after PATIENCE sub-steps they are
made anew, if that makes the skin notably smaller.
"""

import math

from gori.kernels.jit import part

FOLLOW = {"cpu": 100.0, "cuda": 100.0}
"""l / p, by device: measured with `bench/particle_lists.py`"""
WALL = 5
"""w: what a wall costs, in pairs"""
NARROW, WIDE = 0.02, 0.7
"""least and largest skin, in mean radii"""
PATIENCE = 1000
NOTABLY = 0.7


@part
def best_skin(g, since):
    """The skin [m] for lists to come, after those that were worn out in so many sub-steps; 0: they were not."""
    settings, skin, far = g.settings[0], g.skin[0], g.skin[2]
    if settings.follow == 0.0 or since == 0:
        return skin
    if far <= 0.0:
        return settings.wide
    return min(max(skin * math.sqrt(0.5 * settings.follow / (since * far)), settings.narrow), settings.wide)


@part
def too_wide(g, since):
    """Whether lists that hold since so many sub-steps should be made anew with a smaller skin."""
    return since == PATIENCE and best_skin(g, since) < NOTABLY * g.skin[0]
