"""Many simulations over threads: each is as it would be alone."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.errors import InputError, SimulationError
from gori.sim.batch.runs import run_all


@pytest.fixture(scope="module")
def truck():
    model = gori.compile(vehicle.spec("hmmwv"))
    return model, gori.at_rest(model, speed=10.0)


def simulation(truck, **options):
    model, state = truck
    return gori.Simulation(model, gori.Adams(step=1e-3, order=2), state=state.copy(), **options)


def several(truck, count=5):
    def driver(k):
        def drive(run):
            run.inputs["truck.selector"] = "D"
            run.inputs["truck.throttle"], run.inputs["truck.steer"] = 0.1 + 0.1 * k, 0.05 * k

        return drive

    return [simulation(truck, driver=driver(k)) for k in range(count)]


def test_batch_is_as_each_alone(truck):
    alone = [run.run(1.0, sample=0.01) for run in several(truck)]
    for workers in (1, 2, 4):
        together = run_all(several(truck), 1.0, sample=0.01, workers=workers)
        for one, other in zip(alone, together, strict=True):
            for name in ("time", "q", "v", "z"):
                assert np.array_equal(getattr(one, name), getattr(other, name))
    assert not np.array_equal(alone[0].q, alone[1].q)
    assert np.array_equal(alone[2]["truck.chassis.acceleration"], together[2]["truck.chassis.acceleration"])


def test_batch_into_files(truck, tmp_path):
    paths = [tmp_path / f"{k}.h5" for k in range(2)]
    recordings = run_all(several(truck, 2), 0.1, paths=paths)
    for path, recording in zip(paths, recordings):
        assert np.array_equal(gori.Recording.load(path).q, recording.q)


def test_one_that_fails(truck):
    def crash(run):
        raise InputError("no more")

    runs = several(truck, 3)
    runs[1].driver = crash
    with pytest.raises(SimulationError, match=r"simulation 1 of 3: .*no more") as caught:
        run_all(runs, 0.1)
    assert caught.value.recordings[1] is None and len(caught.value.recordings[2]) > 1


def test_batch_refuses(truck):
    run = simulation(truck)
    with pytest.raises(InputError, match="twice"):
        run_all([run, run], 0.1)
    with pytest.raises(InputError, match="workers"):
        run_all([run], 0.1, workers=0)
    with pytest.raises(InputError, match="one for each"):
        run_all([run], 0.1, paths=[])
    assert run_all([], 0.1) == []
