"""Files of batches with other contents: each field that compiled code reads is checked, and what is good is taken."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.kernels.codes import CONTACT_JAMMED, NOT_FINITE, OK, USER_ERROR
from gori.sim.batch.check import refuse_damage, text_of, words_of
from gori.sim.batch.cpu import CpuMachines
from gori.sim.batch.cuda import CudaMachines
from gori.sim.batch.devices import Host
from tests.sim.batch.machines import H, arm, balls, four_bar, pendulum, sand, speeds
from tests.sim.batch.test_kept import FIXED

COUNT = 3


def engine(kind, model: gori.Model, method, *options, state=None, **more):
    def make():
        run = gori.Simulation(model, method, state=state, **more)
        run.stepper.plan_steps(1)
        return run

    machines = kind(make, COUNT, 1, (), *options)
    machines.store(np.ones(COUNT, bool))
    if state is None:
        machines.array("y")[:, model.nq : model.nq + model.nv] = speeds(model, COUNT)
    return machines


def copied(machines) -> dict[str, np.ndarray]:
    return {name: array.copy() for name, array in machines.kept().items()}


@pytest.mark.parametrize("method", FIXED, ids=lambda method: method.kind)
@pytest.mark.parametrize("make", [pendulum, four_bar])
def test_what_machines_keep_is_good(make, method):
    machines = engine(CpuMachines, make(), method)
    for steps in (0, 1, 30):
        if steps:
            machines.step(steps)
        kept = copied(machines)
        machines.keep(kept)
        assert all(np.array_equal(machines.kept()[name], kept[name]) for name in ("codes", "words"))


@pytest.mark.parametrize("loops", ["partition", "frozen_explicit", "real_time"])
def test_what_loop_solvers_keep_is_good(loops):
    machines = engine(CpuMachines, four_bar(), gori.Adams(step=H), loops=loops)
    machines.step(300)
    machines.keep(copied(machines))


@pytest.mark.parametrize("method", [gori.TimeStepping(step=H), gori.SemiImplicit(step=1e-4)], ids=lambda x: x.kind)
def test_contact(method):
    machines = engine(CpuMachines, balls(), method)
    machines.array("y")[:, balls().nq :] = 0.0
    for steps in (1, 60):
        machines.step(steps)
        machines.keep(copied(machines))
    points, head = machines.array("data.contact_memory.point"), machines.array("data.contact_memory.head")
    assert (head["points"] > 0).all()
    for array, field, value, words in (
        (points[:, 0], "a", 99, "must be from 0 to 4"),
        (points[:, 0], "normal", 0.5, "must be unit vectors"),
        (points[:, 0], "gap", np.nan, "must be finite"),
        (head, "points", 1 << 20, "must be from 0 to"),
    ):
        before = array[field][1].copy()
        array[field][1] = value
        with pytest.raises(InputError, match=f"contact_memory.*{field} of machine 1 {words}"):
            machines.keep(copied(machines))
        array[field][1] = before
    points[1, -1]["a"] = -1  # not there: nobody reads it
    machines.keep(copied(machines))


def test_vehicles():
    model, state = sand()
    machines = engine(CpuMachines, model, gori.RK4(step=H), state=state)
    machines.keep(copied(machines))
    machines.step(20)
    machines.keep(copied(machines))
    for member, field, value, words in (
        ("train", "gear", 40.0, "a position that the drive train has"),
        ("train", "target", 1.5, "a position that the drive train has"),
        ("vehicle_clock", "time", 1e6, "the time of the machine"),
        ("wheel", "angle", np.nan, "must be finite"),
    ):
        array = machines.array(f"data.{member}")
        before = array.copy()
        array[field][1] = value
        with pytest.raises(InputError, match=f"data.{member}.* of machine 1 .*{words}"):
            machines.keep(copied(machines))
        array[...] = before


@pytest.mark.parametrize(
    ("make", "method"),
    [
        (arm, gori.Adams(step=H)),
        (four_bar, gori.GeneralizedAlpha(step=H)),
        (four_bar, gori.Adams(step=H)),
        (balls, gori.TimeStepping(step=H)),
    ],
    ids=["arm-adams", "four_bar-generalized_alpha", "four_bar-adams", "balls-time_stepping"],
)
def test_random_words_in_each_field_of_a_cpu(make, method):
    """They are refused, or the machines go on, or fail with words."""
    machines, rng = engine(CpuMachines, make(), method), np.random.default_rng(0)
    machines.step(10)
    good = copied(machines)
    refused = 0
    for path in machines._alone.members:
        names = machines.array(path).dtype.names or (None,)
        for name in names:
            for _ in range(4):
                kept = {key: array.copy() for key, array in good.items()}
                array = machines._member(kept["rows"], path)
                array = array if name is None else array[name]
                array[1] = words_like(array[1], rng)
                refused += tried(machines, kept)
    assert refused > 20
    other = engine(CpuMachines, make(), method)
    for one in (machines, other):  # nothing is left of what was tried
        one.keep(good)
        one.step(10)
    assert np.array_equal(machines.array("y"), other.array("y")) and not machines.codes.any()


def test_random_words_in_each_field_of_a_gpu():
    machines, rng = engine(CudaMachines, four_bar(), gori.Adams(step=H), Host), np.random.default_rng(0)
    machines.step(10)
    good = copied(machines)
    machines.keep(good)
    refused = 0
    for path in good:
        for _ in range(6):
            kept = {key: array.copy() for key, array in good.items()}
            array = kept[path]
            names = array.dtype.names or (None,)
            name = names[int(rng.integers(len(names)))]
            array = array if name is None else array[name]
            array[1] = words_like(array[1], rng)
            refused += tried(machines, kept)
    assert refused > 20


def words_like(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Random words; of some, a few bits alone are changed."""
    size = max(1, np.asarray(array).size)
    words = rng.integers(-(1 << 63), (1 << 63) - 1, size)
    if rng.random() < 0.5:
        words >>= int(rng.integers(40, 62))
    return words.view(np.asarray(array).dtype).reshape(np.shape(array))


def tried(machines, kept: dict[str, np.ndarray]) -> bool:
    """Whether they are refused; else they go on, and nothing else happens."""
    try:
        machines.keep(kept)
    except InputError as error:
        assert "of machine 1" in str(error)
        return True
    machines.step(3)
    machines.fetch(1)
    assert np.isfinite(machines.array("y")[[0, 2]]).all()
    return False


def test_codes_and_numbers_of_those_that_have_failed():
    machines = engine(CpuMachines, arm(), FIXED[0])
    kept = copied(machines)
    for code in (-1, 99, USER_ERROR, CONTACT_JAMMED):
        kept["codes"][2] = code
        with pytest.raises(InputError, match="codes of machine 2 is no result of steps"):
            machines.keep(kept)
    machines.array("y")[2] = np.nan
    for code in (NOT_FINITE, OK):
        kept = copied(machines)
        kept["codes"][2] = code
        if code == OK:
            with pytest.raises(InputError, match="y of machine 2 must be finite"):
                machines.keep(kept)
        else:
            machines.keep(kept)


def test_a_clock_on_its_own():
    machines = engine(CpuMachines, arm(), FIXED[0])
    clock = np.zeros(COUNT, [("start_time", "f8"), ("steps_done", "i8")])
    refuse_damage({}, clock, np.zeros(COUNT, int), machines.simulation.stepper)
    clock["start_time"][1] = np.inf
    with pytest.raises(InputError, match=r"clock.start_time of machine 1 must be finite: the file is damaged"):
        refuse_damage({}, clock, np.zeros(COUNT, int), machines.simulation.stepper)


def test_words_of_failures():
    words = {2: "the motion diverged", 0: "no"}
    assert words_of(text_of(words), 3) == words and words_of(text_of({}), 3) == {}
    for wrong in (
        text_of({3: "x"}),
        np.array("[]"),
        np.array("{"),
        np.zeros(2),
        np.array('{"a": "b"}'),
        np.array('{"1": 2}'),
    ):
        with pytest.raises(InputError, match="why machines have failed"):
            words_of(wrong, 3)
