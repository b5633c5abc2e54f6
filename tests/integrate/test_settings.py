"""Objects from settings, as in a run file."""

from dataclasses import dataclass

import pytest

from gori.errors import InputError
from gori.integrate import loops_of, strategy_of
from gori.integrate.settings import from_settings


@dataclass(frozen=True)
class Part:
    pass


@dataclass(frozen=True)
class Wheel(Part):
    radius: float = 1.0
    width: float = 0.2


@dataclass(frozen=True)
class Bolt(Part):
    pass


KINDS = {"wheel": Wheel, "bolt": Bolt}


def part(settings):
    return from_settings(settings, Part, KINDS, "part")


def test_an_object_its_name_or_its_settings():
    assert part("wheel") == part({"type": "wheel"}) == Wheel()
    given = {"type": "wheel", "radius": 2.0}
    assert part(given) == Wheel(2.0) and given == {"type": "wheel", "radius": 2.0}  # which stays as it is
    kept = Bolt()
    assert part(kept) is kept


@pytest.mark.parametrize(
    "make, settings, words",
    [
        (part, "nut", "part 'nut' is not one of wheel, bolt"),
        (part, {"radius": 1.0}, "part None is not one of wheel, bolt"),
        (part, {"type": "wheel", "depth": 1}, "part wheel takes radius, width, not depth"),
        (part, {"type": "bolt", "depth": 1}, "part bolt takes no settings, not depth"),
        (loops_of, "none", "loops 'none' is not one of multipliers"),
        (loops_of, {"type": "multipliers", "eps": 1}, "loops multipliers takes no settings, not eps"),
        (strategy_of, {"type": "frozen", "columns": 2}, "jacobian frozen takes no parameters, not columns"),
        (strategy_of, 3, "jacobian must be a strategy"),
    ],
)
def test_what_is_unknown_is_refused(make, settings, words):
    with pytest.raises(InputError, match=words):
        make(settings)
