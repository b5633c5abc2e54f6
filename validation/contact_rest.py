"""Bodies that shall stand still, with impulses: a pile of boxes and balls in a bin, and a tower of cards.

Speeds are bounds for all points of a body, |v| + |w| r, with the centre's velocity, the angular velocity, and the
distance r of the farthest point from the centre; from samples at rest. A rigid pile at rest has speed zero, and a tower
stands or falls by statics: a card under a load much larger than its weight, at an angle a from the vertical, needs
friction of tan(a) at its foot, one without load half of that.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import gori
from validation.check import Check, small

CASE = "contact_rest"
BALL, BOX = 0.075, (0.16, 0.12, 0.10)
"""radius and edges [m]"""
SIZE = min(2.0 * BALL, *BOX)
SOLID = {"material": "hard", "collide": True}
HARD = {"hard": {"rigid": True}}
CARD = (0.0008, 0.063, 0.088)
"""thickness, width and length of a card [m]"""
LEAN, PITCH = math.radians(20.0), 0.066
"""angle of a card from the vertical; distance of pairs [m]"""


def pile(count: int, seed: int = 1) -> gori.Model:
    """Boxes and balls in turn, turned at random, in layers of 16 above an open bin of 1 m."""
    rng = np.random.default_rng(seed)
    bin = {"type": "box", "size": [1, 1, 1], "at": [0, 0, 0.5], "hollow": True, "open": ["z+"], **SOLID}
    bodies: dict[str, Any] = {"ground": {"shapes": {"bin": bin}}}
    joints = {}
    for k in range(count):
        shape = {"type": "sphere", "radius": BALL} if k % 2 else {"type": "box", "size": BOX}
        column = 0.22 * (np.array([k % 4, k // 4 % 4]) - 1.5) + rng.uniform(-0.01, 0.01, 2)
        turn = Rotation.random(random_state=rng).as_quat(scalar_first=True)
        bodies[f"b{k}"] = {"shapes": {"s": {"density": 1000.0, **shape, **SOLID}}}
        q = [*turn, *column, 0.15 + 0.22 * (k // 16)]
        joints[f"f{k}"] = {"type": "free", "parent": "ground", "child": f"b{k}", "q": q}
    law = {"friction": 0.5, "restitution": 0.0, "rolling_friction": 0.02}
    return gori.compile(gori.Spec(materials=HARD, contacts={"hard/hard": law}, bodies=bodies, joints=joints))


def reaches(count: int) -> np.ndarray:
    """Distance of the farthest point of each body of a pile from its centre; 0 for balls, which may spin on a point
    for ever, as nothing but torsional friction stops that.
    """
    return np.where(np.arange(count) % 2, 0.0, 0.5 * math.hypot(*BOX))


def point_speeds(recording: gori.Recording, reach: np.ndarray) -> np.ndarray:
    """Bounds for the speeds of all points of free bodies, for each sample and body [m/s]."""
    v = recording.v.reshape(len(recording.time), -1, 6)
    return np.linalg.norm(v[:, :, 3:], axis=2) + reach * np.linalg.norm(v[:, :, :3], axis=2)


def moved(recording: gori.Recording, since: float) -> float:
    """Largest displacement of a body's centre from where it was at a time [m]."""
    late = recording.time >= since - 1e-9
    places = recording.q.reshape(len(recording.time), -1, 7)[late, :, 4:]
    return float(np.linalg.norm(places - places[0], axis=2).max())


def growth(energy: np.ndarray) -> float:
    """Largest rise of an energy above what it was before [J]."""
    return float((energy - np.minimum.accumulate(energy)).max())


def settles(
    count: int = 100, since: float = 20.0, until: float = 100.0, step: float = 5e-3, seed: int = 1
) -> Iterator[Check]:
    """The pile falls into the bin and comes to rest; how quiet it is from a time on."""
    recording = gori.Simulation(pile(count, seed), gori.TimeStepping(step=step)).run(until, 0.05, progress=False)
    way, late, energy = f"impulses, {1e3 * step:g} ms", recording.time >= since - 1e-9, recording["energy.total"]
    name = f"pile {seed} of {count}"
    words = f"{name}, {since:g} to {until:g} s"
    speeds = point_speeds(recording, reaches(count))[late]
    exchanged = energy[0] - energy[-1]
    yield small(CASE, f"{name}, rise of energy / energy lost", way, growth(energy) / exchanged, 1e-8)
    yield small(CASE, f"{words}, depth / size", way, max(0.0, -recording["contact.gap"][late].min()) / SIZE, 1e-3)
    yield small(CASE, f"{words}, displacement [m]", way, moved(recording, since), 1e-6)
    yield small(CASE, f"{words}, speed of points, median [m/s]", way, float(np.median(speeds)), 1e-5)
    yield small(CASE, f"{words}, speed of points, largest [m/s]", way, float(speeds.max()), 1e-5)


def tower(friction: float, storeys: int = 3) -> gori.Model:
    """Pairs of cards that lean on each other, one less in each storey, with a strip across each storey but the last."""
    thick, wide, long = CARD
    cos, sin = math.cos(LEAN), math.sin(LEAN)
    # of a card turned by LEAN about its centre: its upper inner edge, which meets the other card, and its lowest edge
    aside, middle = 0.5 * (thick * cos + long * sin), 0.5 * (thick * sin + long * cos)
    bodies: dict[str, Any] = {"ground": {"shapes": {"floor": {"type": "plane", **SOLID}}}}
    joints = {}

    def put(name: str, x: float, z: float, turn: float, length: float) -> None:
        card = {"type": "box", "size": [thick, wide, length], "density": 900.0, **SOLID}
        bodies[name] = {"shapes": {"s": card}}
        q = [math.cos(turn / 2), 0.0, math.sin(turn / 2), 0.0, x, 0.0, z]
        joints[f"{name}_free"] = {"type": "free", "parent": "ground", "child": name, "q": q}

    z = 0.0
    for storey in range(storeys):
        pairs = storeys - storey
        for k in range(pairs):
            x = PITCH * (k - 0.5 * (pairs - 1))
            put(f"left_{storey}_{k}", x - aside, z + middle, LEAN, long)
            put(f"right_{storey}_{k}", x + aside, z + middle, -LEAN, long)
        z += 2.0 * middle
        if pairs > 1:
            put(f"strip_{storey}", 0.0, z + 0.5 * thick, 0.5 * math.pi, PITCH * (pairs - 1) + 0.02)
            z += thick
    law = {"friction": friction, "restitution": 0.0}
    return gori.compile(gori.Spec(materials=HARD, contacts={"hard/hard": law}, bodies=bodies, joints=joints))


def top(q: np.ndarray) -> float:
    """Height of the highest centre [m]."""
    return float(q.reshape(-1, 7)[:, 6].max())


def cards(until: float = 10.0, step: float = 2e-3) -> Iterator[Check]:
    """With friction 0.6 > tan 20 degrees = 0.36 the tower stands; with 0.1 < 0.18 not even one pair does."""
    way = f"impulses, {1e3 * step:g} ms, tolerance 1e-7"
    method = gori.TimeStepping(step=step, tolerance=1e-7)  # points at rest move with ten times that
    stands = gori.Simulation(tower(0.6), method).run(until, step, progress=False)
    words = "cards, three storeys, friction 0.6"
    yield small(CASE, f"{words}, displacement from 1 to {until:g} s [m]", way, moved(stands, 1.0), 1e-6)
    yield small(CASE, f"{words}, displacement from the start [m]", way, moved(stands, 0.0), 1e-5)
    speeds = point_speeds(stands, np.array(0.5 * math.hypot(*CARD)))[stands.time > 1.0]
    yield small(CASE, f"{words}, speed of points, largest [m/s]", way, float(speeds.max()), 1e-5)
    falls = gori.Simulation(tower(0.1), method).run(2.0, 0.02, progress=False)
    left = top(falls.q[-1]) / top(falls.q[0])
    yield small(CASE, "cards, three storeys, friction 0.1, height left after 2 s, share", way, left, 0.05)


def checks(long: bool) -> Iterator[Check]:
    yield from settles()
    for seed in (2, 3, 4):
        yield from settles(until=30.0, seed=seed)
    yield from cards()
