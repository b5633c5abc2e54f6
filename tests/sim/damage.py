"""States with one field damaged: a Simulation refuses them or runs, and the process survives.

python -m tests.sim.damage SEED TRIES [MACHINE]     names each damage before it is tried, then what came of it
"""

import sys
import warnings
from collections import Counter
from functools import cache

import numpy as np

import gori
from gori.errors import GoriError
from gori.jacobian import RoundRobin
from tests.sim.particles.shaken import shaken
from tests.sim.resume_cases import arm, free_four_bar, sand

ADAMS, ALPHA = gori.Adams(step=1e-3), gori.GeneralizedAlpha(step=1e-3)


def four_bar(loops):
    make = free_four_bar(gori.RK4(step=1e-3))
    return lambda **options: make(loops=loops, **options)


def tray():
    model = gori.compile(shaken())
    return lambda **options: gori.Simulation(model, gori.RK4(step=1e-3), **options)


MACHINES = {
    "arm adams": (lambda: arm(ADAMS), 5),
    "arm generalized_alpha": (lambda: arm(ALPHA), 5),
    "arm round robin": (lambda: arm(gori.ImplicitEuler(step=1e-3, jacobian=RoundRobin(columns=1))), 5),
    "arm dopri5": (lambda: arm(gori.Dopri5()), 5),
    "arm radau5": (lambda: arm(gori.Radau5()), 5),
    "four-bar radau5": (lambda: free_four_bar(gori.Radau5()), 5),
    "four-bar multipliers": (lambda: four_bar("multipliers"), 5),
    "four-bar partition": (lambda: four_bar("partition"), 5),
    "four-bar frozen": (lambda: four_bar("frozen_explicit"), 5),
    "four-bar generalized_alpha": (lambda: free_four_bar(ALPHA), 5),
    "vehicle on sand": (sand, 5),
    "tray with an inlet": (tray, 40),
}


def go_on(simulation, steps):
    """Steps, or for a method that chooses its own as long a time."""
    if simulation.method.adaptive:
        simulation.run(1e-3 * steps, progress=False)
    else:
        simulation.advance(steps)


@cache
def machine(name):
    """A function that makes the Simulation, and the State after some steps."""
    make, steps = MACHINES[name][0](), MACHINES[name][1]
    simulation = make()
    go_on(simulation, steps)
    return make, simulation.state


# ---- damage


def numbers_of(value, rng):
    """A copy of an array, and a view of the numbers in it: of a table those of one field."""
    value = value.copy()
    if value.dtype.names:
        return value, value[rng.choice(value.dtype.names)]
    return value, value


def spoilt(numbers, rng):
    """Some of the numbers are others, in place; how, in words."""
    if not numbers.size or numbers.dtype.kind not in "ifb":
        return "nothing"
    if numbers.dtype.kind == "f":
        worse = rng.choice([np.nan, np.inf, -np.inf, 1e300, -1e300, 1e15, -1.0, 0.0, 0.5, 7.0, 1e-300])
    elif numbers.dtype.kind == "i":
        worse = rng.choice([-1, -(1 << 62), 1 << 62, (1 << 63) - 1, 1 << 31, 1 << 40, 2, 3, 5, 0, 1000])
    else:
        worse = not numbers.flat[0]
    if rng.random() < 0.3:
        numbers[...] = worse
        return f"all {worse}"
    at = rng.integers(numbers.size)
    if numbers.shape == ():
        numbers[...] = worse
    else:
        numbers[np.unravel_index(at, numbers.shape)] = worse
    return f"[{at}] = {worse}"


def reshaped(value, rng):
    """Another shape of the same numbers, or some more or fewer."""
    flat = value.reshape(-1)
    shapes = [flat[:0], flat[:-1], np.concatenate([flat, flat[:1]]), value[None], flat.reshape(-1, 1)]
    shapes += [value.T, value[::-1] if value.ndim else value[None], np.repeat(flat, 2)]
    return shapes[rng.integers(len(shapes))]


def retyped(value, rng):
    """Another dtype."""
    kind = rng.choice(["f4", "i4", "u8", "U9", "b1", ">f8", ">i8", "f8", "i8"])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.zeros(value.shape, kind) if value.dtype.names or value.dtype.kind == "U" else value.astype(kind)


def damaged(state, rng):
    """A State of which one field is wrong, and what was done to it."""
    names = list(state.arrays())
    name = names[rng.integers(len(names))]
    part, _, field = name.rpartition("/")
    own = {"time": np.array(state.time), "q": state.q, "v": state.v, "z": state.z}
    parts = {key: dict(values) for key, values in state.parts.items()}
    value = parts[part][field] if part else own[field]
    how = rng.choice(["number", "number", "number", "shape", "dtype", "gone", "part gone"])
    if how == "number" and value.dtype.kind == "U":
        texts = ["", "[", "{}", "[1]", '{"a": 1}', '[["x"]]', '[["x", "y"]]', "null", "7", str(value) + "x"]
        value = np.array(texts[rng.integers(len(texts))])
        how = repr(str(value))
    elif how == "number":
        value, numbers = numbers_of(value, rng)
        how = spoilt(numbers, rng)
    elif how == "shape":
        value = reshaped(value, rng)
        how = f"shape {value.shape}"
    elif how == "dtype":
        value = retyped(value, rng)
        how = f"dtype {value.dtype}"
    elif not part:
        value = value * np.nan
    if how in ("gone", "part gone") and part:
        del (parts[part] if how == "gone" else parts)[field if how == "gone" else part]
    elif part:
        parts[part][field] = value
    else:
        own[field] = value
    return (own, parts, state.model), f"{name}: {how}"


def outcome(make, given):
    """What becomes of a damaged State: "ran", or the name of the error of Gori; other errors are let through."""
    own, parts, model = given
    try:
        if own["time"].shape != () or own["time"].dtype.kind not in "fiu":
            return "no time"
        state = gori.State(float(own["time"]), own["q"], own["v"], own["z"], parts, model)
        simulation = make(state=state)
        go_on(simulation, 1)
        return "ran"
    except GoriError as error:
        return type(error).__name__


def main(seed, tries, *only):
    warnings.simplefilter("ignore")
    rng, found = np.random.default_rng(seed), Counter()
    names = list(only) or list(MACHINES)
    for k in range(tries):
        name = names[k % len(names)]
        make, state = machine(name)
        given, words = damaged(state, rng)
        print(f"{k} {name}: {words}", flush=True)
        result = outcome(make, given)
        found[result] += 1
        print(f"  {result}", flush=True)
    print("done", dict(found))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
