"""Frames of grains on disk: they come back as they were written, whatever happens to the writer."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

from gori.errors import FileError, InputError, RecordError
from gori.record import FrameFile, Frames
from gori.spec import Body, Joint, Spec

ROOT = Path(__file__).parents[2]


def cloud(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """ident, place, motion of random grains, shuffled."""
    rng = np.random.default_rng(seed)
    place, motion = rng.normal(size=(count, 4)), rng.normal(size=(count, 8))
    place[:, 3], motion[:, 3], motion[:, 7] = rng.uniform(0.5, 1.0, count), 2.0, rng.integers(0, 3, count)
    return rng.permutation(count), place, motion


def pose(x: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3] = x
    return T


def test_frames_come_back(tmp_path):
    """By ident, with counts that change, places bit for bit, motion in single precision."""
    path = tmp_path / "run.frames.h5"
    counts = [5, 0, 7, 3]
    with FrameFile(path, ("tray", "lid"), ("grain", "steel"), info={"who": "me"}) as file:
        for k, count in enumerate(counts):
            file.append(0.1 * k, *cloud(count, k), {"tray": pose(k), "lid": pose(-k)})
            assert file.frames == k + 1
    frames = Frames(path)
    assert len(frames) == 4 and np.array_equal(frames.times, 0.1 * np.arange(4)) and frames.counts.tolist() == counts
    assert frames.info == {"who": "me", "complete": True} and frames.materials == ("grain", "steel")
    for k, frame in enumerate(frames):
        ids, place, motion = cloud(counts[k], k)
        order = np.argsort(ids)
        assert np.array_equal(frame.id, np.arange(counts[k])) and frame.time == 0.1 * k
        assert np.array_equal(frame.spheres, place[order])
        assert np.array_equal(frame.velocity, motion[order, :3].astype(np.float32))
        assert np.array_equal(frame.angular_velocity, motion[order, 4:7].astype(np.float32))
        assert np.array_equal(frame.material, motion[order, 7]) and np.array_equal(frame.mass, motion[order, 3])
        assert np.array_equal(frame.poses["tray"], pose(k)) and np.array_equal(frame.poses["lid"], pose(-k))
    assert [f.time for f in frames[1::2]] == [0.1, 0.1 * 3] and frames[1::2][-1].time == frames[-1].time
    assert frames.at(0.21).time == frames.times[2]
    with pytest.raises(IndexError):
        frames[4]


def test_groups_come_back(tmp_path):
    ids, place, motion = cloud(20)
    with FrameFile(tmp_path / "f.h5", groups=("coal", "ore"), decimate=2) as file:
        file.append(0.0, ids, place, motion, group=ids % 3)
        with pytest.raises(InputError, match="group must be 20 whole numbers"):
            file.append(1.0, ids, place, motion, group=[0, 1])
    frames = Frames(tmp_path / "f.h5")
    assert frames.groups == frames[0].groups == ("coal", "ore")
    assert frames[0].group.tolist() == (np.arange(0, 20, 2) % 3).tolist()
    assert frames[0].where(frames[0].group == 1).group.tolist() == [1] * 3


def test_files_without_groups_are_read(tmp_path):
    """Those of version 2."""
    with FrameFile(tmp_path / "f.h5", ("tray",)) as file:
        file._dtype = np.dtype([(name, file._dtype[name]) for name in file._dtype.names if name != "group"])
        file._texts["header"] = json.dumps(
            {k: v for k, v in json.loads(file._texts["header"]).items() if k != "groups"}
        )
        file._rebuild(4)
        file.append(0.0, *cloud(5))
    with h5py.File(tmp_path / "f.h5", "r+") as stored:
        stored.attrs["version"] = 2
    frames = Frames(tmp_path / "f.h5")
    assert frames.groups == () and frames[0].group.tolist() == [0] * 5 and len(frames[0]) == 5


def test_any_tool_reads_the_file(tmp_path):
    """The long dataset has the length of all frames, and is a plain one for the library."""
    with FrameFile(tmp_path / "f.h5") as file:
        for k in range(3):
            file.append(k, *cloud(10))
            with h5py.File(file.path, "r", locking=False) as seen:  # while the run goes on
                assert seen["particles"].shape == (10 * (k + 1),) and seen["particles"].chunks is None
                assert np.array_equal(seen["particles"]["id"][-10:], np.arange(10))
                assert seen["status"][0] == k + 1
            assert max(file._file._headers) + 16 < 4096  # what a kill must not tear is in one page
    with h5py.File(tmp_path / "f.h5", "r+") as file:  # the library itself can write on it
        file["more"] = np.arange(1000)
    assert np.array_equal(Frames(tmp_path / "f.h5")[2].spheres, cloud(10)[1][np.argsort(cloud(10)[0])])


def test_decimated_and_single(tmp_path):
    ids, place, motion = cloud(1000)
    for name, options in (("all", {}), ("some", {"decimate": 7}), ("single", {"single": True})):
        with FrameFile(tmp_path / name, **options) as file:
            file.append(0.0, ids, place, motion)
    some = Frames(tmp_path / "some")
    assert np.array_equal(some[0].id, np.arange(0, 1000, 7)) and some.decimate == 7
    order = np.argsort(ids)
    assert np.array_equal(Frames(tmp_path / "single")[0].spheres, place[order].astype(np.float32))
    sizes = [(tmp_path / name).stat().st_size for name in ("all", "single")]
    assert sizes[0] - sizes[1] == 4 * 4 * 1000


def test_more_frames_than_the_capacity(tmp_path):
    with FrameFile(tmp_path / "f.h5", ("tray",), capacity=2) as file:
        for k in range(9):
            file.append(k, *cloud(4, k), [pose(k)])
    frames = Frames(tmp_path / "f.h5")
    assert len(frames) == 9
    for k, frame in enumerate(frames):
        assert frame.poses["tray"][0, 3] == k and np.array_equal(
            frame.spheres, cloud(4, k)[1][np.argsort(cloud(4, k)[0])]
        )
    assert not list(tmp_path.glob(".*"))


def test_resume_drops_what_is_later(tmp_path):
    path = tmp_path / "f.h5"
    with FrameFile(path, ("tray",), ("grain",), decimate=2, single=True) as file:
        for k in range(5):
            file.append(k, *cloud(10 + k, k), [pose(k)])
    with FrameFile.resume(path, 2.0) as file:
        assert file.frames == 3 and not Frames(path).info["complete"]
        with pytest.raises(InputError, match="time must increase"):
            file.append(2.0, *cloud(3), [pose(0)])
        file.append(2.5, *cloud(30, 8), [pose(8)])
    frames = Frames(path)
    assert frames.times.tolist() == [0, 1, 2, 2.5] and frames.counts.tolist() == [5, 6, 6, 15]
    assert frames.info["complete"] and frames.materials == ("grain",) and frames[3].poses["tray"][0, 3] == 8
    assert np.array_equal(frames[2].id, np.arange(0, 12, 2))


def test_spec_comes_along(tmp_path):
    body = Body(mass=1.0, inertia=(1, 1, 1), shapes={"bin": {"type": "box", "size": (1, 1, 1)}})
    joint = Joint(type="prismatic", parent="ground", child="tray")
    spec = Spec(bodies={"tray": body}, joints={"shaker": joint})
    with FrameFile(tmp_path / "f.h5", ("tray",), spec=spec):
        pass
    assert Frames(tmp_path / "f.h5").spec == spec
    with FrameFile(tmp_path / "g.h5"):
        pass
    assert Frames(tmp_path / "g.h5").spec is None and len(Frames(tmp_path / "g.h5")) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit for files")
def test_full_disk(tmp_path):
    """Earlier frames are safe, the error says how many; when there is room again, writing goes on."""
    import resource

    path = tmp_path / "f.h5"
    file = FrameFile(path)
    for k in range(2):
        file.append(k, *cloud(50, k))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 1000, before[1]))  # room for 14 grains
    try:
        with pytest.raises(RecordError, match="File too large; 2 frames are safe"):
            file.append(2, *cloud(50, 2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert len(Frames(path)) == 2 and np.array_equal(Frames(path)[1].id, np.arange(50))
    file.append(2, *cloud(60, 2))
    file.close()
    assert Frames(path).counts.tolist() == [50, 50, 60]


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(RecordError, match="No such file or directory"):
        FrameFile(tmp_path / "nowhere" / "f.h5")
    (tmp_path / "file").write_text("x")
    with pytest.raises(RecordError, match="Not a directory"):
        FrameFile(tmp_path / "file" / "f.h5")
    with pytest.raises(FileError, match="already exists"):
        FrameFile(tmp_path / "file")


def test_bad_input(tmp_path):
    ids, place, motion = cloud(4)
    with pytest.raises(InputError, match="decimate"):
        FrameFile(tmp_path / "f.h5", decimate=0)
    with FrameFile(tmp_path / "f.h5", ("tray",)) as file:
        with pytest.raises(InputError, match="motion must be 4 x 8"):
            file.append(0.0, ids, place, motion[:, :3])
        with pytest.raises(InputError, match="two particles have the id 2"):
            file.append(0.0, [0, 2, 1, 2], place, motion)
        with pytest.raises(InputError, match="no pose of tray"):
            file.append(0.0, ids, place, motion, {"lid": pose(0)})
        with pytest.raises(InputError, match=r"poses must be \(1, 4, 4\)"):
            file.append(0.0, ids, place, motion, np.eye(4))
        assert file.frames == 0
    with pytest.raises(InputError, match="closed"):
        file.append(0.0, ids, place, motion)


def test_an_error_leaves_the_file_marked(tmp_path):
    with pytest.raises(KeyboardInterrupt), FrameFile(tmp_path / "f.h5") as file:
        file.append(0.0, *cloud(4))
        raise KeyboardInterrupt
    frames = Frames(tmp_path / "f.h5")
    assert len(frames) == 1 and frames.info["complete"] is False


WRITER = """
import numpy as np, sys
from gori.record import FrameFile
from tests.record.test_frames import numbered
with FrameFile(sys.argv[1], ("tray",), capacity=8) as file:
    print("ready", flush=True)
    k = 0
    while True:
        file.append(float(k), *numbered(k))
        k += 1
"""


def numbered(k: int):
    """Grains that can be checked: every number follows from the frame."""
    count = 100 + 37 * k % 1000
    return np.arange(count), np.full((count, 4), k + 0.5), np.full((count, 8), float(k % 1000)), [pose(k)]


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize("seed", range(int(os.environ.get("GORI_KILLS", "3"))))
def test_killed_runs_leave_good_files(tmp_path, seed):
    path = tmp_path / "f.h5"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, path], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert writer.stdout.readline() == "ready\n"
    time.sleep(random.Random().uniform(0.0, 0.3))
    writer.send_signal(signal.SIGKILL)
    writer.wait(30)
    frames = Frames(path)
    assert frames.info["complete"] is False
    for k, frame in enumerate(frames):
        ids, place, motion, poses = numbered(k)
        assert frame.time == k and np.array_equal(frame.id, ids) and np.array_equal(frame.spheres, place)
        assert np.array_equal(frame.angular_velocity, motion[:, 4:7]) and np.array_equal(frame.poses["tray"], poses[0])
    with FrameFile.resume(path) as file:  # and the run can go on
        file.append(1e9, *numbered(3))
    assert len(Frames(path)) == len(frames) + 1
    with h5py.File(path, "r") as file:
        assert json.loads(file["header"].asstr()[()])["bodies"] == ["tray"]
        assert len(file["particles"]) >= file["rows"][len(frames)].sum()
