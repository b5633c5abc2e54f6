"""A State: copies, comparison, files, and what `replace` drops."""

import copy
import io
import pickle

import numpy as np
import pytest

import gori
from gori.errors import FileError, InputError
from gori.model.state import FORMAT, MEMORY, State

WHEEL = np.dtype([("speed", "f8"), ("force", "f8", 3)])


def full() -> State:
    wheels = np.zeros(2, WHEEL)
    wheels["force"][1] = 1.0, -0.0, np.pi
    parts = {"vehicle": {"wheel": wheels, "count": 3}, "method": {"tag": "rk4", "memory": np.arange(6.0)}}
    parts |= {"clock": {"steps": 7}, "loops": {"memory": np.ones(2)}, "events": {"met": np.zeros(1)}}
    return State(0.1, [1.0, 2.0], [3.0], [0.5], parts, "fingerprint")


@pytest.mark.parametrize(
    "again",
    [
        lambda s, _: pickle.loads(pickle.dumps(s)),
        lambda s, _: copy.deepcopy(s),
        lambda s, _: s.copy(),
        lambda s, _: State.from_bytes(s.to_bytes()),
        lambda s, folder: (s.save(folder / "s.npz"), State.load(folder / "s.npz"))[1],
    ],
    ids=["pickle", "deepcopy", "copy", "bytes", "file"],
)
def test_the_same_again(again, tmp_path):
    state = full()
    other = again(state, tmp_path)
    assert other == state and other.digest() == state.digest() and other.model == state.model
    assert other.parts.keys() == state.parts.keys()
    assert other.parts["vehicle"]["wheel"].dtype == WHEEL
    assert other.parts["vehicle"]["wheel"].tobytes() == state.parts["vehicle"]["wheel"].tobytes()


@pytest.mark.parametrize("change", ["time", "q", "v", "z", "part", "zero", "model"])
def test_every_bit_counts(change):
    state = full()
    parts = {name: dict(part) for name, part in state.parts.items()}
    own = {"time": state.time, "q": state.q, "v": state.v, "z": state.z, "model": state.model}
    if change in ("q", "v", "z"):
        own[change] = np.nextafter(own[change], 9.0)
    elif change == "time":
        own["time"] = np.nextafter(own["time"], 9.0)
    elif change == "model":
        own["model"] = "other"
    else:
        wheels = parts["vehicle"]["wheel"].copy()
        wheels["force"][1, 1] = 0.0 if change == "zero" else 1e-300
        parts["vehicle"]["wheel"] = wheels
    assert State(**own, parts=parts) != state


def test_arrays_cannot_be_written():
    state, source = full(), np.array([1.0, 2.0])
    made = State(0.0, source, [0.0])
    source[0] = 9.0
    assert made.q[0] == 1.0
    for array in (state.q, state.v, state.z, state.parts["vehicle"]["wheel"], state.parts["method"]["memory"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_replace_drops_the_memory_of_the_run():
    state = full()
    moved = state.replace(q=[0.0, 0.0])
    assert not set(MEMORY) & moved.parts.keys() and {"vehicle", "clock"} <= moved.parts.keys()
    np.testing.assert_array_equal(moved.q, [0.0, 0.0])
    np.testing.assert_array_equal(moved.v, state.v)
    assert "clock" not in state.replace(time=2.0).parts
    assert state.replace(vehicle={}).parts["vehicle"] == {}
    with pytest.raises(InputError, match="a State has no 'speed'"):
        state.replace(speed=1.0)


def test_what_is_no_state_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"state\.q must be an array of numbers"):
        State(0.0, ["a"], [])
    with pytest.raises(InputError, match=r"state\.v must be a one-dimensional"):
        State(0.0, [], np.zeros((2, 2)))
    with pytest.raises(InputError, match=r"state\.thing\.x must be numbers or text"):
        State(0.0, [], [], parts={"thing": {"x": object()}})
    with pytest.raises(FileError, match="there is no such file"):
        State.load(tmp_path / "nothing.npz")
    whole = full().to_bytes()
    for data in (b"", b"no archive", whole[: len(whole) // 2]):
        (tmp_path / "torn.npz").write_bytes(data)
        with pytest.raises(FileError, match="not a State of Gori"):
            State.load(tmp_path / "torn.npz")
    with pytest.raises(FileError, match="cannot be written"):
        full().save(tmp_path / "no" / "folder.npz")


def test_other_formats_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("gori.model.state.FORMAT", FORMAT + 1)
    full().save(tmp_path / "new.npz")
    monkeypatch.undo()
    with pytest.raises(FileError, match=f"format version {FORMAT + 1}; this Gori reads version {FORMAT}"):
        State.load(tmp_path / "new.npz")


def test_a_model_makes_a_whole_state():
    model = gori.compile(gori.load("examples/four_bar.yaml"))
    state = model.state()
    assert state.model == model.fingerprint == gori.compile(model.spec).fingerprint
    assert np.abs(model.loop_system.terms(state.q, state.v).gap).max() < 1e-12
    assert gori.Simulation(model).state.q.tolist() == state.q.tolist()


def test_a_fingerprint_is_of_structure_not_of_force_values():
    spec = gori.load("examples/robot_pd.yaml")
    model = gori.compile(spec)
    heavier = gori.compile(spec.set(f"{next(iter(spec.joints))}.at", [0.0, 0.0, 0.123]))
    assert heavier.fingerprint != model.fingerprint
    motor = next(name for name, force in spec.forces.items() if force.type == "motor")
    assert gori.compile(spec.set(f"forces.{motor}.target", 0.123)).fingerprint == model.fingerprint
    with pytest.raises(InputError, match="belongs to another Model"):
        gori.Simulation(heavier, state=model.state())
    gori.Simulation(heavier, state=model.state().replace(model=heavier.fingerprint))


def test_a_state_does_not_change():
    state = full()
    for name in ("q", "time", "parts", "model", "more"):
        with pytest.raises(AttributeError, match="does not change"):
            setattr(state, name, state.q)
    with pytest.raises(TypeError):
        state.parts["clock"] = {}
    with pytest.raises(ValueError, match="read-only"):
        state.q[0] = 1.0


def test_damaged_files_are_refused(tmp_path):
    """Whatever byte is changed: each array has a checksum, which is looked at before its header is believed."""
    state = gori.State(0.5, [0.1], [0.2], parts={"thing": {"n": np.arange(50)}})
    state.save(tmp_path / "a.npz")
    whole, rng = (tmp_path / "a.npz").read_bytes(), np.random.default_rng(0)
    for at in rng.integers(len(whole), size=300):
        data = bytearray(whole)
        data[at] ^= int(rng.integers(1, 256))
        (tmp_path / "a.npz").write_bytes(data)
        try:
            assert gori.State.load(tmp_path / "a.npz") == state  # dates in the archive mean nothing
        except FileError as error:
            assert "a.npz" in str(error)
    with pytest.raises(InputError, match="not a State of Gori, or is damaged"):
        gori.State.from_bytes(b"PK")
    buffer = io.BytesIO()
    with np.load(io.BytesIO(state.to_bytes())) as archive:
        np.savez(buffer, **dict(archive) | {"=time": np.zeros(2)})
    with pytest.raises(InputError, match=r"state\.time must be a number of seconds"):
        gori.State.from_bytes(buffer.getvalue())
