"""Many machines of one Model: each is as it would be alone, and one that fails fails alone."""

import copy
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import gori
from gori.errors import FileError, InputError, UnsupportedError
from gori.kernels.codes import SINGULAR
from gori.sim.batch.batch import BLOCK_STEPS, Batch
from gori.sim.batch.cuda import CudaMachines
from gori.sim.batch.derivatives import step_jacobian
from gori.sim.batch.devices import Host
from tests.sim.batch.machines import H, arm, balls, four_bar, pendulum, speeds

FORGETFUL = [gori.Adams(step=H), gori.AdamsMoulton(step=H), gori.GeneralizedAlpha(step=H), gori.ImplicitEuler(step=H)]
"""methods that keep slopes of earlier steps"""


def alone(model: gori.Model, v: np.ndarray, steps: int, method=None) -> gori.Simulation:
    run = gori.Simulation(model, method or gori.SemiImplicit(step=H), state=model.state().replace(v=v))
    run.step(steps)
    return run


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("make", [arm, four_bar])
@pytest.mark.parametrize("method", [gori.SemiImplicit(step=H), gori.Adams(step=H)], ids=lambda method: method.kind)
def test_machines_are_as_simulations_bit_for_bit(make, method, workers):
    model = make()
    batch, v = Batch(model, 70, method, workers=workers), speeds(model, 70)
    batch.v[:] = v
    for steps in (1, 4, 20):
        batch.step(steps)
    assert not batch.failed.any() and np.array_equal(batch.time, np.full(70, 25 * H))
    for k in (0, 33, 69):
        run = alone(model, v[k], 25, method)
        assert np.array_equal(batch.q[k], run.q) and np.array_equal(batch.v[k], run.v)
        assert batch.state(k) == run.state


def test_a_place_in_the_batch_does_not_matter():
    v = speeds(arm(), 40)
    one, many = Batch(arm(), 1), Batch(arm(), 40, workers=2)
    one.v[:], many.v[:] = v[:1], v
    many.v[29] = v[0]
    one.step(50)
    many.step(50)
    assert np.array_equal(many.q[0], one.q[0]) and np.array_equal(many.q[29], one.q[0])


def test_inputs_act_on_their_machine():
    model, batch = pendulum(), Batch(pendulum(), 3)
    assert list(batch.inputs) == ["twist", "hold"]
    assert np.array_equal(batch.inputs["twist"], [0.5] * 3) and np.array_equal(batch.inputs["hold"], [0.3] * 3)
    batch.inputs["twist"] = [0.5, 2.0, 0.5]
    batch.inputs["hold"][2] = -1.0
    batch.step(200)
    for k, values in enumerate(({}, {"twist": 2.0}, {"hold": -1.0})):
        run = gori.Simulation(model, gori.SemiImplicit(step=H), force_values=values)
        run.step(200)
        assert np.array_equal(batch.q[k], run.q)
    with pytest.raises(InputError, match="did you mean 'twist'"):
        batch.inputs["twst"]
    with pytest.raises(InputError, match="no input 'sway'"):
        batch.inputs["sway"]


def test_one_that_fails_is_left_alone_and_named():
    batch, v = Batch(arm(), 40, workers=2), speeds(arm(), 40)
    batch.v[:] = v
    batch.step(10)
    before = batch.q[17].copy()
    batch.v[17] = np.nan
    batch.step(10)
    assert np.flatnonzero(batch.failed).tolist() == [17] and np.array_equal(batch.q[17], before)
    assert batch.time[17] == batch.time[16] - 10 * H
    assert "v[0] is nan at t = 0.01 s" in batch.failures()[17]
    assert np.array_equal(batch.q[18], alone(arm(), v[18], 20).q)
    batch.reset(17)
    batch.step(5)
    assert not batch.failed.any() and batch.time[17] == pytest.approx(5 * H)


def test_reset_of_some_machines():
    batch, state = Batch(arm(), 5), arm().state().replace(v=speeds(arm(), 1)[0])
    batch.step(10)
    batch.reset(np.array([True, False, False, True, False]), state)
    assert np.array_equal(batch.v[3], state.v) and batch.time.tolist() == [0.0, 10 * H, 10 * H, 0.0, 10 * H]
    batch.reset([1])
    assert batch.time[1] == 0.0
    for wrong in (7, [0.5], [True, False]):
        with pytest.raises(InputError, match="machines"):
            batch.reset(wrong)


def test_state_of_one_machine_goes_on_alone():
    batch = Batch(four_bar(), 3)
    batch.v[:] = speeds(four_bar(), 3)
    batch.step(30)
    run = gori.Simulation(four_bar(), gori.SemiImplicit(step=H), state=batch.state(1))
    batch.step(30)
    run.step(30)
    assert np.array_equal(run.q, batch.q[1])
    batch.reset(0, batch.state(1))
    assert np.array_equal(batch.q[0], batch.q[1]) and batch.time[0] == batch.time[1]


def test_save_and_load(tmp_path):
    batch = Batch(four_bar(), 20, workers=2)
    batch.v[:] = speeds(four_bar(), 20)
    batch.step(20)
    batch.save(tmp_path / "batch.npz")
    batch.step(20)
    other = Batch(four_bar(), 20, workers=1)
    other.load(tmp_path / "batch.npz")
    other.step(20)
    assert np.array_equal(other.q, batch.q) and np.array_equal(other.time, batch.time)
    with pytest.raises(FileError, match="another batch"):
        Batch(four_bar(), 21).load(tmp_path / "batch.npz")
    (tmp_path / "torn.npz").write_bytes((tmp_path / "batch.npz").read_bytes()[:500])
    with pytest.raises(FileError, match="damaged"):
        other.load(tmp_path / "torn.npz")


def test_run_for_a_duration():
    batch = Batch(arm(), 2)
    batch.run(0.3, progress=False)
    assert batch.time == pytest.approx([0.3, 0.3])
    with pytest.raises(InputError, match=r"channels are sampled: run\(0.01, sample="):
        batch.run(0.01, channels=["nothing"])
    assert batch.time == pytest.approx([0.3, 0.3])


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((0,), {}, "positive number of machines"),
        ((2.5,), {}, "positive number of machines"),
        ((3,), {"device": "gpu"}, "'cpu' or 'cuda'"),
        ((3,), {"device": np.zeros(2)}, "'cpu' or 'cuda'"),
        ((3,), {"parameters": np.zeros((3, 2))}, "parameters must be {path of the Spec"),
        ((3,), {"workers": 0}, "workers"),
        ((3, gori.Dopri5()), {}, "adaptive"),
    ],
)
def test_what_is_refused(arguments, options, words):
    with pytest.raises((InputError, UnsupportedError), match=words):
        gori.batch(arm(), *arguments, **options)


def test_settings_of_the_file_are_no_parameters():
    spec = pendulum().spec.set("run", {"method": {"type": "rk4", "step": 0.01}, "duration": 1.0})
    with pytest.raises(InputError, match=r"parameter 'run\.method\.step' does nothing in a batch.*`run`"):
        gori.batch(spec, 2, parameters={"run.method.step": [1e-3, 1e-4]})


def test_parts_of_a_template_are_no_parameters():
    with pytest.raises(InputError, match=r"cannot set 'parts.upper.mass'.*templates.*as 'bodies.upper.mass'"):
        gori.batch(pendulum(), 2, parameters={"parts.upper.mass": [1.0, 2.0]})


def test_both_kinds_of_batches():
    assert isinstance(gori.batch(arm(), 2), Batch)
    assert len(gori.batch([gori.Simulation(arm())], 0.01)) == 1


def test_parameters_differ_from_machine_to_machine():
    model, rng, n = pendulum(), np.random.default_rng(2), 80
    parameters = {
        "bodies.lower.mass": rng.uniform(0.5, 2.0, n),
        "joints.shoulder.damping": rng.uniform(0.0, 0.5, n),
        "joints.elbow.at": np.column_stack([np.zeros((n, 2)), rng.uniform(-1.2, -0.8, n)]),
        "joints.shoulder.q": rng.uniform(-1.0, 1.0, n),
    }
    batch = Batch(model, n, parameters=parameters, workers=2)
    batch.step(100)
    batch.reset([3])
    batch.step(50)
    for k, steps in ((0, 150), (3, 50), (n - 1, 150)):
        spec = model.spec
        for path, values in parameters.items():
            spec = spec.set(path, values[k].tolist())
        run = gori.Simulation(gori.compile(spec), gori.SemiImplicit(step=H))
        run.step(steps)
        assert np.abs(batch.q[k] - run.q).max() < 1e-11
    with pytest.raises(InputError, match="given for 80 machines, and the batch has 81"):
        Batch(model, 81, parameters=parameters)
    with pytest.raises(InputError, match=r"bodies.lower.mass.*machine 1, -1"):
        Batch(model, 2, parameters={"bodies.lower.mass": [1.0, -1.0]})


def test_lengths_of_a_loop_differ():
    n = 70
    lengths = np.linspace(0.95, 1.05, n)
    parameters = {"joints.D.at": np.column_stack([lengths, np.zeros((n, 2))])}
    batch = Batch(four_bar(), n, parameters=parameters)
    batch.step(50)
    assert not batch.failed.any()
    for k in (0, n - 1):
        model = gori.compile(four_bar().spec.set("joints.D.at", [lengths[k], 0.0, 0.0]))
        run = gori.Simulation(model, gori.SemiImplicit(step=H))
        run.step(50)
        assert np.abs(batch.q[k] - run.q).max() < 1e-10


def test_reset_gives_nobody_the_inputs_of_another():
    batch = Batch(pendulum(), 3)
    batch.inputs["twist"] = [0.5, 2.0, 3.0]
    batch.step(1)
    batch.reset(0)
    assert batch.inputs["twist"].tolist() == [0.5, 2.0, 3.0]
    batch.reset([1], batch.state(2))
    assert batch.inputs["twist"].tolist() == [0.5, 0.5, 3.0] and np.array_equal(batch.q[1], batch.q[2])


def test_reset_of_none_and_of_what_is_no_row():
    batch = Batch(arm(), 3)
    batch.step(2)
    for none in ([], np.zeros(0, int)):
        batch.reset(none)
    assert batch.time.tolist() == [2 * H] * 3
    with pytest.raises(InputError, match="a mask, or a row of indices"):
        batch.reset([[0], [1, 2]])


def test_time_is_that_of_now():
    batch = Batch(arm(), 2)
    before = batch.time
    batch.step(1)
    assert before.tolist() == [0.0, 0.0] and batch.time.tolist() == [H, H]


def test_it_is_not_copied():
    """Its threads hold addresses, which lead to nothing elsewhere, or to the machines of this one."""
    batch = Batch(arm(), 2)
    for take in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(InputError, match="save it, and load the file into another one"):
            take(batch)


def test_steps_that_cannot_be_counted():
    batch = Batch(arm(), 2)
    for steps in (0, -1, 2.0, True, 1 << 70):
        with pytest.raises(InputError, match="number of steps must be an integer from 1"):
            batch.step(steps)
    with pytest.raises(InputError, match="less than one step"):
        batch.run(1e-9)
    with pytest.raises(InputError, match="is more than"):
        batch.run(1e300)
    assert not batch.time.any()


def test_ctrl_c_ends_a_run_between_two_blocks():
    batch = Batch(arm(), 40, workers=2)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        batch.run(1e6, progress=False)
    timer.join()
    assert (batch.time == batch.time[0]).all() and round(batch.time[0] / H) % BLOCK_STEPS == 0


def test_another_thread_is_refused():
    batch, begun = Batch(arm(), 40, workers=2), threading.Event()

    def run():
        begun.set()
        batch.step(20_000)

    thread = threading.Thread(target=run)
    thread.start()
    begun.wait()
    time.sleep(0.05)
    for act in (batch.step, lambda: batch.run(1.0), batch.reset, lambda: batch.state(0), batch.failures):
        with pytest.raises(
            InputError, match="another thread is stepping this Batch: step it from one thread, for it has"
        ):
            act()
    thread.join()
    assert (batch.time == batch.time[0]).all() and not batch.failed.any()
    batch.step(1)


@pytest.mark.parametrize("make", [arm, four_bar])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_was_written_and_is_not_finite_is_named(make, value):
    batch = Batch(make(), 3)
    batch.q[1, 2] = batch.v[2, 0] = value
    batch.step(2)
    assert batch.failed.tolist() == [False, True, True]
    assert batch.failures() == {
        k: f"{name} is {value} at t = 0 s: the machine stands still until it is put into a State, as by "
        f"batch.reset({k}); to write finite numbers is not enough"
        for k, name in ((1, "q[2]"), (2, "v[0]"))
    }
    batch.q[1], batch.v[2] = batch.q[0], batch.v[0]
    batch.step(2)
    assert batch.failed.tolist() == [False, True, True]
    batch.reset([1, 2])
    batch.step(2)
    assert not batch.failed.any() and batch.time.tolist() == [6 * H, 2 * H, 2 * H]


@pytest.mark.parametrize(
    "method",
    [gori.TimeStepping(step=2e-3), gori.ImplicitEuler(step=1e-3, newton=True), gori.RK4(step=1e-4)],
    ids=lambda method: method.kind,
)
def test_bodies_that_touch(method):
    model, n = balls(), 20
    batch, v = Batch(model, n, method, workers=2), 0.3 * speeds(balls(), n)
    batch.v[:] = v
    for steps in (30, 3, 40):
        batch.step(steps)
    touching = 0
    for k in (0, 9, n - 1):
        run = alone(model, v[k], 73, method)
        assert np.array_equal(batch.q[k], run.q) and np.array_equal(batch.v[k], run.v)
        assert batch.state(k) == run.state
        touching += int(run.stepper.data.contact_memory.head["points"][0])
    assert touching > 3


def test_sets_of_parameters_are_assigned():
    model, masses = pendulum(), np.linspace(0.5, 2.0, 5)
    angles = np.linspace(-1.0, 1.0, 5)
    batch = Batch(model, 3, parameters={"bodies.lower.mass": masses, "joints.shoulder.q": angles})
    assert batch.sets == 5
    batch.assign([9, 4, 3], [False, True, True])  # only sets of chosen machines count
    batch.reset([1, 2])
    batch.step(100)
    for k, one in enumerate((0, 4, 3)):
        spec = model.spec.set("bodies.lower.mass", masses[one]).set("joints.shoulder.q", angles[one])
        run = gori.Simulation(gori.compile(spec), gori.SemiImplicit(step=H))
        run.step(100)
        assert np.abs(batch.q[k] - run.q).max() < 1e-12
    for sets, words in (([5, 0, 0], "from 0 to 4"), ([0, 1], "3 whole numbers"), ([0.5, 0, 0], "whole numbers")):
        with pytest.raises(InputError, match=words):
            batch.assign(sets)


def test_which_set_each_machine_has():
    batch = Batch(pendulum(), 3, parameters={"bodies.lower.mass": np.linspace(0.5, 2.0, 5)})
    batch.assign([4, 0, 2], [0, 2])
    assert batch.assigned.tolist() == [4, 1, 2]
    batch.assigned[0] = 1  # a copy
    assert batch.assigned[0] == 4


def test_sets_are_saved(tmp_path):
    parameters = {"bodies.lower.mass": np.linspace(0.5, 2.0, 5)}
    batch, other = (Batch(pendulum(), 3, parameters=parameters) for _ in range(2))
    batch.assign([4, 0, 2])
    batch.step(10)
    batch.save(tmp_path / "batch.npz")
    other.load(tmp_path / "batch.npz")
    for one in (batch, other):
        one.step(50)
    assert np.array_equal(batch.q, other.q) and not np.array_equal(batch.q[0], batch.q[1])


def test_codes_are_live():
    batch = Batch(arm(), 3)
    codes = batch.codes
    batch.v[1] = np.nan
    batch.step(2)
    assert (codes != 0).tolist() == [False, True, False]
    batch.reset(1)
    assert not codes.any()


@pytest.mark.parametrize("method", FORGETFUL, ids=lambda method: method.kind)
def test_what_is_written_begins_anew(method):
    """As where the state of a Simulation is set: slopes of the steps before are those of another motion."""
    batch, v = Batch(arm(), 20, method), speeds(arm(), 20)
    batch.v[:] = v
    batch.step(20)
    batch.v[3] = v[7]
    batch.reset(5)  # others that were written are still seen
    batch.step(20)
    for k, then in ((3, v[7]), (4, None)):
        run = alone(arm(), v[k], 20, method)
        if then is not None:
            run.state = gori.State(run.time, run.q, then, parts={})
        run.step(20)
        assert np.array_equal(batch.q[k], run.q) and np.array_equal(batch.v[k], run.v)


@pytest.mark.parametrize("make", [arm, four_bar])
@pytest.mark.parametrize("method", FORGETFUL, ids=lambda method: method.kind)
def test_states_and_files_taken_after_a_write_go_on_as_the_batch(make, method, tmp_path):
    """They begin anew as it does, and taking them changes nothing."""
    batch, other, untouched = (Batch(make(), 3, method) for _ in range(3))
    v = speeds(make(), 3)
    for one in (batch, untouched):
        one.v[:] = v
        one.step(20)
        one.v[1] *= 0.5
    state = batch.state(1)
    batch.save(tmp_path / "batch.npz")
    other.load(tmp_path / "batch.npz")
    run = gori.Simulation(make(), method, state=state)
    assert not np.array_equal(batch.v[1], v[1]) and state == untouched.state(1)
    kept = gori.Simulation(make(), method, state=untouched.state(0))
    for one in (batch, other, untouched, run, kept):
        one.step(20)
    assert np.array_equal(run.q, batch.q[1]) and np.array_equal(run.v, batch.v[1])
    assert np.array_equal(other.q, batch.q) and np.array_equal(untouched.q, batch.q)
    assert np.array_equal(kept.q, batch.q[0])  # was not written to


def test_restart_of_some_machines():
    method = gori.Adams(step=H)
    batch, v = Batch(arm(), 3, method), speeds(arm(), 3)
    batch.v[:] = v
    batch.step(20)
    batch.restart([1])
    batch.step(5)
    for k in range(3):
        run = alone(arm(), v[k], 20, method)
        if k == 1:
            run.stepper.forget()
        run.step(5)
        assert np.array_equal(batch.q[k], run.q)
    Batch(arm(), 3).restart()  # nothing to forget
    with pytest.raises(InputError, match="indices from 0 to 2"):
        batch.restart(3)


def test_words_of_a_failure_last_until_a_reset(tmp_path):
    batch = Batch(four_bar(), 3)
    batch._machines.codes[1], batch._machines.words[1] = SINGULAR, "the motion diverged"
    assert batch.failures() == {1: "the motion diverged"}
    batch.save(tmp_path / "batch.npz")
    other = Batch(four_bar(), 3)
    other.load(tmp_path / "batch.npz")
    assert other.failures() == {1: "the motion diverged"}
    batch.reset(1)
    assert batch.failures() == {}


def test_settings_of_loops_belong_to_a_machine_wherever_it_starts():
    """Regularisation follows the lengths of bars, which differ; a State gives the motion alone."""
    n, state = 3, four_bar().state()
    parameters = {"joints.D.at": np.column_stack([np.linspace(0.98, 1.02, n), np.zeros((n, 2))])}
    batch = Batch(four_bar(), n, parameters=parameters)
    (varied,) = [x for x in batch._varied if x.path == "data.loops.state.eps_mass"]
    expected = batch._machines.array(varied.path).copy()
    assert len(np.unique(expected[:, varied.words], axis=0)) == n
    batch.reset(None, state)
    assert np.array_equal(batch._machines.array(varied.path), expected)
    assert np.array_equal(batch.q, np.tile(state.q, (n, 1)))


def test_inputs_may_differ_by_parameters():
    """The values of forces and the targets of motors are inputs: machines begin with their own, and after a reset."""
    model, n = pendulum(), 3
    parameters = {"forces.twist.value": np.array([0.5, 2.0, -1.0]), "forces.hold.target": np.array([0.3, 0.0, 1.0])}
    batch = Batch(model, n, parameters=parameters)
    assert np.array_equal(batch.inputs["twist"], [0.5, 2.0, -1.0])
    batch.inputs["twist"] = 9.0
    batch.reset()
    batch.step(100)
    for k in range(n):
        run = gori.Simulation(gori.compile(batch.spec(k)), gori.SemiImplicit(step=H))
        run.step(100)
        assert np.abs(batch.q[k] - run.q).max() < 1e-13


def test_states_are_of_the_model_of_their_machine():
    model = pendulum()
    batch = Batch(model, 3, parameters={"bodies.lower.mass": np.array([1.0, 2.0, 3.0])})
    batch.step(20)
    own, state = gori.compile(batch.spec(2)), batch.state(2)
    run = gori.Simulation(own, gori.SemiImplicit(step=H), state=state)
    batch.step(20)
    run.step(20)
    assert np.abs(batch.q[2] - run.q).max() < 1e-13
    with pytest.raises(InputError, match="another Model"):
        gori.Simulation(model, gori.SemiImplicit(step=H), state=state)
    batch.reset(2, state)
    assert batch.time[2] == 20 * H and np.array_equal(batch.q[2], state.q)
    with pytest.raises(InputError, match="another Model"):
        batch.reset(1, state)


def test_vehicles_that_differ_stand_on_the_ground_with_forces_of_their_own():
    spec = gori.vehicle.spec("hmmwv")
    state = gori.at_rest(gori.compile(spec))
    batch = Batch(
        gori.compile(spec), 2, gori.Adams(step=H, order=2), state=state,
        parameters={"terrain.grade": np.array([[0.0, 0.0], [0.1, 0.0]])},
    )  # fmt: skip
    start = state.replace(model=gori.compile(batch.spec(1)).fingerprint)
    batch.reset(1, start)
    run = gori.Simulation(gori.compile(batch.spec(1)), gori.Adams(step=H, order=2), state=start)
    load = "truck.wheel_fl.load"
    assert batch.outputs[load][1] == pytest.approx(run.channel(load), rel=1e-9) != batch.outputs[load][0]
    batch.step(10)
    run.step(10)
    assert np.abs(batch.v[1] - run.v).max() < 1e-9


def test_what_is_given_and_no_number_is_named():
    model = gori.compile(gori.vehicle.spec("hmmwv"))
    batch = Batch(model, 3, state=gori.at_rest(model))
    batch.inputs["truck.throttle"][1] = np.nan
    batch.step(5)
    assert batch.failed.tolist() == [False, True, False] and "input 'truck.throttle' is nan" in batch.failures()[1]
    other = Batch(pendulum(), 3)
    other.inputs["twist"][2] = np.inf
    other.step()
    assert "input 'twist' is inf" in other.failures()[2]
    assert "nothing" not in other.inputs and other.inputs.get("nothing") is None


def test_starts_are_given_once():
    model = pendulum()
    with pytest.raises(InputError, match="leave one of them out"):
        Batch(model, 2, parameters={"joints.elbow.q": np.array([0.1, 0.2])}, state=model.state())
    with pytest.raises(ValueError, match="read-only"):
        Batch(model, 2).time[0] = 1.0
    with pytest.raises(InputError, match="a Model or a Spec"):
        gori.batch("arm.yaml", 3)


def test_what_is_no_model_is_refused():
    with pytest.raises(InputError, match=r"machines of a Model or of a Spec, not of 'examples/arm\.yaml'"):
        Batch("examples/arm.yaml", 3)


def test_a_file_with_other_contents_is_named(tmp_path):
    parameters = {"joints.shoulder.damping": [0.1, 0.2, 0.3]}
    batch, file = Batch(pendulum(), 2, parameters=parameters), tmp_path / "batch.npz"
    batch.step(5)
    batch.save(file)
    with np.load(file) as archive:
        good = dict(archive)
    before = batch.q.copy()
    for changed, words in (
        ({"codes": np.array([0, 99])}, "no result of steps"),
        ({"sets": np.array([0, 7])}, "0 to 2"),
    ):
        np.savez(file, **good | changed)
        with pytest.raises(FileError, match=rf"batch\.npz: .*{words}"):
            batch.load(file)
        assert np.array_equal(batch.q, before) and not batch.failed.any()


@pytest.mark.parametrize("kind", ["cpu", "cuda"])
def test_torques_become_servos(kind, monkeypatch):
    """As motors of the Spec, to the last bit on a CPU; where friction varies, each machine has a table of its own."""
    monkeypatch.setattr(CudaMachines, "accelerator", Host)
    model, v = pendulum(), speeds(pendulum(), 3)
    motor = {"type": "motor", "joint": model.spec.forces["twist"].joint, "kp": 30.0, "kd": 2.0, "limit": 4.0}
    own = model.spec.model_dump(exclude_unset=True)
    motored = gori.compile(gori.Spec(**own | {"forces": own["forces"] | {"twist": motor}}))
    varied = {"bodies.lower.mass": np.array([0.5, 1.0, 2.0])}
    for parameters in ({}, varied):
        batch, other = (
            Batch(one, 3, gori.SemiImplicit(step=H), device=device, parameters=parameters)
            for one, device in ((model, kind), (motored, "cpu"))
        )
        tag = batch._tag()
        batch.servo("twist", 30.0, 2.0, 4.0)
        assert batch.servos == {"twist": (30.0, 2.0, 4.0)} and batch._tag() != tag
        for one in (batch, other):
            one.v[:] = v
            one.inputs["twist"] = np.array([0.3, -0.4, 2.0])
            one.step(50)
        assert np.abs(batch.q - other.q).max() < 1e-12 and np.abs(batch.work - other.work).max() < 1e-12
        assert kind == "cuda" or np.array_equal(batch.q, other.q)


def test_what_is_no_servo():
    batch = Batch(pendulum(), 2, gori.SemiImplicit(step=H))
    for name in ("hold", "none", 3):
        with pytest.raises(InputError, match="made of a torque or force of a joint"):
            batch.servo(name, 1.0)
    for gains in ((-1.0,), (np.nan,), (1.0, "x"), (1.0, 1.0, 0.0)):
        with pytest.raises(InputError, match="of a servo must be"):
            batch.servo("twist", *gains)
    with pytest.raises(UnsupportedError, match="give the Spec a motor"):
        Batch(pendulum(), 2, gori.ImplicitEuler(step=H)).servo("twist", 1.0)
    batch.servo("twist", 1.0)
    with pytest.raises(UnsupportedError, match=r"servos \(twist\)"):
        step_jacobian(batch)


def test_what_needs_a_gpu_or_contact():
    batch = Batch(arm(), 2)
    batch.stream = None
    assert batch.stream == 0
    with pytest.raises(InputError, match="have no stream"):
        batch.stream = 5
    with pytest.raises(InputError, match="no such bodies"):
        batch.contact_wrench("upper_arm")
    wrench = Batch(balls(), 2).contact_wrench("box")
    assert wrench.shape == (2, 6) and wrench.base is not None
