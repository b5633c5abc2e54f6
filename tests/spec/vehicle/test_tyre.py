"""Tyres in a Spec: what is refused, and in which words."""

import pytest
from pydantic import BaseModel

from gori.errors import SpecError
from gori.kernels.vehicle import magic
from gori.spec.base import Part
from gori.spec.vehicle.tyre import COEFFICIENTS, FialaTyre, MagicTyre, Tyre
from tests.reference.tyres import FIALA, MAGIC


class Wheel(Part):
    tyre: Tyre


MAGIC_TYRE = {"type": "magic", "radius": 0.5, "width": 0.3, "stiffness": 4e5, "coefficients": MAGIC}


def test_type_tells_the_kind():
    assert isinstance(Wheel.model_validate({"tyre": FIALA}).tyre, FialaTyre)
    assert isinstance(Wheel.model_validate({"tyre": MAGIC_TYRE}).tyre, MagicTyre)
    with pytest.raises(SpecError, match="type 'soft' is not one of"):
        Wheel.model_validate({"tyre": FIALA | {"type": "soft"}})


def test_all_coefficients_have_a_column():
    columns = {getattr(magic, name) for name in COEFFICIENTS}
    assert columns | {magic.CZ} == set(range(magic.N_MAGIC))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"radius": 0}, "tyre.radius: must be positive, is 0"),
        ({"width": -1}, "tyre.width: must be positive"),
        ({"stiffness": None}, "tyre: a tyre needs stiffness or load_table"),
        ({"load_table": [[0.01, 100]]}, "tyre: give stiffness or load_table, not both"),
        ({"stiffness": None, "load_table": [[0.01, 100], [0.01, 200]]}, "load_table.1: depths must increase"),
        ({"stiffness": None, "load_table": [[0.01, 100], [0.02, 50]]}, "load_table.1: loads must increase"),
        ({"stiffness": None, "load_table": [[0, 0]]}, "needs 1 to 10 rows"),
        ({"stiffness": None, "load_table": [[0.01 * k, k] for k in range(1, 12)]}, "needs 1 to 10 rows"),
        ({"damping": -1}, "tyre.damping: must not be negative"),
        ({"relaxation_x": 0}, "tyre.relaxation_x: must be positive"),
        ({"friction_min": 1.2}, "friction_min must not be above friction_max, is 1.2 > 0.9835"),
        ({"slip_stifness": 1}, "unknown key 'slip_stifness'; did you mean 'slip_stiffness'?"),
        ({"reference_friction": 0}, "must be positive"),
    ],
)
def test_refused(change, words):
    with pytest.raises(SpecError) as caught:
        Wheel.model_validate({"tyre": FIALA | change})
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"PDX9": 1.0}, "coefficients.PDX9: unknown coefficient 'PDX9'; did you mean"),
        ({"PKY1": 3.0}, "coefficients.PKY1: PKY1 must be negative"),
        ({"PKY2": 0.0}, "coefficients.PKY2: PKY2 must be positive, is 0"),
        ({"FNOMIN": -1.0}, "FNOMIN must be positive"),
        ({"PDX2": "a"}, "coefficients.PDX2: must be a number"),
    ],
)
def test_coefficients_refused(change, words):
    with pytest.raises(SpecError) as caught:
        Wheel.model_validate({"tyre": MAGIC_TYRE | {"coefficients": MAGIC | change}})
    assert words in str(caught.value)


def test_missing_coefficients_are_named():
    few = {name: value for name, value in MAGIC.items() if name not in ("PCX1", "RCY1", "QBZ9")}
    with pytest.raises(SpecError, match="missing coefficients: PCX1, RCY1, QBZ9"):
        MagicTyre(**MAGIC_TYRE | {"coefficients": few})


@pytest.mark.parametrize("kind", [FialaTyre, MagicTyre])
def test_fields_are_described(kind: type[BaseModel]):
    assert [name for name, field in kind.model_fields.items() if name != "type" and not field.description] == []
