"""Tables of many machines, compared with machines that are compiled one by one."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.model.varied import vary
from gori.model.varied.parameters import Parameters
from gori.model.varied.probes import Probes
from gori.model.varied.tables import LOOSE
from gori.model.varied.vary import _check
from tests.model.varied.machines import MANY, compare, pair, uniform

FOUR_BAR = "examples/four_bar.yaml"
ALONG_X = np.array([1.0, 0.0, 0.0])


def test_masses_and_centres():
    found = compare(pair(), {"slide.mass": uniform(0.3, 0.6), "slide.com": uniform(-0.1, 0.1, 3)}, machines=range(30))
    table = found.tables["body_f"]
    assert found.tables.keys() == {"body_f", "element_f"} and found.count == MANY
    assert table.names[0] == "body_f[2, 12]" and table.values.shape == (len(table.words), MANY)
    assert found.compiled < MANY


def test_lengths_and_gravity():
    compare(pair(), {"rail.at": uniform(-0.2, 0.2, 3), "gravity": uniform(-10, 10, 3)})


def test_elements_and_signals():
    push = {"type": "torque", "joint": "hinge", "value": 2.0}
    servo = {"type": "motor", "joint": "rail", "target": 0.1, "kp": 5.0, "kd": 1.0}
    spec = pair().set("forces", {"push": push, "servo": servo})
    parameters = {
        "rail.stiffness": uniform(10, 90),
        "rail.limit_stiffness": uniform(1e3, 1e5),
        "rail.limits": np.stack([uniform(-2, -1), uniform(1, 2)], axis=1),
        "push.value": uniform(0, 5),
        "servo.kp": uniform(1, 9),
        "servo.target": uniform(-0.3, 0.3),
        "hinge.q": uniform(-1, 1),
    }
    found = compare(spec, parameters)
    assert found.tables.keys() >= {"element_f", "signal_f", "start"}


def test_rotations():
    found = compare(pair(), {"bolt.rpy_deg": np.stack([uniform(-5, 5), uniform(-5, 5), np.zeros(MANY)], axis=1)})
    assert found.compiled < MANY


def test_a_loop_with_varied_lengths():
    """The cut, the start and what makes the factors regular; by path of the Spec as it was written."""
    spec = gori.load(FOUR_BAR)
    loose = LOOSE.keys() - {"start"}
    parameters = {"B.at": uniform(0.18, 0.22, 1) * ALONG_X, "C.at": uniform(0.48, 0.52, 1) * ALONG_X}
    found = compare(spec, parameters, tolerance=3e-11, loose=loose)
    assert found.tables.keys() >= {"body_f", "cut", "start"} and found.compiled < MANY
    model = gori.compile(spec)
    for k in (0, 7):
        system = gori.compile(spec.set({path: values[k].tolist() for path, values in parameters.items()})).loop_system
        assert np.abs(system.terms(found.machine(k)["start"][: model.nq]).gap).max() < 1e-11
    with pytest.raises(InputError, match="there is no 'C'; 'C' closes a loop and was made a cut"):
        vary(model, {"joints.C.at": parameters["C.at"]})


def test_loops_that_cannot_be_closed():
    spec = gori.load(FOUR_BAR)
    lengths = uniform(0.18, 0.22)
    lengths[123] = 2.0
    with pytest.raises(InputError, match=r"machine 123 \(B.at = \[2.0, 0.0, 0.0\]\): the loops cannot be closed"):
        vary(spec, {"B.at": lengths[:, None] * ALONG_X})


def test_a_vehicle():
    model = gori.compile(gori.vehicle.spec("hmmwv"))
    friction = uniform(0.7, 1.0)
    parameters = {f"wheels.truck.wheel_{corner}.tyre.friction_max": friction for corner in ("fl", "fr", "rl", "rr")}
    parameters |= {"truck.chassis.mass": uniform(2000, 3000), "truck.spring_fl.stiffness": uniform(8e4, 1.2e5)}
    found = compare(model, parameters, tolerance=1e-11, loose=LOOSE.keys() - {"start"})
    assert "tyre[0].friction_max" in found.tables["tyre"].names and found.compiled < 100


def test_soils():
    soils = [gori.soil(name).model_dump(exclude_unset=True) for name in ("lete_sand", "upland_sandy_loam", "dry_sand")]
    soft = {"soft": {"soil": soils[0], "at": [-5, -5], "size": [10, 10], "cell": 0.1}}
    spec = gori.vehicle.spec("hmmwv", terrain=soft)
    loose = LOOSE.keys() - {"start"}
    numbers = {"terrain.soft.soil.cohesion": uniform(1e3, 2e3), "terrain.soft.soil.friction_deg": uniform(25, 35)}
    assert compare(spec, numbers, tolerance=1e-11, loose=loose).tables["soil"].values.shape == (2, MANY)
    found = compare(spec, {"terrain.soft.soil": [soils[k % 3] for k in range(MANY)]}, loose=loose, machines=range(6))
    assert found.compiled == 3


def test_shapes_and_contact():
    ball = {"type": "sphere", "radius": 0.1, "mass": 2.0, "collide": True, "material": "rubber"}
    spec = gori.Spec(
        bodies={name: {"shapes": {"ball": ball}} for name in ("a", "b")},
        joints={name: {"type": "free", "parent": "ground", "child": name} for name in ("a", "b")},
        materials={"rubber": {"E": 1e7, "nu": 0.4}},
        contacts={"rubber/rubber": {"friction": 0.5, "restitution": 0.4}},
    )
    parameters = {"contacts.rubber/rubber.friction": uniform(0.3, 0.8), "materials.rubber.E": uniform(1e6, 1e7),
                  "bodies.a.shapes.ball.radius": uniform(0.05, 0.1)}  # fmt: skip
    assert compare(spec, parameters).tables.keys() >= {"contact.law", "contact.shape", "body_f"}


def test_what_is_the_same_in_all_machines_but_not_in_the_model():
    found = compare(pair(), {"slide.mass": np.full(MANY, 0.9)})
    assert (found.tables["body_f"].values[0] == 0.9).all() and found.compiled == 1


def test_what_changes_nothing():
    found = compare(pair().set("frames", {"tip": {"body": "slide"}}), {"tip.at": uniform(-1, 1, 3)}, tolerance=0.0)
    assert not found.tables


def test_few_machines_are_compiled():
    found = compare(pair(), {"bolt.rpy_deg": uniform(-90, 90, 3, count=20)}, tolerance=0.0, machines=range(20))
    assert found.compiled == 20
    alike = uniform(0.3, 0.6, count=4)[np.arange(MANY) % 4]
    assert compare(pair(), {"slide.mass": alike}, tolerance=0.0, machines=range(5)).compiled == 4


def test_each_machine_can_be_compiled():
    exact = compare(pair(), {"load.mass": uniform(0.3, 0.6)}, tolerance=0.0, machines=range(20), exact=True)
    assert exact.compiled == MANY


def test_what_is_not_smooth_is_compiled():
    told = []

    def kinked(model):
        return {"f": np.array([abs(model.spec.bodies["slide"].mass - 0.45) * model.spec.bodies["arm"].mass])}

    parameters = {"slide.mass": uniform(0.3, 0.6), "arm.mass": uniform(1, 2)}
    found = compare(pair(), parameters, 0.0, tables_of=kinked, progress=lambda done, of: told.append((done, of)))
    assert found.compiled >= MANY and told[-1] == (MANY, MANY)


def test_quaternions_are_compiled():
    turns = uniform(-1, 1, 4)
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    assert compare(pair(), {"bolt.quat": turns}, tolerance=0.0).compiled == MANY


def test_what_shows_at_a_single_machine_is_not_passed_over():
    """A product that is zero along both lines through the base point."""
    q, last = np.zeros((MANY, 2)), MANY - 1
    q[:last:2, 0], q[1:last:2, 1] = uniform(0.1, 0.2)[:last:2], uniform(0.1, 0.2)[1:last:2]
    q[last] = 0.3  # the largest of both

    def product(model):
        return {"f": np.array([model.q0[0] * model.q0[1]])}

    found = compare(pair(), {"hinge.q": q[:, 0], "rail.q": q[:, 1]}, tables_of=product, machines=range(MANY))
    assert found.machine(last)["f"][0] == pytest.approx(0.09)


def test_what_was_found_is_checked():
    """A jump that no machine has shown until the end."""
    wanted = Parameters(pair(), {"slide.mass": uniform(0.3, 0.6)})
    probes = Probes(gori.compile(pair()), wanted, lambda model: {"m": np.array([model.spec.bodies["slide"].mass])}, {})
    numbers, values = np.array([0]), wanted.X.T.copy()
    _check(probes, wanted, numbers, values, np.random.default_rng(0))
    k = np.random.default_rng(0).integers(0, MANY, 16).min()
    values[0, k] += 1e-11
    with pytest.raises(InputError, match=rf"m\[0\] of machine {k} is 0\.\d+, not 0\.\d+ .* it jumps within the range"):
        _check(probes, wanted, numbers, values, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("path", "values", "words"),
    [
        ("slide.mas", uniform(1, 2), "'slide.mas' of machine 0, .*unknown key 'mas'"),
        ("nobody.mass", uniform(1, 2), "cannot set 'nobody.mass': unknown name"),
        ("slide.mass", -uniform(1, 2), "'slide.mass' of machine 0, .*must not be negative"),
        ("slide.mass", uniform(1, 2, 3), "'slide.mass' of machine 0, .*must be a number"),
        ("slide.com", uniform(1, 2), "'slide.com' of machine 0, .*must be a list of numbers"),
        ("rail.limits", uniform(-1, 1, 2), "'rail.limits' of machine .* above the upper"),
        ("rail.friction", np.arange(MANY) / MANY, r"has another structure than machine 0, by 'rail.friction'"),
        ("hinge.type", ["revolute", "prismatic"] * 40, "another structure .*by 'hinge.type': the whole number body_i"),
    ],
)  # fmt: skip
def test_errors(path, values, words):
    with pytest.raises(InputError, match=words):
        vary(pair(), {path: values})


def test_a_model_is_needed():
    with pytest.raises(InputError, match="a Model is needed"):
        vary("arm.yaml", {"slide.mass": uniform(1, 2)})  # pyright: ignore[reportArgumentType]
