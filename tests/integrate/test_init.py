"""The list of methods, and a method by its name or its settings."""

import pytest

import gori
from gori.errors import InputError
from gori.integrate import METHODS, RK4, Method, method_of


def test_every_method_is_listed_under_its_kind():
    assert all(method.kind == kind and issubclass(method, Method) for kind, method in METHODS.items())
    assert {method.__name__ for method in METHODS.values()} <= set(gori.__all__)


@pytest.mark.parametrize("kind", METHODS)
def test_settings_make_the_method_again(kind):
    method = METHODS[kind]()
    assert method_of(kind) == method_of(method.settings()) == method_of(method) == method


def test_an_object_its_name_or_its_settings():
    assert method_of("rk4") == RK4() and method_of({"type": "rk4", "step": 0.5}) == RK4(step=0.5)
    assert method_of(RK4(step=0.1)) == RK4(step=0.1)


@pytest.mark.parametrize(
    "settings, words",
    [
        ("rk5", "method 'rk5' is not one of semi_implicit, rk4"),
        ({"step": 1e-3}, "method None is not one of"),
        ({"type": "rk4", "size": 1}, "method rk4 takes step, not size"),
    ],
)
def test_what_is_unknown_is_refused(settings, words):
    with pytest.raises(InputError, match=words):
        method_of(settings)
