"""Wrong arguments in every public call, and damage in every field of States: the process survives, with errors of Gori.

python -m soak.mutants COUNT SEED     a summary as JSON

Each try is made in a child process, which names it before it begins; whatever kills the child is found so, and the next
child goes on behind it. A try is the same for the same seed and number.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import traceback
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
SLOW = 120.0
"""wall time after which a try counts as a hang [s]; the first in a child includes making all machines"""
MEMORY = 12 << 30
"""address space of a child [bytes]: what asks for more gets a MemoryError"""
STATES = 0.4
"""share of tries that damage a State"""


# ---- in the child


def attempt(number: int, seed: int) -> tuple[str, Any]:
    """A try: words on it, and a function that makes it."""
    from soak.calls import calls
    from soak.values import pick, wrong
    from tests.sim.damage import MACHINES, damaged, machine, outcome

    rng = np.random.default_rng([seed, number])
    if rng.random() < STATES:
        name = pick(rng, list(MACHINES))
        make, state = machine(name)
        how = rng.random()
        if how < 0.2:
            return flipped(state, make, name, rng)
        if how < 0.3:
            other = pick(rng, list(MACHINES))
            return f"state of {name} with a part of {other}", mixed(state, machine(other)[1], make, rng)
        given, words = damaged(state, rng)
        return f"state of {name}: {words}", lambda: outcome(make, given)
    known = calls()
    weights = np.array([call.weight for call in known.values()])
    name = list(known)[int(rng.choice(len(known), p=weights / weights.sum()))]
    call, told = known[name], []
    arguments = dict(call.arguments)
    for _ in range(1 if rng.random() < 0.8 else 2):
        key = pick(rng, list(arguments))
        arguments[key], words = wrong(arguments[key], rng)
        told.append(f"{key} = {words}")
    return f"{name}: {', '.join(told)}", lambda: call.function(**arguments)


def mixed(state: Any, other: Any, make: Any, rng: np.random.Generator) -> Any:
    """A State with a part of another machine, or that State itself."""
    from soak.values import pick
    from tests.sim.damage import outcome

    own = {"time": np.array(state.time), "q": state.q, "v": state.v, "z": state.z}
    parts = {key: dict(values) for key, values in state.parts.items()}
    key = pick(rng, list(other.parts))
    parts[key] = dict(other.parts[key])
    if rng.random() < 0.3:
        parts = {key: dict(values) for key, values in other.parts.items()}
    return lambda: outcome(make, (own, parts, ""))


def flipped(state: Any, make: Any, name: str, rng: np.random.Generator) -> tuple[str, Any]:
    """A checkpoint with some bytes changed or missing."""
    import gori

    data = bytearray(state.to_bytes())
    at = int(rng.integers(len(data)))
    if rng.random() < 0.3:
        data = data[:at]
    else:
        data[at] ^= int(rng.integers(1, 256))

    def go() -> None:
        file = Path(f"mutant_{os.getpid()}.npz")
        file.write_bytes(data)
        try:
            make(state=gori.State.load(file))
        finally:
            file.unlink(missing_ok=True)

    return f"checkpoint of {name}: byte {at} of {len(state.to_bytes())}", go


def child(first: int, last: int, seed: int) -> None:
    """Tries first to last - 1; three lines of JSON for each at most."""
    import resource

    import gori
    from soak.calls import calls, folder
    from tests.sim.damage import MACHINES, machine

    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # where calls may print
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    calls()
    for name in MACHINES:
        machine(name)
    os.chdir(folder())  # where relative names of files end up
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    dies = int(os.environ.get("GORI_MUTANT_DIES_AT", "-1"))  # a test of the soak itself
    for number in range(first, last):
        words, go = attempt(number, seed)
        print(json.dumps({"try": number, "words": words}), file=out, flush=True)
        found, offence = "ran", None
        if number == dies:
            os.kill(os.getpid(), signal.SIGSEGV)
        try:
            go()
        except gori.errors.GoriError as error:
            found = type(error).__name__
        except BaseException as error:
            found = f"raw {type(error).__name__}"
            if "a function of the caller failed" in str(error):
                found = "of the caller"
            where = traceback.extract_tb(error.__traceback__)
            last_own = [frame for frame in where if "/gori/" in frame.filename] or where
            place = f"{Path(last_own[-1].filename).name}:{last_own[-1].lineno}"
            offence = None if found == "of the caller" else f"{found} at {place}: {error!s:.200}"
        gori.threads(2)
        print(json.dumps({"try": number, "found": found, "offence": offence}), file=out, flush=True)


# ---- in the parent


def run(count: int, seed: int, workers: int = 1) -> dict[str, Any]:
    """So many tries: counts of them, of those that ran, were refused, crashed or hung, of errors that are not Gori's;
    and the calls that did one of the latter three, in words.
    """
    found: dict[str, Any] = {"outcomes": Counter(), "crashes": [], "hangs": [], "raw": []}
    bounds = np.linspace(0, count, workers + 1).astype(int)
    with ThreadPoolExecutor(workers) as pool:
        for made in [pool.submit(_tries, int(a), int(b), seed, found) for a, b in pairwise(bounds)]:
            made.result()
    tried, ran = sum(found["outcomes"].values()), found["outcomes"]["ran"]
    return {
        "api_mutants": tried + len(found["crashes"]) + len(found["hangs"]),
        "api_ran": ran,
        "api_refused": tried - ran - len(found["raw"]),
        "api_crashes": len(found["crashes"]),
        "api_hangs": len(found["hangs"]),
        "api_raw_errors": len(found["raw"]),
        "problems": found["crashes"] + found["hangs"] + found["raw"],
    }


def _tries(first: int, last: int, seed: int, found: dict[str, Any]) -> None:
    """Children until all tries are made."""
    while first < last:
        first = _one_child(first, last, seed, found)


def _one_child(first: int, last: int, seed: int, found: dict[str, Any]) -> int:
    """A child from a number on; the number at which the next one begins."""
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "-m", "soak.mutants", "child", str(first), str(last), str(seed)],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": paths, "MPLBACKEND": "Agg", "PYTHONFAULTHANDLER": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    errors: list[str] = []
    assert process.stdout is not None and process.stderr is not None
    reader = threading.Thread(target=lambda: errors.extend(process.stderr or ()))
    reader.start()
    now, words, hung, told = first, "before the first try", False, {"found": "ran"}

    def kill() -> None:
        nonlocal hung
        hung = True
        process.kill()

    watch = threading.Timer(10 * SLOW, kill)  # the start, where kernels may have to be compiled
    watch.start()
    done = first
    for line in process.stdout:
        watch.cancel()
        told = json.loads(line)
        if "words" in told:
            now, words = told["try"], told["words"]
        else:
            done = now + 1
            found["outcomes"][told["found"]] += 1
            if told["offence"]:
                found["raw"].append(f"{now} {words}: {told['offence']}")
        watch = threading.Timer(SLOW, kill)
        watch.start()
    code = process.wait()
    watch.cancel()
    reader.join()
    if code == 0:
        return last
    if hung:
        found["hangs"].append(f"{now} {words}: no answer in {SLOW:g} s")
    elif code < 0:
        after = " (after it: memory may have been broken before)" if done == now + 1 else ""
        if after:
            found["outcomes"][told["found"]] -= 1
        last_words = " | ".join(line.strip() for line in errors if "File" in line or "Fatal" in line)[:400]
        found["crashes"].append(f"{now} {words}: {signal.Signals(-code).name}{after} {last_words}")
    else:
        raise RuntimeError(f"the child failed at {now} {words} (exit {code}): {''.join(errors)[-2000:]}")
    return now + 1


if __name__ == "__main__":
    if sys.argv[1] == "child":
        child(*map(int, sys.argv[2:5]))
    else:
        print(json.dumps(run(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0), indent=1))
