"""Derivatives of steps on a GPU against those of the CPU, and what they cost: `python -m tests.cuda.derivatives`.

Elsewhere the same programs run on the host (`tests/sim/batch/test_device_backward.py`, `test_device_steps.py`).
"""

import sys
import time

import numpy as np

import gori
from gori.sim.batch.derivatives import Rollout, step_jacobian
from tests.sim.batch.machines import EXAMPLES, H, four_bar, speeds

COUNT, STEPS = 131_072, 50
FEW = 64


def torques() -> gori.Model:
    """The arm with a torque on each joint."""
    spec = gori.load(EXAMPLES / "arm.yaml")
    joints = [name for name, joint in spec.joints.items() if joint.type == "revolute"]
    return gori.compile(
        spec.set("forces", {f"on_{name}": {"type": "torque", "joint": name, "value": 0.0} for name in joints})
    )


def crank() -> gori.Model:
    """A four-bar with a torque on its crank."""
    return gori.compile(four_bar().spec.set("forces", {"twist": {"type": "torque", "joint": "A", "value": 0.0}}))


MACHINES = {"arm": (torques, "bodies.upper_arm.shapes.tube.density"), "four-bar": (crank, "bodies.coupler.mass")}


def batch_of(model: gori.Model, count: int, device: str):
    batch = gori.batch(model, count, gori.SemiImplicit(step=H), device=device)
    batch.v[...] = speeds(model, FEW)[np.arange(count) % FEW]
    return batch


def worst(ours, theirs) -> float:
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return float(np.abs(ours - theirs).max(initial=0.0) / max(1.0, np.abs(theirs).max(initial=0.0)))


def agree(make, path: str) -> None:
    """Jacobians and derivatives of a rollout, as on the CPU."""
    model, rng = make(), np.random.default_rng(0)
    batches = [batch_of(model, FEW, device) for device in ("cuda", "cpu")]
    u = rng.normal(size=(STEPS, FEW, len(batches[0].inputs)))
    jacobians = [step_jacobian(batch, [path]) for batch in batches]
    found = [worst(*(x.by_state for x in jacobians)), worst(*(x.by_inputs for x in jacobians))]
    found.append(worst(*(x.by_parameters[path] for x in jacobians)))
    runs = [Rollout(batch, u, [path]) for batch in batches]
    for given in (rng.normal(size=(FEW, 2 * model.nv)), rng.normal(size=(STEPS, FEW, 2 * model.nv))):
        both = [run.vjp(given) for run in runs]
        found += [worst(*(x.of_start for x in both)), worst(*(x.of_inputs for x in both))]
        found.append(worst(*(x.of_parameters[path] for x in both)))
    print("  differences from the CPU:", " ".join(f"{x:.1e}" for x in found), flush=True)
    assert max(found) < 1e-7, found


def on_device(x: np.ndarray):
    """On the GPU, where there is one."""
    from numba import cuda

    return cuda.to_device(x) if cuda.is_available() else x


def seconds(batch, work) -> float:
    times = []
    for _ in range(4):
        batch.reset()
        batch.engine.synchronise()
        start = time.perf_counter()
        work()
        batch.engine.synchronise()
        times.append(time.perf_counter() - start)
    return min(times)


def costs(make) -> None:
    """Forward, backward and plain steps of many machines."""
    model, rng = make(), np.random.default_rng(0)
    batch = batch_of(model, COUNT, "cuda")
    u = on_device(rng.normal(size=(STEPS, COUNT, len(batch.inputs))))
    plain = seconds(batch, lambda: batch.step(STEPS))
    forward = seconds(batch, lambda: Rollout(batch, u))
    run = Rollout(batch, u)
    given = on_device(rng.normal(size=(COUNT, 2 * model.nv)))
    run.vjp(given)
    backward = seconds(batch, lambda: (run.vjp(given), run._steps._engine.synchronise()))
    jacobian = seconds(batch, lambda: step_jacobian(batch))
    each = 1e9 / COUNT / STEPS
    print(f"  {COUNT} machines, {STEPS} steps, ns for a step of one: plain {plain * each:.1f}, forward "
          f"{forward * each:.1f}, backward {backward * each:.1f}, (forward + backward) / plain "
          f"{(forward + backward) / plain:.2f}; Jacobian of one step {1e3 * jacobian:.1f} ms", flush=True)  # fmt: skip


def in_torch() -> None:
    """PyTorch's tensors on the GPU, where PyTorch is there."""
    try:
        import torch
    except ImportError:
        print("no PyTorch here")
        return
    from gori.learn.rollout import torch_rollout

    if not torch.cuda.is_available():
        print("PyTorch sees no GPU here")
        return
    model, grads = torques(), []
    for device in ("cuda", "cpu"):
        batch = batch_of(model, FEW, device)
        generator = np.random.default_rng(1)
        shapes = ((FEW, model.nq), (FEW, model.nv), (STEPS, FEW, len(batch.inputs)))
        tensors = [torch.tensor(generator.normal(size=s), device=device, requires_grad=True) for s in shapes]
        q, v = torch_rollout(batch, *tensors)
        (q.square().sum() + v.sum()).backward()
        assert q.device.type == device and tensors[2].grad.device.type == device
        grads.append([x.grad.cpu().numpy() for x in tensors])
    found = [worst(ours, theirs) for ours, theirs in zip(*grads)]
    print("torch, differences from the CPU:", " ".join(f"{x:.1e}" for x in found))
    assert max(found) < 1e-7


def main() -> None:
    chosen = sys.argv[1:] or list(MACHINES)
    for name in chosen:
        print(name, flush=True)
        make, path = MACHINES[name]
        agree(make, path)
        costs(make)
    in_torch()
    print("all well")


if __name__ == "__main__":
    main()
