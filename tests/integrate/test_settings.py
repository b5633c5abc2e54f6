"""Objects from settings, as in a run file."""

import pytest

from gori.errors import InputError
from gori.integrate import RK4, Multipliers, loops_of, method_of, strategy_of


def test_an_object_its_name_or_its_settings():
    assert method_of("rk4") == RK4() and method_of({"type": "rk4", "step": 0.5}) == RK4(step=0.5)
    assert method_of(RK4(step=0.1)) == RK4(step=0.1)
    assert loops_of("multipliers") == loops_of({"type": "multipliers"}) == Multipliers()


@pytest.mark.parametrize(
    "make, settings, words",
    [
        (method_of, "rk5", "method 'rk5' is not one of semi_implicit, rk4"),
        (method_of, {"step": 1e-3}, "method None is not one of"),
        (method_of, {"type": "rk4", "size": 1}, "method rk4 takes step, not size"),
        (loops_of, "none", "loops 'none' is not one of multipliers"),
        (loops_of, {"type": "multipliers", "eps": 1}, "loops multipliers takes no settings, not eps"),
        (strategy_of, {"type": "frozen", "columns": 2}, "jacobian frozen takes no parameters, not columns"),
        (strategy_of, 3, "jacobian must be a strategy"),
    ],
)
def test_what_is_unknown_is_refused(make, settings, words):
    with pytest.raises(InputError, match=words):
        make(settings)
