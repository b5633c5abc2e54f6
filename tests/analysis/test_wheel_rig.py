"""The single-wheel rig: against the textbook's wheel, published tests, refined grids, and bad input."""

import numpy as np
import pytest
from typer.testing import CliRunner

from gori.analysis.wheel_rig import RigWheel, rig
from gori.cli.main import app
from gori.cli.wheel_rig import numbers
from gori.errors import FileError, GoriError, InputError
from gori.formats.soils import soil_names, soil_of
from tests.kernels.vehicle.test_soil import LOAM, SAND
from tests.reference.soil import steady_wheel

WHEEL = RigWheel(radius=0.47, width=0.3)
FIRM = [soil.model_copy(update={"slip_sinkage": None}) for soil in (SAND, LOAM)]

# Ding et al. 2011, smooth wheel, R 0.15735 m, width 0.165 m, 80 N; digitised
DING = {"radius": 0.15735, "width": 0.165}
SLIP = [0.0, 0.1, 0.2, 0.3, 0.4, 0.6]
PULL = [-6.5, 11.0, 14.5, 15.0, 15.0, 15.0]
TORQUE = [0.0, 3.0, 4.2, 4.8, 5.0, 5.3]
SINKAGE = [5.0, 5.5, 7.5, 10.0, 12.5, 17.5]


@pytest.mark.parametrize("soil", FIRM, ids=["exponential", "bekker"])
def test_steady_wheel_is_the_textbook(soil):
    """Sums over the cells are the integrals over the contact angle."""
    table = rig(WHEEL, soil, 6000.0, [0.0, 0.1, 0.3, 0.6], cell=0.01)
    for k, slip in enumerate(table.slip):
        load, pull, torque = steady_wheel(soil, 0.47, 0.3, table.sinkage[k], slip)
        assert load == pytest.approx(6000.0, rel=0.01)
        assert table.pull[k] == pytest.approx(pull, abs=0.005 * 6000.0)
        assert table.torque[k] == pytest.approx(torque, abs=0.005 * 6000.0 * 0.47)


@pytest.mark.parametrize("name", ["lete_sand", "rubicon_sandy_loam", "grenville_loam"])
def test_grid_converges(name):
    """From cells of 5 cm to cells of 1 cm little changes, and less with each refinement."""
    finest = rig(WHEEL, name, 6000.0, [0.1, 0.3], cell=0.005)
    errors = []
    for cell in (0.05, 0.02, 0.01):
        table = rig(WHEEL, name, 6000.0, [0.1, 0.3], cell=cell)
        errors.append(
            [
                np.abs(table.pull - finest.pull).max() / 6000.0,
                np.abs(table.torque - finest.torque).max() / 6000.0 / 0.47,
                np.abs(table.sinkage / finest.sinkage - 1.0).max(),
            ]
        )
    assert np.max(errors[0]) < 0.06
    assert np.max(errors[2]) < 0.012
    assert np.max(errors[2]) < 0.5 * np.max(errors[0])


@pytest.mark.parametrize("name", ["lete_sand", "dry_sand_bekker", "sandy_loam_15", "clayey_soil_38", "lean_clay_32"])
def test_free_wheel_has_to_be_pulled(name):
    """Where no torque acts, the pull is negative: motion resistance comes from the tread's slanted front."""
    table = rig(WHEEL, name, 4000.0, np.linspace(-0.2, 0.1, 13), cell=0.02)
    assert table.torque[0] < 0.0 < table.torque[-1]
    assert np.interp(0.0, table.torque, table.pull) < -0.01 * 4000.0


def test_second_pass_sinks_less():
    table = rig(WHEEL, "dry_sand", 6000.0, np.linspace(-0.1, 0.1, 5), passes=3, cell=0.02)
    for slip in table.slip[3::3]:
        added = np.diff([0.0, *table.where(slip=slip).sinkage])
        assert added[1] < 0.3 * added[0] and added[2] < added[1]
        assert (added > 0.0).all()
    assert list(table.turn[:3]) == [1, 2, 3]
    # a free wheel rolls more easily in the rut
    free = [np.interp(0.0, one.torque, one.pull) for one in (table.where(turn=k) for k in (1, 2, 3))]
    assert free[0] < 1.5 * free[1] < 0.0 and free[1] < free[2]


def test_slip_digs():
    table = rig(WHEEL, "dry_sand", 6000.0, [0.0, 0.2, 0.4, 0.7], cell=0.02)
    assert (np.diff(table.sinkage) > 0.0).all()
    assert table.sinkage[2] / table.sinkage[0] == pytest.approx(1.4 / 0.8, rel=0.1)  # what c0 was set to
    assert table.pull[-1] < table.pull.max()
    still = rig(WHEEL, soil_of("dry_sand").model_copy(update={"slip_sinkage": None}), 6000.0, [0.0, 0.7], cell=0.02)
    assert still.sinkage[1] < 1.05 * still.sinkage[0]


def test_smooth_wheel_of_ding_2011():
    """The fitted soil; the scatter of the digitised points is about 1 N, 0.2 N m and 0.5 mm."""
    table = rig(DING, "ding_2011", 80.0, SLIP, cell=0.005)
    assert np.abs(table.pull - PULL).max() < 4.5
    assert np.abs(table.torque - TORQUE).max() < 0.6
    assert np.abs(1e3 * table.sinkage - SINKAGE).max() < 1.2
    assert np.sqrt(np.mean((table.pull - PULL) ** 2)) < 2.5
    assert np.sqrt(np.mean((1e3 * table.sinkage - SINKAGE) ** 2)) < 0.8
    # slip sinkage is what makes it: without it the wheel neither sinks with slip nor loses its pull
    without = rig(DING, soil_of("ding_2011").model_copy(update={"slip_sinkage": None}), 80.0, SLIP, cell=0.005)
    assert np.sqrt(np.mean((without.pull - PULL) ** 2)) > 5.0
    assert np.abs(1e3 * without.sinkage - SINKAGE).max() > 10.0


def test_side_force_of_a_slip_angle():
    table = rig(WHEEL, "rubicon_sandy_loam", 5000.0, [0.1], slip_angle=[-10, 0, 5, 10, 20], cell=0.02)
    by_angle = dict(zip(table.slip_angle_deg, table.side))
    assert by_angle[0] == pytest.approx(0.0, abs=5.0)
    assert by_angle[-10] == pytest.approx(-by_angle[10], rel=1e-6)
    assert 0.0 > by_angle[5] > by_angle[10] > by_angle[20]
    assert abs(by_angle[20]) < 5000.0


def test_tyre_sinks_less_than_a_rigid_wheel():
    rigid, soft = (rig({"radius": 0.47, "width": 0.3} | more, "sandy_loam_15", 6000.0, [0.1], cell=0.02)
                   for more in ({}, {"stiffness": 3e5}))  # fmt: skip
    assert soft.sinkage[0] < 0.9 * rigid.sinkage[0] and soft.area[0] > rigid.area[0]
    assert soft.pull[0] > rigid.pull[0]


@pytest.mark.parametrize("name", soil_names())
def test_every_soil_of_the_library_works(name):
    soil = soil_of(name)
    assert soil.source and 0.0 < soil.rebound <= soil.largest_rebound()
    table = rig({"radius": 0.5, "width": 0.4}, name, 1500.0, [0.0, 0.2])
    assert np.isfinite(table.rows()).all() and (table.sinkage > 0.0).all() and table.steady[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"soil": "lete_snad"}, "did you mean 'lete_sand'"),
        ({"soil": 3}, "a soil is a name"),
        ({"soil": {"type": "mud"}}, "'mud' is not one of 'exponential', 'bekker'"),
        ({"load": -1.0}, "load must be positive"),
        ({"load": float("nan")}, "load must be positive"),
        ({"slips": [1.0]}, "slips must be numbers from -1 to 0.95"),
        ({"slips": []}, "slips must be"),
        ({"slip_angle": 90.0}, "slip_angle must be"),
        ({"cell": 0.4}, "at most half the radius"),
        ({"cell": 1e-7}, "too large"),
        ({"passes": 0}, "passes must be 1 or more"),
        ({"wheel": {"radius": 0.47, "width": 0.3, "stiffness": 1e3}}, "more than half its radius"),
        ({"wheel": {"radius": -1, "width": 0.3}}, "must be positive"),
        ({"soil": "snow_us", "load": 1e6}, "sinks indefinitely"),
    ],
)
def test_bad_input_is_told(change, words):
    given = {"wheel": WHEEL, "soil": "lete_sand", "load": 6000.0, "slips": [0.1]} | change
    with pytest.raises(GoriError, match=words):
        rig(**given)


def test_bad_soil_file_names_its_line(tmp_path):
    file = tmp_path / "mud.yaml"
    file.write_text(
        "gori: 1\ntype: bekker\nkc: 0\nkphi: 1e6\nn: -1\ncohesion: 0\nfriction_deg: 30\nshear_length: 0.01\n"
    )
    with pytest.raises(FileError, match=r"mud.yaml, line 5: n: must be positive"):
        soil_of(str(file))
    file.write_text("gori: 1\ntype: swamp\n")
    with pytest.raises(FileError, match=r"line 2: type: 'swamp'"):
        soil_of(file)


# ---- the command


@pytest.fixture
def run():
    return lambda *words: CliRunner().invoke(app, ["wheel-rig", *words])


def test_command_prints_a_table_and_draws(run, tmp_path):
    picture, table = tmp_path / "out.png", tmp_path / "out.csv"
    done = run("--soil", "lete_sand", "--slip", "0:0.4:3", "--cell", "0.05", "--passes", "2",
               "--plot", str(picture), "--csv", str(table))  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "pull N" in done.output
    assert [line.split()[:2] for line in done.output.splitlines()[1:7]] == [
        [s, n] for s in ("0", "0.2", "0.4") for n in "12"
    ]
    assert picture.stat().st_size > 5000
    assert np.loadtxt(table, delimiter=",", skiprows=1).shape == (6, 11)


def test_command_lists_soils(run):
    done = run("--soils")
    assert done.exit_code == 0 and all(name in done.output for name in soil_names())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--soil", "mud"), "no soil 'mud'"),
        ((), "name a soil"),
        (("--soil", "lete_sand", "--slip", "0:1"), "first:last:count"),
        (("--soil", "lete_sand", "--slip", "a"), "takes numbers"),
        (("--soil", "lete_sand", "--cell", "0.1", "--slip", "0.1", "--plot", "/nowhere/x.png"), "cannot be plotted"),
    ],
)
def test_command_tells_what_is_wrong(run, words, told):
    done = run(*words)
    assert done.exit_code == 2 and told in done.output


def test_numbers():
    assert numbers("0.2", "x") == [0.2] and numbers("0,0.1", "x") == [0.0, 0.1]
    assert numbers("0:0.6:7", "x") == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    with pytest.raises(InputError):
        numbers("0:1:0", "x")
