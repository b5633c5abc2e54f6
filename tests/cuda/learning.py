"""Environments, streams and graphs of batches on a GPU: `python -m tests.cuda.learning [CASE ...]`, PyTorch or CuPy.

Elsewhere the same engine runs on the host (`tests/learn/test_on_gpu.py`, `tests/sim/batch/test_resident.py`).
"""

import importlib.util
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import gori
from bench.batch_machines import SCENES
from bench.learn import arm as arms_that_reach
from gori import learn
from tests.learn.machines import cart_pole
from tests.sim.batch.machines import H, arm, pendulum, speeds

COUNT, STEPS = 256, 100
METHOD = gori.SemiImplicit(step=H)


def host(array: Any) -> np.ndarray:
    """An array of any package as NumPy's."""
    for convert in ("get", "cpu", "copy_to_host"):
        if hasattr(array, convert):
            array = getattr(array, convert)()
    return np.asarray(array)


def same(one: learn.VectorEnv, other: learn.VectorEnv, bound: float) -> int:
    """Both do the same with the same seeds and actions. Returns how many episodes have ended."""
    rng, ended = np.random.default_rng(0), 0
    assert np.allclose(host(one.reset(seed=3)[0]), host(other.reset(seed=3)[0]), atol=1e-6)
    for _ in range(STEPS):
        actions = rng.uniform(-1.0, 1.0, one.action_space.shape)
        left, right = one.step(actions), other.step(actions)
        for a, b in zip(left[:2], right[:2]):
            assert np.allclose(host(a), host(b), rtol=1e-5, atol=1e-5)  # as float32
        for a, b in zip(left[2:4], right[2:4]):
            assert np.array_equal(host(a), host(b))
        for a, b in ((one.q, other.q), (one.v, other.v)):
            difference = (np.abs(host(a) - host(b)) / (1.0 + np.abs(host(b)))).max()
            assert difference < bound, difference
        ended += int((host(left[2]) | host(left[3])).sum())
    return ended


def arms(xp: str) -> None:
    """Arms on a GPU do what they do on a CPU, with episodes that end and begin anew."""
    pair = [arms_that_reach(SCENES["arm"](), device, COUNT, own) for device, own in (("cuda", xp), ("cpu", None))]
    assert same(pair[0], pair[1], 1e-9) > COUNT
    assert pair[0].arrays.name == xp and pair[0].arrays.on_gpu


def other_parameters(xp: str) -> None:
    """Sets of parameters are drawn and put on the device, and targets are followed within a launch."""

    def made(device: Any, xp: str | None) -> learn.VectorEnv:
        masses = {"bodies.pole.mass": np.linspace(0.1, 0.5, 3 * COUNT)}
        batch = gori.batch(cart_pole(), COUNT, METHOD, device=device, parameters=masses)
        return learn.VectorEnv(
            batch,
            {"q": learn.Positions(), "v": learn.Velocities(), "effort": learn.Efforts("twist", "push")},
            {"hinge": learn.TargetAction({"hinge": "twist"}, 40.0, 4.0, most=5.0, scale=0.5),
             "push": learn.InputAction("push", 5.0, delay=1)},
            {"near": lambda env: -env.q[:, 0] ** 2},
            terminations={"chance": lambda env: env.uniform("end")[:, 0] < 0.02},
            starts=[learn.OtherParameters(), learn.Spread({"hinge": 0.1}), learn.StartInputs({"push": 1.0})],
            control_steps=10, duration=1.0, xp=xp,
        )  # fmt: skip

    one, other = made("cuda", xp), made("cpu", None)
    assert same(one, other, 1e-9) > COUNT
    assert np.array_equal(one.batch._set, other.batch._set) and len(set(one.batch._set)) > COUNT / 2


class Twins:
    """The same arms twice: steps and resets of one are launched one by one, those of the other as a graph."""

    def __init__(self, package: Any, view: Callable[[Any], Any]):
        self.package = package
        self.batches = [gori.batch(arm(), COUNT, METHOD, device="cuda") for _ in range(2)]
        for batch in self.batches:
            batch.v.set(speeds(arm(), COUNT))
        self.q, self.v = ([view(getattr(batch, name)) for batch in self.batches] for name in "qv")
        self.masks = [package.zeros_like(q[:, 0]) > 1.0 for q in self.q]

    def move(self, k: int) -> None:
        """Those that have come far begin anew."""
        self.batches[k].step(10)
        self.masks[k][...] = self.package.abs(self.q[k][:, 0]) > 0.2
        self.batches[k].reset(self.masks[k])
        self.v[k][...] = self.v[k] + 0.01

    def agree(self) -> None:
        for one, other in (self.q, self.v):
            assert np.array_equal(host(one), host(other))
        one, other = (batch.time for batch in self.batches)
        assert np.array_equal(one, other) and len(np.unique(one)) > 2


def torch_graph() -> None:
    """PyTorch captures steps, resets and writes in a CUDA graph, which is replayed."""
    import torch

    twins, graph = Twins(torch, torch.from_dlpack), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        twins.batches[1].stream = torch.cuda.current_stream()
        twins.move(1)
    twins.batches[1].stream = None
    for _ in range(50):
        twins.move(0)
        graph.replay()
    twins.agree()


def cupy_graph() -> None:
    """CuPy does."""
    import cupy

    twins, stream = Twins(cupy, cupy.asarray), cupy.cuda.Stream(non_blocking=True)
    twins.move(0)  # CuPy compiles, which cannot be captured
    twins.move(1)
    cupy.cuda.Device().synchronize()
    with stream:
        twins.batches[1].stream = stream
        stream.begin_capture()
        twins.move(1)
        graph = stream.end_capture()
    twins.batches[1].stream = None
    for _ in range(50):
        twins.move(0)
        graph.launch(stream)
    stream.synchronize()
    twins.agree()


def captured_steps() -> None:
    """Steps of an environment as a graph do what they do one by one, after resets as well."""
    envs = [arms_that_reach(SCENES["arm"](), "cuda", COUNT, "torch") for _ in range(2)]
    envs[1].capture()
    rng, ended = np.random.default_rng(1), 0
    for seed in (1, 2):
        one, other = (host(env.reset(seed=seed)[0]) for env in envs)
        assert np.array_equal(one, other)
        for _ in range(STEPS):
            actions = rng.uniform(-1.0, 1.0, envs[0].action_space.shape)
            left, right = (env.step(actions) for env in envs)
            for a, b in zip(left[:4], right[:4]):
                assert np.array_equal(host(a), host(b))
            for name in ("return", "length"):
                assert np.array_equal(host(left[4]["final_info"][name]), host(right[4]["final_info"][name]))
            ended += int((host(left[2]) | host(left[3])).sum())
        assert np.array_equal(host(envs[0].q), host(envs[1].q))
    graph = envs[1]._graph
    assert graph is not None and graph._graph is not None and ended > COUNT


def own_stream() -> None:
    """On a stream of its own a batch does the same, and what is read waits for it."""
    from numba import cuda

    found, stream = [], cuda.stream()
    for one in (None, int(stream)):
        batch = gori.batch(arm(), COUNT, METHOD, device="cuda")
        batch.stream = one
        assert batch.stream == (one or 0)
        batch.v.set(speeds(arm(), COUNT))
        batch.step(500)
        batch.reset(np.arange(COUNT) % 3 == 0)
        batch.step(100)
        found.append((batch.time, np.asarray(batch.q)))
    assert all(np.array_equal(one, other) for one, other in zip(*found))


def no_memory() -> None:
    """Steps, resets and other sets by masks on the device take no memory there."""
    from numba import cuda

    masses = {"bodies.lower.mass": np.linspace(0.5, 2.0, 2 * COUNT)}
    batch = gori.batch(pendulum(), COUNT, METHOD, device="cuda", parameters=masses)
    mask, sets = cuda.to_device(np.ones(COUNT, np.uint8)), cuda.to_device(np.arange(COUNT)[::-1].copy())

    def move() -> int:
        for _ in range(100):
            batch.step(2)
            batch.assign(sets, mask)
            batch.reset(mask)
        batch._machines.synchronise()
        return cuda.current_context().get_memory_info()[0]

    assert move() == move()
    assert np.array_equal(batch._set, np.arange(COUNT)[::-1])


CASES: dict[str, Callable[[], None]] = {"own_stream": own_stream, "no_memory": no_memory}
for name, graph in (("torch", torch_graph), ("cupy", cupy_graph)):
    if importlib.util.find_spec(name) is not None:
        CASES |= {
            f"arms_{name}": lambda name=name: arms(name),
            f"other_parameters_{name}": lambda name=name: other_parameters(name),
            f"graph_{name}": graph,
        }
if "graph_torch" in CASES:
    CASES["captured_steps"] = captured_steps


def main(*names: str) -> int:
    for name in names or CASES:
        CASES[name]()
        print(f"{name}: good", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
