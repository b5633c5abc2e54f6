"""Dynamics of trees: Gori against Pinocchio on the same files, in the same run.

Batch figures are for one thread, per state within one call, against the faster of a Python loop over Pinocchio and
Pinocchio's own batch call on one thread. Every pair is compared for equal results before it is timed.
"""

import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

import gori
from bench.machines import chain_urdf, humanoid_path, load_urdf
from bench.pinocchio_peer import Peer, pin
from bench.timing import finish, machine, race, show

ARM = Path(__file__).parent.parent / "examples" / "arm.yaml"


def same(ours: np.ndarray, theirs: np.ndarray, what: str) -> None:
    error = np.abs(ours - theirs).max() / np.abs(theirs).max()
    if not error < 1e-8:
        raise SystemExit(f"{what}: results differ by {error:.1e}; the times would mean nothing")


def states(model: gori.Model, count: int):
    rng = np.random.default_rng(3)
    return model.random(rng, count), rng.normal(size=(count, model.nv)), 10.0 * rng.normal(size=(count, model.nv))


def measure(label: str, path: Path, base: str, figures: dict, rows: list) -> None:
    model = load_urdf(path, base)
    peer = Peer(model, path, base)
    m, d = peer.model, peer.data
    count = 256 if model.nv < 100 else 64
    q, v, tau = states(model, count)
    pq, pv, pt = peer.q(q), peer.v(v), peer.v(tau)
    Q, V, T = (np.asfortranarray(x.T) for x in (pq, pv, pt))
    pool = pin.ModelPool(m, 1)

    cases = {
        "aba": (
            lambda: model.forward_dynamics(q, v, tau),
            {
                "loop": lambda: [pin.aba(m, d, a, b, c) for a, b, c in zip(pq, pv, pt)],
                "batch": lambda: pin.abaInParallel(1, pool, Q, V, T),
            },
        ),
        "rnea": (
            lambda: model.inverse_dynamics(q, v, tau),
            {
                "loop": lambda: [pin.rnea(m, d, a, b, c) for a, b, c in zip(pq, pv, pt)],
                "batch": lambda: pin.rneaInParallel(1, pool, Q, V, T),
            },
        ),
        "crba": (
            lambda: model.mass_matrix(q),
            {
                f"loop, {name.lower()}": lambda how=how: [pin.crba(m, d, a, how) for a in pq]
                for name, how in pin.Convention.names.items()
            },
        ),
        "derivatives": (
            lambda: model.derivatives(q, v, tau),
            {"loop": lambda: [pin.computeABADerivatives(m, d, a, b, c) for a, b, c in zip(pq, pv, pt)]},
        ),
    }
    ix = np.ix_(peer.v_index, peer.v_index)
    same(cases["aba"][0]()[0], pin.aba(m, d, pq[0], pv[0], pt[0])[peer.v_index], f"aba {label}")
    same(cases["rnea"][0]()[0], pin.rnea(m, d, pq[0], pv[0], pt[0])[peer.v_index], f"rnea {label}")
    same(cases["crba"][0]()[0], pin.crba(m, d, pq[0])[ix], f"crba {label}")
    theirs = pin.computeABADerivatives(m, d, pq[0], pv[0], pt[0])
    for ours, reference in zip(cases["derivatives"][0](), theirs):
        same(ours[0], reference[ix], f"derivatives {label}")

    for name, (ours, rivals) in cases.items():
        times = race({"gori": ours, **rivals}, seconds=1.2)
        rival = min(rivals, key=times.__getitem__)
        ratio = times[rival] / times["gori"]
        figures[f"{name}_batch_speedup_{label}"] = ratio
        rows.append([f"{name} batch, {label}", times["gori"] / count * 1e6, times[rival] / count * 1e6, rival, ratio])

    q1, v1, t1, a, b, c = q[0], v[0], tau[0], pq[0], pv[0], pt[0]
    times = race({"gori": lambda: model.forward_dynamics(q1, v1, t1), "pin": lambda: pin.aba(m, d, a, b, c)})
    figures[f"aba_single_speedup_{label}"] = times["pin"] / times["gori"]
    rows.append([f"aba single, {label}", times["gori"] * 1e6, times["pin"] * 1e6, "call", times["pin"] / times["gori"]])


def measure_growth(folder: Path, figures: dict, rows: list) -> None:
    """One call of the public forward dynamics at 100 and 1000 links.

    Pinocchio has no figure at 1000: its Data holds four arrays of nv x nv x nv numbers, 32 GB in all.
    """
    calls = {}
    for links in (100, 1000):
        path = folder / f"chain{links}.urdf"
        path.write_text(chain_urdf(links))
        model = load_urdf(path)
        calls[str(links)] = partial(model.forward_dynamics, *(x[0] for x in states(model, 1)))
    for links, seconds in race(calls).items():
        figures[f"aba_us_{links}"] = seconds * 1e6
        rows.append([f"aba single, {links} links", seconds * 1e6, "", "", ""])


def measure_threads(folder: Path, figures: dict, rows: list) -> None:
    path = folder / "chain30.urdf"
    path.write_text(chain_urdf(30))
    model = load_urdf(path)
    q, v, tau = states(model, 8192)

    def run(threads):
        gori.threads(threads)
        model.forward_dynamics(q, v, tau)

    times = race({"1": lambda: run(1), "2": lambda: run(2)}, seconds=2.0)
    gori.threads(1)
    figures["batch_scaling_2_threads"] = times["1"] / times["2"]
    rows.append(
        [
            "aba batch, 30, 2 threads",
            times["2"] / 8192 * 1e6,
            times["1"] / 8192 * 1e6,
            "1 thread",
            times["1"] / times["2"],
        ]
    )


def measure_start(figures: dict, rows: list) -> None:
    """A new process from its start to the first acceleration: with an empty cache of kernels, then with a full one."""
    script = (
        f"import gori, numpy as np; m = gori.compile(gori.load({str(ARM)!r}));"
        "print(m.forward_dynamics(np.array(m.q0), np.zeros(m.nv), np.zeros(m.nv))[1])"
    )
    with tempfile.TemporaryDirectory() as cache:
        for name, runs in (("cold_start_s", 1), ("warm_start_s", 5)):
            best = float("inf")
            for _ in range(runs):
                start = time.perf_counter()
                subprocess.run(
                    [sys.executable, "-c", script],
                    check=True,
                    env={**os.environ, "GORI_CACHE": cache},
                    stdout=subprocess.DEVNULL,
                )
                best = min(best, time.perf_counter() - start)
            figures[name] = best
            rows.append([name, best, "", "", ""])


def main() -> None:
    gori.threads(1)
    figures: dict[str, float] = {}
    rows: list[list] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for links in (7, 30, 100):
            path = folder / f"chain{links}.urdf"
            path.write_text(chain_urdf(links))
            measure(str(links), path, "fixed", figures, rows)
        measure("humanoid", humanoid_path(), "free", figures, rows)
        measure_growth(folder, figures, rows)
        measure_threads(folder, figures, rows)
    show(f"Trees: Gori {gori.__version__} and Pinocchio {pin.__version__}, microseconds per state. {machine()}",
         ["case", "gori us", "peer us", "peer", "speedup"], rows)  # fmt: skip
    start_rows: list[list] = []
    measure_start(figures, start_rows)
    show("Start of a new process, seconds to the first result", ["case", "s"], [row[:2] for row in start_rows])
    finish(figures)


if __name__ == "__main__":
    main()
