"""Grains on a GPU against grains on the CPU: `python -m tests.cuda.checks`, on a GPU or with NUMBA_ENABLE_CUDASIM=1.
Names of checks as arguments run these alone.

The simulator runs every thread as a Python thread, so there the beds are tiny. Prints a line for each check.
"""

import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np

import gori
import gori.sim.particles.cuda as cuda_engine
from gori.model.particles.state import NO_SKIN, fresh_state
from gori.sim.particles.cpu import CpuEngine
from gori.sim.particles.cuda import CudaEngine
from tests.sim.particles.poses import riding, still
from tests.sim.particles.round_walls import ROUND, Ball, as_stl

SIMULATED = bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]
COUNT, STEPS = (9, 12) if SIMULATED else (2000, 200)
"""the simulator has 8 threads: one of them has two grains"""


def spec(count: int, rolling: float = 0.05, law: str = "hertz") -> gori.Spec:
    """Grains of two sizes that are thrown into a corner of a box with a ball in it."""
    hertz = {"restitution": 0.5, "friction": 0.4, "rolling_friction": rolling}
    voigt = {"law": "voigt", "k_n": 1e6, "c_n": 20.0, "k_t": 1e6, "c_t": 20.0, "friction": 0.4}
    contact = hertz if law == "hertz" else voigt
    side = 0.012 * max(1.0, count / 4.0) ** (1.0 / 3.0)
    return gori.Spec(
        materials={"grain": {"E": 1e7, "nu": 0.25, "density": 2500.0}, "wall": {"E": 1e9, "nu": 0.3}},
        contacts={"grain/grain": contact, "grain/wall": contact},
        bodies={
            "ground": {
                "shapes": {
                    "box": {"type": "box", "size": [side, side, side], "hollow": True, "material": "wall"},
                    "ball": {"type": "sphere", "radius": 0.1 * side, "at": [0, 0, -0.4 * side], "material": "wall"},
                }
            }
        },
        particles={
            "load": {
                "material": "grain",
                "radius": [0.0015, 0.002],
                "fill": {
                    "box": {"at": [0, 0, 0.1 * side], "size": [0.9 * side, 0.9 * side, 0.7 * side]},
                    "count": count,
                    "packing": "random",
                    "seed": 3,
                },
                "velocity": [2.0, 1.5, -3.0],
            }
        },
    )  # type: ignore[call-arg]


def beds(part: gori.Spec) -> tuple[Any, Any, float]:
    """The same grains on the CPU and on the GPU, and their step."""
    simulation = gori.Simulation(gori.compile(part), {"type": "rk4", "step": 1e-3})
    particles = simulation.particles
    assert particles is not None
    return particles.engine, CudaEngine(particles.setup, particles.engine.state()), particles.step


def with_skin(setup: Any, skin: float) -> Any:
    """A setup with a neighbour-list skin that stays [m]."""
    return setup._replace(follow=0.0, skin=skin)


def agree(part: gori.Spec, *levels: float) -> None:
    """Both machines come to the same places, speeds and pushes, as far as single precision goes, through new lists; on
    the GPU with levels of sizes, if they are given.
    """
    cpu, gpu, step = beds(part)
    if levels:
        gpu = CudaEngine(cpu.setup._replace(levels=np.array(levels)), cpu.state())
        assert len(gpu.state().grid) == 3 * len(levels) > len(cpu.state().grid)
    start = cpu.snapshot()[1][:, :3].copy()
    for _ in range(3):
        assert cpu.march(still(STEPS // 3), step) is None
        assert gpu.march(still(STEPS // 3), step) is None
    one, two = cpu.snapshot(), gpu.snapshot()
    way = np.abs(one[1][:, :3] - start).max()
    assert way > 1e-4
    np.testing.assert_allclose(two[1], one[1], atol=1e-5 * way)
    np.testing.assert_allclose(two[2][:, :3], one[2][:, :3], atol=1e-4 * np.abs(one[2][:, :3]).max())
    spin = np.abs(one[2][:, 4:7]).max()
    np.testing.assert_allclose(two[2][:, 4:7], one[2][:, 4:7], atol=2e-3 * spin + 1e-9)
    np.testing.assert_allclose(gpu.wrench, cpu.wrench, atol=1e-3 * np.abs(cpu.wrench).max() + 1e-12)
    np.testing.assert_allclose(
        gpu.wall_wrench().sum(axis=0), gpu.wrench.sum(axis=0), atol=1e-9 + 1e-9 * abs(gpu.wrench).max()
    )
    assert gpu.counts()["rebuilds"] > 1
    few = max(1, cpu.counts()["contacts"] // 500)  # at the edge of touching
    assert abs(gpu.counts()["contacts"] - cpu.counts()["contacts"]) <= few


def goes_on(part: gori.Spec) -> None:
    """A state that is taken out and put back goes on as if nothing had happened."""
    _, gpu, step = beds(part)
    gpu.march(still(STEPS // 2), step)
    other = CudaEngine(gpu.setup, gpu.state())
    gpu.march(still(STEPS // 2), step)
    other.march(still(STEPS // 2), step)
    for a, b in zip(gpu.snapshot(), other.snapshot()):
        np.testing.assert_array_equal(a, b)


def both_ways(part: gori.Spec) -> None:
    """One kernel for all sub-steps, or kernels for each: the same bits."""
    found, before = [], cuda_engine.LARGE
    try:
        for cuda_engine.LARGE in (1, 10**9):
            _, gpu, step = beds(part)
            gpu.march(still(STEPS // 2), step)
            found.append(gpu.snapshot())
    finally:
        cuda_engine.LARGE = before
    for a, b in zip(*found):
        np.testing.assert_array_equal(a, b)


def rides(part: gori.Spec) -> None:
    """Walls and grains move on and turn together: lists hold, and both machines agree."""
    cpu, _, step = beds(part)
    velocity, spin = np.array([8.0, -3.0, 2.0]), 40.0
    table = riding(STEPS, step, velocity, spin)
    state, lists = cpu.state(), []
    motion = state.motion.copy()
    motion[:, :3] = velocity + np.cross([0.0, 0.0, spin], state.sphere[:, :3])
    motion[:, 4:7] = 0.0
    state, found = state._replace(motion=motion), []
    for home in (0, -1):
        setup = cpu.setup._replace(home=home, gravity=np.zeros(3))
        for machine in (CpuEngine, CudaEngine):
            bed = machine(setup, state)
            assert bed.march(table, step) is None
            lists.append(bed.counts()["rebuilds"])
            found.append(bed.snapshot()[1])
    assert lists[0] == lists[1] < lists[2] and lists[1] < lists[3]
    way = np.abs(found[0] - state.sphere).max()
    for place in found[1:]:
        np.testing.assert_allclose(place, found[0], atol=1e-5 * way)


def slides(part: gori.Spec) -> None:
    """Grains slide on the face of a gear: contacts go on from one triangle to the next with their history."""
    teeth = {"type": "gear", "teeth": 12, "module": 5e-3, "width": 0.01, "bore": 0.01, "at": [0, 0, -0.1]}
    ground = {"shapes": {"teeth": teeth | {"material": "wall"}}}
    data = part.model_dump(exclude_unset=True) | {"bodies": {"ground": ground}}
    cpu, _, step = beds(gori.Spec(**data))
    state = cpu.state()
    place, motion, turn = state.sphere, state.motion, 2.0 * np.pi * np.arange(len(state.id)) / len(state.id)
    place[:, 0], place[:, 1] = 0.02 * np.cos(turn), 0.02 * np.sin(turn)
    place[:, 2] = -0.09 + (1.0 - 1e-3) * place[:, 3]
    motion[:, :3] = 15.0 * np.stack([-np.sin(turn), np.cos(turn), 0.0 * turn], axis=1)
    setup, found = with_skin(cpu.setup, 4.0 * cpu.setup.radius)._replace(gravity=np.array([0.0, 0.0, -20.0])), []
    for machine in (CpuEngine, CudaEngine):
        bed = machine(setup, state._replace(listed_position=place[:, :3].copy(), skin=NO_SKIN))
        assert bed.march(still(1), step) is None
        first = bed.state().walls
        assert bed.march(still(9), step) is None
        found.append(bed.state())
        assert (first[:, 1] != found[-1].walls[:, 1]).sum() > len(place) / 2 and bed.counts()["rebuilds"] == 1
    one, two = found
    np.testing.assert_array_equal(two.walls, one.walls)
    np.testing.assert_allclose(two.wall_history, one.wall_history, atol=1e-3 * np.abs(one.wall_history).max())
    np.testing.assert_allclose(two.motion[:, :3], one.motion[:, :3], atol=1e-5 * 15.0)


def same_contacts(setup: Any, state: Any, table: np.ndarray, step: float) -> None:
    """Both machines: the same walls act at the end, mostly others than at first, with the same history and motion."""
    found = []
    for machine in (CpuEngine, CudaEngine):
        bed = machine(setup, state)
        assert bed.march(table[:2], step) is None
        first = bed.state().walls
        assert bed.march(table[1:], step) is None
        found.append(bed.state())
        went_on = [tuple(row) not in set(map(tuple, first)) for row in found[-1].walls]
        assert len(found[-1].walls) == len(state.id) and sum(went_on) > len(state.id) / 2
    one, two = found
    np.testing.assert_array_equal(two.walls, one.walls)
    np.testing.assert_allclose(two.wall_history, one.wall_history, atol=2e-3 * np.abs(one.wall_history).max())
    for a, b in ((two.motion[:, :3], one.motion[:, :3]), (two.motion[:, 4:7], one.motion[:, 4:7])):
        np.testing.assert_allclose(a, b, atol=2e-5 * np.abs(b).max())


def rounds(names: tuple[str, ...]) -> None:
    """Balls roll in meshes of round walls that turn: one contact each, which goes on from triangle to triangle."""
    ball, speed, spin = Ball(0.1, rolling=0.05), 40.0, 15.0
    for name in names:
        wall = ROUND[name]
        with tempfile.TemporaryDirectory() as folder:
            shape = as_stl(Path(folder), *wall.mesh(3 if name == "sphere" else 60))
            setup = ball.setup([shape])
        places = [wall.at(0.1 + 2.0 * np.pi * k / 5.0) for k in range(5)]
        c = np.array([point - 0.96 * ball.r * n for point, n, _ in places])
        v = np.array([speed * along for _, _, along in places])
        slip = [spin * np.cross([0.0, 0.0, 1.0], point) - speed * along for point, _, along in places]
        w = np.array([np.cross(place[1], velocity) for place, velocity in zip(places, slip)])
        state = ball.on(setup, c, v, w / ball.r).state()
        same_contacts(setup, state, riding(12, ball.step, np.zeros(3), spin), ball.step)


def seams(count: int) -> None:
    """Balls roll from one box onto the next, whose top is as high; between them lies a third one, a little lower."""
    ball, speed = Ball(0.1, rolling=0.05), 40.0
    size = np.array([1.0, 4.0, 1.0])
    box = SimpleNamespace(type="box", size=size, open=())
    places = (-0.5, 0.0, -0.5), (0.5, 0.0, -0.5), (0.0, 0.0, -0.5001)
    setup = ball.setup([(box, place) for place in places], (0.0, 0.0, -100.0))
    y = np.linspace(-1.5, 1.5, count)
    c = np.stack([np.full(count, -0.05), y, np.full(count, 0.98 * ball.r)], axis=1)
    state = ball.on(setup, c, (speed, 0.0, 0.0), (0.0, speed / ball.r, 0.0)).state()
    same_contacts(setup, state, still(12), ball.step)


def among_many(part: gori.Spec, count: int) -> None:
    """A large grain comes upon one of many small ones around it: both feel it."""
    cpu, _, step = beds(part)
    k = np.arange(count)
    height, turn = 1.0 - (2.0 * k + 1.0) / count, np.pi * (1.0 + 5.0**0.5) * k
    wide = np.sqrt(1.0 - height**2)
    place, motion = np.zeros((count + 1, 4)), np.zeros((count + 1, 8))
    place[0, 3], place[1:, 3], skin = 6e-3, 1e-3, 1e-3
    place[1:, :3] = (7e-3 + 0.2 * skin) * np.stack([wide * np.cos(turn), wide * np.sin(turn), height], axis=1)
    place[:, 0] += 0.5
    motion[:, 3] = 2500.0 * 4.0 / 3.0 * np.pi * place[:, 3] ** 3
    motion[0, 2] = 0.05 * skin / step
    far = np.full(3, 10.0)
    setup = with_skin(cpu.setup, skin)._replace(gravity=np.zeros(3), radius=6e-3, levels=None, low=-far, high=far)
    for machine in (CpuEngine, CudaEngine):
        bed = machine(setup, fresh_state(place, motion, np.arange(count + 1), still(0)[0]))
        bed.renew()
        assert bed.march(still(7), step) is None
        _, _, now = bed.snapshot()
        assert 0 < (now[1:, 2] > 0.0).sum() < count and bed.counts()["rebuilds"] <= 2
        np.testing.assert_allclose(now[:, 3] @ now[:, :3], motion[:, 3] @ motion[:, :3], atol=1e-9 * motion[0, 3])


def grows(part: gori.Spec) -> None:
    """Lists that are too short become longer, and nothing is lost."""
    cpu, _, step = beds(part)
    setup, before = with_skin(cpu.setup, 6.0 * cpu.setup.radius), cuda_engine.FIRST_SLOTS
    try:
        cuda_engine.FIRST_SLOTS = 1
        gpu = CudaEngine(setup, cpu.state())
    finally:
        cuda_engine.FIRST_SLOTS = before
    gpu.march(still(3), step)
    cpu.march(still(3), step)
    np.testing.assert_allclose(gpu.snapshot()[1], cpu.snapshot()[1], atol=1e-8)
    assert gpu._slots > 1


def comes_and_goes(part: gori.Spec) -> None:
    """Particles that come in and those that outlets take out: the same ones on both machines. Outlets work when lists
    are made anew, which each machine does in sub-steps of its own: what is in the drain may still be there.
    """
    side = part.bodies["ground"].shapes["box"].size[0]
    middle, size = [0.2 * side, 0.0, 0.0], 0.5 * side
    cpu, _, step = beds(part.set("outlets", {"drain": {"box": {"at": middle, "size": [size] * 3}}}))
    setup, state, found = cpu.setup._replace(spare=50), cpu.state(), []
    new = np.array([[-0.4 * side, -0.4 * side, 0.4 * side, 1.9e-3]])
    motion = np.zeros((1, 8))
    motion[:, :3], motion[:, 3] = [0.1, 0.2, -0.5], state.motion[0, 3]
    for machine in (CpuEngine, CudaEngine):
        bed = machine(setup, state)
        assert bed.march(still(STEPS // 3), step) is None
        assert bed.add(np.array([len(state.id)]), new, motion, still(0)[0])
        bed.expire()
        assert bed.march(still(STEPS // 3), step) is None
        found.append(bed.snapshot())
        again = machine(setup, bed.state())
        for one in (bed, again):
            assert one.march(still(STEPS // 3), step) is None
        assert bed.count == len(bed.snapshot()[0]) and np.array_equal(bed.snapshot()[1], again.snapshot()[1])
    kept = []
    for names, spheres in ((one[0], one[1]) for one in found):
        outside = (np.abs(spheres[:, :3] - middle) > 0.5 * size).any(axis=1)
        kept.append((names[outside], spheres[outside]))
    one, two = kept
    assert np.array_equal(one[0], two[0]) and one[0][-1] == len(state.id) and len(one[0]) <= len(state.id)
    np.testing.assert_allclose(two[1], one[1], atol=1e-8)


CASES = {
    "agrees with the CPU": lambda: agree(spec(COUNT)),
    "agrees with the CPU, law voigt": lambda: agree(spec(COUNT, law="voigt")),
    "goes on from a state": lambda: goes_on(spec(COUNT)),
    "one kernel or many": lambda: both_ways(spec(COUNT)),
    "rides along": lambda: rides(spec(COUNT)),
    "slides over triangles": lambda: slides(spec(8)),
    "rolls in round meshes": lambda: rounds(("tube", "cone", "sphere")),
    "crosses seams": lambda: seams(5),
    "many neighbours": lambda: among_many(spec(COUNT), 60),
    "lists grow": lambda: grows(spec(COUNT)),
    "sizes of three levels": lambda: agree(
        spec(COUNT).set("load.radius", [[0.0005, 6], [0.001, 2], [0.002, 1]]), 0.002, 0.001, 0.0005
    ),
    "comes and goes": lambda: comes_and_goes(spec(COUNT)),
}


def main(*names: str) -> int:
    if not SIMULATED:
        cuda_engine.check_device()
    for name in names or CASES:
        CASES[name]()
        print(f"{name}: good", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
