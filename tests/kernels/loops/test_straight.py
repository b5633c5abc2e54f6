"""Code for one pattern does what the loops over patterns do."""

import numba
import numpy as np
import pytest

from gori.kernels.batch.members import SHARED, SIDE_BY_SIDE, TILED, Laid, Members, members_at
from gori.kernels.batch.regions import Regions
from gori.kernels.loops.factors import factor, gather_mass, substitute
from gori.kernels.loops.straight import correct_in_code, factor_in_code, gather_mass_in_code, solve_in_code
from gori.sim.batch.plan import MemoryPlan
from tests.checks import close
from tests.kernels.loops.test_cuts import placed
from tests.plain import plain

COUNT = 34
"""machines, in two tiles"""


class InCode:
    """Arrays of many machines in tiles, and functions of them that are compiled for the pattern of one machine."""

    def __init__(self, made, arrays, place=TILED):
        pattern = {name: Laid(value, SHARED, True, in_code=True) for name, value in vars(made.machine.pattern).items()}
        equation = Laid(np.asarray(made.machine.equation), SHARED)
        own = {name: Laid(np.array(value), place) for name, value in arrays.items()}
        self.tree, self.regions = {"machine": {"pattern": pattern, "equation": equation}, "m": own}, Regions()
        self.kind = Members(self.tree, numba.typeof, set(), regions=self.regions)

    def run(self, function, t=33):
        """Whether there was code for function(machine, m), and the arrays of machine t afterwards."""
        members, inner = members_at(self.kind), numba.njit(function)

        @numba.njit
        def of_one(words, machines, t):
            own = members(words, machines, t)
            return inner(own.machine, own.m)

        of_one.compile((numba.int64, numba.int64, numba.int64))
        paths = self.kind.used | {f"m.{name}" for name in self.tree["m"]}
        plan = MemoryPlan(self.tree, paths, COUNT, self.regions)
        memory = np.zeros(plan.size // 8)
        tile, machine, word = plan.apart("m.lower")

        def words_of(path):
            first = plan.at[path] // 8 + (t // 32) * tile // 8 + (t % 32) * machine // 8
            return first + np.arange(self.tree["m"][path[2:]].array.size) * word // 8

        for name, laid in self.tree["m"].items():
            memory[words_of(f"m.{name}")] = laid.array.reshape(-1)
        words = plan.words(memory.ctypes.data)
        written = of_one(words.ctypes.data, COUNT, t)
        return written, {
            name: memory[words_of(f"m.{name}")].reshape(laid.array.shape) for name, laid in self.tree["m"].items()
        }


def made_of(seed):
    """A machine with loops, its mass matrix, and right-hand sides."""
    made, rng = placed(seed, n_mimic=seed % 2), np.random.default_rng(seed)
    m, nv = made.m, len(made.v)
    m.state.eps_mass[:] = 1e-3
    half = rng.normal(size=(nv, nv))
    m.work.mass[:] = half @ half.T + np.eye(nv)
    plain(gather_mass)(made.machine, m, nv, nv + len(m.work.gap))
    arrays = {name: getattr(m.state, name) for name in ("lower", "over_pivots", "extra_inertia", "eps_mass")}
    arrays |= {name: getattr(m.work, name) for name in ("mass", "jac", "entries", "diagonal", "x")}
    arrays |= {"f": rng.normal(size=nv), "out": rng.normal(size=nv)}
    arrays |= {"g": rng.normal(size=len(m.work.gap)), "lam": rng.normal(size=len(m.work.gap))}
    return made, arrays


@pytest.mark.parametrize("seed", range(3))
def test_matrix_and_factors(seed):
    made, arrays = made_of(seed)
    entries, diagonal = arrays["entries"].copy(), arrays["diagonal"].copy()
    empty = arrays | {"entries": np.zeros_like(entries), "diagonal": np.zeros_like(diagonal)}

    def gather(machine, m):
        return gather_mass_in_code(machine, (m.mass, m.jac, m.extra_inertia, m.eps_mass, m.entries, m.diagonal))

    written, found = InCode(made, empty).run(gather)
    assert written and np.array_equal(found["entries"], entries) and np.array_equal(found["diagonal"], diagonal)

    def factored(machine, m):
        return factor_in_code(machine, (m.entries, m.diagonal, m.lower, m.over_pivots))

    written, found = InCode(made, arrays).run(factored, t=3)
    plain(factor)(made.machine, made.m, len(diagonal))
    assert written
    close(found["lower"], made.m.state.lower, 1e-11)
    close(found["over_pivots"], made.m.state.over_pivots, 1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_solutions(seed):
    made, arrays = made_of(seed)
    m, s, nv = made.m, made.machine.pattern, len(made.v)
    n = len(s.order)
    plain(factor)(made.machine, m, n)
    arrays |= {"lower": m.state.lower, "over_pivots": m.state.over_pivots}
    f, g, x, lam = (arrays[name] for name in ("f", "g", "out", "lam"))

    def solved(right):
        m.work.x[:] = right[s.order]
        plain(substitute)(s, m, n)
        result = np.empty(n)
        result[s.order] = m.work.x
        return result[:nv], result[nv:]

    def solve(machine, m):
        return solve_in_code(machine, (m.lower, m.over_pivots, m.f, m.g, m.lam, m.eps_mass, m.extra_inertia, m.out))

    written, found = InCode(made, arrays).run(solve)
    right = np.concatenate([f + arrays["extra_inertia"] * x, -g - arrays["eps_mass"] * lam])
    assert written
    close(np.concatenate([found["out"], found["lam"]]), np.concatenate(solved(right)), 1e-10)

    def correct(machine, m):
        return correct_in_code(machine, (m.lower, m.over_pivots, m.g, m.out))

    written, found = InCode(made, arrays).run(correct, t=0)
    assert written and np.array_equal(found["lam"], lam)
    close(found["out"], solved(np.concatenate([np.zeros(nv), -g]))[0], 1e-10)


def test_where_places_are_not_known_there_is_none():
    made, arrays = made_of(0)

    def correct(machine, m):
        return correct_in_code(machine, (m.lower, m.over_pivots, m.g, m.out))

    written, found = InCode(made, arrays, place=SIDE_BY_SIDE).run(correct)
    assert not written and np.array_equal(found["out"], arrays["out"])
