"""Tyre property files: what is read, in which units, and what is refused with its line."""

import pytest

from gori.errors import FileError
from gori.kernels.vehicle.tables import MAGIC
from gori.model.vehicle.tyre import tyre_row
from gori.spec.vehicle.tyre import ALIGNING, COMBINED, FialaTyre, MagicTyre
from gori.text.tir import read_tir
from tests.reference import tyres as twin

HEAD = """\
[MDI_HEADER]
FILE_TYPE                ='tir'
FILE_VERSION             =3.0
! : COMMENT :             made up
$----------------------------------------------------------------units
[UNITS]
LENGTH                   ='meter'
FORCE                    ='newton'
ANGLE                    ='radian'
MASS                     ='kg'
TIME                     ='second'
[MODEL]
PROPERTY_FILE_FORMAT     ='PAC2002'
USE_MODE                 = 14                   $Tyre use switch
TYRESIDE                 = 'LEFT'
[DIMENSION]
UNLOADED_RADIUS          = 0.5                  $Free tyre radius
WIDTH                    = 0.3
[INERTIA]
MASS                     = 37.6
[SHAPE]
{radial width}
 1.0    0.0
 1.0    0.4
[VERTICAL]
VERTICAL_STIFFNESS       = 8e+005
VERTICAL_DAMPING         = 500
[SCALING_COEFFICIENTS]
LCZ                      = 0.5
LMUX                     = 0.9
"""
FIALA = """\
[UNITS]
LENGTH = 'mm'
FORCE = 'newton'
ANGLE = 'radians'
TIME = 'second'
[MODEL]
PROPERTY_FILE_FORMAT = 'FIALA'
[DIMENSION]
UNLOADED_RADIUS = 470
WIDTH = 317.5
[PARAMETER]
VERTICAL_STIFFNESS = 326.332
VERTICAL_DAMPING = 3
ROLLING_RESISTANCE = 7.05
CSLIP = 193929
CALPHA = 50000
UMIN = 0.5568
UMAX = 0.9835
RELAX_LENGTH_X = 800
RELAX_LENGTH_Y = 400
"""


def body(without=(), **changes):
    lines = [f"{k} = {v!r}  $ {k}" for k, v in (twin.MAGIC | changes).items() if k not in without]
    return HEAD + "[LONGITUDINAL_COEFFICIENTS]\n" + "\n".join(lines) + "\n"


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "tyre.tir"
        path.write_text(text)
        return path

    return write


def refused(path):
    with pytest.raises(FileError) as caught:
        read_tir(path)
    assert str(path) in str(caught.value)
    return caught.value


def test_a_file(file):
    tyre = read_tir(file(body()))
    assert isinstance(tyre, MagicTyre)
    assert (tyre.radius, tyre.width, tyre.stiffness, tyre.damping) == (0.5, 0.3, 4e5, 500.0)
    assert tyre.side == "left"
    assert tyre.coefficients == twin.MAGIC | {"LMUX": 0.9}
    assert tyre_row(tyre)["magic"].shape == (1, 123) and tyre_row(tyre)["kind"] == MAGIC


def test_units(file):
    text = body().replace("'meter'", "'mm'").replace("'newton'", "'kilonewton'").replace("'second'", "'millisecond'")
    tyre = read_tir(file(text))
    assert isinstance(tyre, MagicTyre)
    assert tyre.radius == pytest.approx(0.5e-3)
    assert tyre.stiffness == pytest.approx(4e5 * 1e6)
    assert tyre.damping == pytest.approx(500 * 1e3)
    assert tyre.coefficients["FNOMIN"] == pytest.approx(9e6)
    assert tyre.coefficients["LONGVL"] == pytest.approx(16.7)
    assert tyre.coefficients["PKY1"] == -14.0


def test_a_file_of_fiala(file):
    tyre = read_tir(file(FIALA))
    assert isinstance(tyre, FialaTyre)
    expected = FialaTyre(**twin.FIALA)
    for name in FialaTyre.model_fields:
        value = getattr(expected, name)
        assert getattr(tyre, name) == (pytest.approx(value) if isinstance(value, float) else value), name


def test_load_curve(file):
    curve = "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n0.0 0.0\n0.01 1286.0\n0.05 12139.0\n"
    tyre = read_tir(file(body() + curve))
    assert tyre.stiffness is None
    assert tyre.load_table == ((0.01, 1286.0), (0.05, 12139.0))
    error = refused(file(body() + curve + "0.06\n"))
    assert "'0.06' is not a row of depth and load" in str(error)
    assert error.line == (body() + curve).count("\n") + 1


def test_files_of_a_maker(file):
    text = body().replace("'PAC2002'", "'USER'")
    assert "PROPERTY_FILE_FORMAT 'USER'" in str(refused(file(text)))
    assert read_tir(file(text.replace("[MODEL]", "[MODEL]\nTYPE = CAR\nFITTYP = 52"))).type == "magic"


def test_mirrored(file):
    text = body().replace("= 14 ", "= -14 ")
    assert read_tir(file(text)).model_dump()["side"] == "right"
    error = refused(file(text.replace("TYRESIDE", "SIDE")))
    assert "USE_MODE -14 mirrors the tyre" in str(error)
    assert error.line == line_of(text, "USE_MODE")


def test_pure_slip_alone(file):
    pure = body(without=COMBINED + ALIGNING).replace("= 14 ", "= 13 ")
    tyre = read_tir(file(pure))
    assert isinstance(tyre, MagicTyre)
    assert "RBX1" not in tyre.coefficients


def test_missing_coefficients_are_named(file):
    assert "missing coefficients: PKX1, PKY2" in str(refused(file(body(without=("PKX1", "PKY2")))))
    assert "missing coefficients: RBX1" in str(refused(file(body(without=("RBX1",)))))
    assert "missing coefficients: QCZ1" in str(refused(file(body(without=("QCZ1",)))))
    assert "UNLOADED_RADIUS is missing" in str(refused(file(body().replace("UNLOADED_RADIUS", "R0"))))


def line_of(text, start):
    return next(k for k, line in enumerate(text.splitlines(), 1) if line.startswith(start))


@pytest.mark.parametrize(
    ("old", "new", "words", "key"),
    [
        ("PDX1 = 0.95", "PDX1 = 0.9x5", "PDX1 must be a number, not '0.9x5'", "PDX1"),
        ("PDX1 = 0.95", "PDX1 = nan", "PDX1 must be finite", "PDX1"),
        ("PDX1 = 0.95", "PDX1 = -0.95", "PDX1 must be positive, is -0.95", "PDX1"),
        ("PDX1 = 0.95", "PDX1 = 'a'", "PDX1 must be a number, not 'a'", "PDX1"),
        ("PDX1 = 0.95", "PDX1 0.95", "is not KEY = value", "PDX1"),
        ("PDX1 = 0.95", "PDX1 =", "is not KEY = value", "PDX1"),
        ("PKY1 = -14.0", "PKY1 = 14.0", "PKY1 must be negative", "PKY1"),
        ("'radian'", "'degree'", "ANGLE = 'degree' cannot be used: the coefficients are per radian", "ANGLE"),
        ("'meter'", "'furlong'", "LENGTH = 'furlong' cannot be used; known units are meter", "LENGTH"),
        ("'PAC2002'", "'MF_99'", "PROPERTY_FILE_FORMAT 'MF_99' is not one of", "PROPERTY"),
        ("'PAC2002'", "'PAC2002", "the quotes of 'PAC2002 are not closed", "PROPERTY"),
        ("[VERTICAL]", "[VERTICAL", "is not a section", "[VERTICAL"),
        ("'LEFT'", "'TOP'", "TYRESIDE 'top' is not", "TYRESIDE"),
        ("[VERTICAL]", "[VERTICAL]\nFITTYP = 62", "FITTYP 62 is another version of the Magic Formula", "FITTYP"),
        ("[VERTICAL]", "[VERTICAL]\nIP = 2\nIP_NOM = 3\nPPX1 = 0.1", "influence of pressure (PPX1)", "IP "),
        ("LCZ  ", "LKYG = 0.5\nLCZ  ", "LKYG = 0.5 is not modelled", "LKYG"),
    ],
)
def test_errors_name_the_line(file, old, new, words, key):
    assert old in body()
    text = body().replace(old, new, 1)
    error = refused(file(text))
    assert words in str(error)
    assert error.line == line_of(text, key)


def test_twice(file):
    error = refused(file(body() + "PDX1 = 0.9\n"))
    first = line_of(body(), "PDX1")
    assert f"PDX1 is given twice, first in line {first}" in str(error)
    assert error.line == body().count("\n") + 1
    assert "section [UNITS] is given twice" in str(refused(file(body() + "[UNITS]\n")))


def test_not_a_tyre(file, tmp_path):
    assert "there is no such file" in str(refused(tmp_path / "none.tir"))
    assert "has no sections" in str(refused(file("")))
    assert "appears before the first section" in str(refused(file("a = 1\n")))
    assert "section [UNITS] is missing" in str(refused(file("[MODEL]\nPROPERTY_FILE_FORMAT = 'PAC2002'\n")))
    assert "cannot be read" in str(refused(tmp_path))
    assert "radius: must be positive" in str(refused(file(FIALA.replace("= 470", "= 0"))))
