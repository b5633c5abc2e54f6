"""Time of the broad phase of contact in a pile: spheres and boxes, as dense as they lie, on a floor.

    python -m bench.broad_phase

Bodies of random sizes and turns fill half of a cube, as in a random packing, and overlap a little. Several such piles
take turns, so that no processor learns one by heart. The slope is that of log(time) over log(bodies), by least squares:
1 where the time of a body is the same in any pile. A small pile has more surface, where bodies have fewer neighbours.
"""

import time

import numpy as np

from bench.timing import finish, machine, show
from gori.kernels.contact.broad import broad_pairs, broad_work
from gori.kernels.contact.poses import shapes_in_world
from gori.kernels.contact.tables import BOX, LAW, PLANE, SHAPE, SPHERE, ContactTables
from gori.kernels.tree.columns import N_BODY_W, P_WB, R_WB
from gori.model.contact.tables import contact_ground
from gori.model.machine import NO_CONTACT
from gori.spec.base import rotation

SIZES = (100, 300, 1000, 3000, 10_000)
REACH = 0.002
"""[m]"""
PILES = 8
"""that take turns"""


def pile(count: int, seed: int = 0) -> tuple[ContactTables, np.ndarray]:
    """Tables of so many bodies of about 0.1 m on a floor, and the work of their tree: one row for each."""
    rng = np.random.default_rng(seed)
    shape = SHAPE.zeros(count + 1)
    shape["row"], shape["rotation"] = np.arange(count + 1), np.eye(3).ravel()
    shape["kind"][0], shape["half"][0] = PLANE, np.inf
    ball = np.arange(1, count + 1) % 2 == 0
    radius = rng.uniform(0.04, 0.06, count)
    shape["kind"][1:], shape["radius"][1:] = np.where(ball, SPHERE, BOX), np.where(ball, radius, 0.0)
    edges = np.where(ball[:, None], radius[:, None], rng.uniform(0.03, 0.05, (count, 3)))
    shape["size"][1:], shape["half"][1:] = np.where(ball[:, None], 0.0, edges), edges

    body_w = np.zeros((count + 1, N_BODY_W))
    side = int(np.ceil(count ** (1.0 / 3.0)))
    spots = np.stack(np.unravel_index(np.arange(count), (side, side, side)), axis=1)[:, ::-1]
    body_w[1:, P_WB : P_WB + 3] = 0.1 * spots + rng.uniform(-0.01, 0.01, (count, 3)) + [0.0, 0.0, 0.05]
    turns = rng.normal(size=(count + 1, 4))
    turns[0] = [1.0, 0.0, 0.0, 0.0]
    for row, quat in zip(body_w, turns):
        row[R_WB : R_WB + 9] = rotation(None, tuple(quat / np.linalg.norm(quat))).ravel()
    law = LAW.zeros(1, 1)
    law["touches"] = 1
    ground = contact_ground(None)
    of_ground = {name: getattr(ground, name) for name in ("terrain", "feature", "curve", "soil")}
    tables = NO_CONTACT.replace(shape=shape, law=law, **of_ground)
    return tables, body_w


def measure(count: int) -> tuple[float, float, float]:
    """Best mean time of a core [s] for the boxes, and for the pairs, of a pile; and the mean number of pairs."""
    piles = [pile(count, seed) for seed in range(PILES)]
    n, room = count + 1, 20 * count
    pose, box, pair, work = np.empty((n, 12)), np.empty((n, 6)), np.empty((room, 2), np.int64), broad_work(n, room)
    best, found = np.full((PILES, 2), np.inf), np.zeros(PILES)
    for _ in range(max(20, 30_000 // count)):
        for k, (tables, body_w) in enumerate(piles):
            start = time.thread_time()
            shapes_in_world(tables, body_w, REACH, 1e-3, pose, box)
            middle = time.thread_time()
            found[k] = broad_pairs(tables, pose, box, work, pair)
            best[k] = np.minimum(best[k], [middle - start, time.thread_time() - middle])
    assert found.max() <= room
    return *best.mean(axis=0).tolist(), float(found.mean())


def main() -> None:
    rows, times = [], []
    measure(SIZES[0])  # compiles
    for count in SIZES:
        boxes, pairs, found = measure(count)
        times.append(boxes + pairs)
        rows.append([count, found, 1e6 * boxes, 1e6 * pairs, 1e9 * times[-1] / count])
    columns = ["bodies", "pairs", "boxes [us]", "pairs [us]", "a body [ns]"]
    show(f"Broad phase of a pile; {machine()}", columns, rows)
    slope = float(np.polyfit(np.log(SIZES), np.log(times), 1)[0])
    finish({"broad_phase_slope": slope, "broad_phase_10000_us": 1e6 * times[-1]})


if __name__ == "__main__":
    main()
