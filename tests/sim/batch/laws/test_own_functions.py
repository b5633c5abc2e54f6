"""Functions of the user: what tells them apart, and the words where they do not compile."""

import math
import types

import numba
import numpy as np
import pytest

from gori.errors import InputError, UnsupportedError
from gori.sim.batch.laws.own_functions import (
    digest_of_function,
    functions_within,
    python_of,
    refuse_raising,
    refuse_uncompilable,
)


def made(text: str, **around):
    """A function from a text, with its globals."""
    exec(text, around)
    return around["f"]


LAW = "def f(t, q, v, tau):\n    tau[0] += K * q[0]\n"


def test_digests_tell_functions_apart():
    one = digest_of_function(made(LAW, K=1.0))
    assert one == digest_of_function(made(LAW, K=1.0)) == digest_of_function(numba.njit(made(LAW, K=1.0)).py_func)
    others = [
        made(LAW, K=2.0),
        made(LAW.replace("q[0]", "q[1]"), K=1.0),
        made(LAW.replace("K *", "3.0 * K *"), K=1.0),
        made(LAW.replace("K *", "math.sin(K) *"), K=1.0, math=math),
        made(LAW.replace("K *", "math.cos(K) *"), K=1.0, math=math),
        made(LAW, K=np.array([1.0, 2.0])),
        made(LAW, K=np.array([1.0, 3.0])),
    ]
    assert len({one, *map(digest_of_function, others)}) == 8


def test_digests_see_constants_of_closures_helpers_and_modules():
    def law(k):
        def f(t, q, v, tau):
            tau[0] += k

        return f

    def calling(k):
        helper = numba.njit(lambda x: k * x)

        def f(t, q, v, tau):
            tau[0] += helper(q[0])

        return f

    def reading(k):
        module = types.ModuleType("constants")
        module.K = k
        return made(LAW.replace("K *", "module.K *"), module=module)

    for make in (law, calling, reading):
        assert digest_of_function(make(1.0)) == digest_of_function(make(1.0)) != digest_of_function(make(2.0))


def test_recursion_ends():
    def f(t, q, v, tau):
        return f(t, q, v, tau)

    assert digest_of_function(f) and functions_within(f) == [f]


def test_what_is_no_function_of_python():
    with pytest.raises(InputError, match="must be a function of Python"):
        python_of(math.sin)


@numba.njit
def helper(x):
    return x.nothing


@numba.njit
def checked(x):
    assert x > 0.0
    return x


def allocates(t, q, v, tau):
    x = np.zeros(3)
    tau[0] += x[0]


def of_arrays(t, q, v, tau):
    tau -= 0.5 * v


def unknown(t, q, v, tau):
    tau[0] += nobody  # noqa: F821


def writes(t, q, v, tau):
    tau[0] = 1.0
    v[0] = 1.0


def through_a_helper(t, q, v, tau):
    tau[0] += helper(q)


def returns(t, q, v, tau):
    return tau


def adds_text(t, q, v, tau):
    tau[0] += "a"


@pytest.mark.parametrize(
    "law, words",
    [
        (unknown, r"name 'nobody' is not defined \(.*test_own_functions.py, line \d+: .*nobody"),
        (writes, r"it writes to q or v.*line \d+: v\[0\] = 1.0"),
        (through_a_helper, r"attribute 'nothing'.*line \d+: return x.nothing"),
        (returns, "returns something: it must add to tau"),
        (adds_text, r"No implementation of function.* for iadd\(float64, .*str.*tau\[0\] \+= \"a\""),
    ],
)
@pytest.mark.parametrize("on_gpu", [False, True])
def test_words_name_the_line(law, words, on_gpu):
    with pytest.raises(InputError, match=words):
        refuse_uncompilable(law, "law", 0, on_gpu)


@pytest.mark.parametrize(
    "law, words", [(allocates, r"makes a new array.*x = np.zeros\(3\)"), (of_arrays, r"new array.*tau -= 0.5")]
)
def test_new_arrays_are_for_a_cpu(law, words):
    refuse_uncompilable(law, "law", 0, False)
    with pytest.raises(InputError, match=words):
        refuse_uncompilable(law, "law", 0, True)


def test_exceptions_in_helpers_are_found():
    def law(t, q, v, tau):
        tau[0] += checked(q[0])

    with pytest.raises(UnsupportedError, match=r"law 'checked' raises exceptions.*assert x > 0.0"):
        refuse_raising(law)
    refuse_raising(allocates)
