"""All arrays of a few machines after some steps, of the program for a GPU on the host and on a GPU: which ones differ?

    python -m tests.cuda.arrays save FILE [SCENE ...]      anywhere: the program runs on the host
    python -m tests.cuda.arrays compare FILE               on a machine with a GPU

Where a compiler has made a wrong program, the first arrays that differ tell what it got wrong: states say only that it
did. Scenes are those of `bench/batch_machines.py`; work of which nothing is read later may differ.
"""

import sys
from typing import Any

import numpy as np

import gori
from bench.batch_machines import SCENES
from tests.sim.batch.machines import on_host_device

COUNT, SOME = 40, [0, 33, 39]
"""machines, and those that are compared: in two tiles"""
STEPS = 1, 2, 4, 10, 40, 100, 300
BOUND = 1e-9
"""of |d| / (1 + |x|)"""


def arrays_of(name: str) -> dict[str, np.ndarray]:
    """By steps and path; inputs are held, and differ from machine to machine."""
    scene, found, done = SCENES[name](), {}, 0
    batch = gori.batch(scene.model, COUNT, scene.method, device="cuda", state=scene.state, loops=scene.loops,
                       contacts=scene.contacts)  # fmt: skip
    for key, value in scene.settings.items():
        batch.inputs[key] = value
    for key, (low, high) in scene.inputs.items():
        batch.inputs[key] = np.linspace(low, high, COUNT)
    for steps in STEPS:
        batch.step(steps - done)
        done = steps
        for path, array in batch.engine.arrays().items():
            if path != "data.cells":  # of whole fields
                found[f"{name} {steps} {path}"] = array[SOME]
    return found


def fields_of(array: np.ndarray) -> dict[str, np.ndarray]:
    """Numbers of an array by field."""
    return {field: array[field] for field in array.dtype.names} if array.dtype.names else {"": array}


def differences(ours: np.ndarray, theirs: np.ndarray) -> dict[str, float]:
    """Largest difference of each field that differs by more than BOUND; infinite where one of both is no number."""
    found, other = {}, fields_of(theirs)
    for field, numbers in fields_of(ours).items():
        one, two = numbers.astype(float), other[field].astype(float)
        with np.errstate(invalid="ignore"):
            apart = np.abs(one - two) / (1.0 + np.abs(two))
        apart[(one == two) | (np.isnan(one) & np.isnan(two))] = 0.0
        largest = float(np.where(np.isnan(apart), np.inf, apart).max(initial=0.0))
        if largest > BOUND:
            found[field] = largest
    return found


def main(what: str, file: str, *scenes: str) -> int:
    if what == "save":
        on_host_device(_Patch())
        saved: dict[str, Any] = {}
        for name in scenes or SCENES:
            saved |= arrays_of(name)
            print(f"{name}: saved", flush=True)
        np.savez_compressed(file, **saved)
        return 0
    theirs, bad = np.load(file), 0
    for name in dict.fromkeys(key.split()[0] for key in theirs.files):
        differ = {key: found for key, array in arrays_of(name).items() if (found := differences(array, theirs[key]))}
        print(f"{name}: {len(differ)} arrays differ", flush=True)
        for key, found in list(differ.items())[:20]:
            print(" ", key, ", ".join(f"{field} {size:.1e}".strip() for field, size in found.items()))
        bad += bool(differ)
    return min(bad, 1)


class _Patch:
    """What `on_host_device` takes, to stay."""

    @staticmethod
    def setattr(owner: Any, name: str, value: Any) -> None:
        setattr(owner, name, value)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
