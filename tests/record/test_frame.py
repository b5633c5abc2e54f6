"""Particles at one moment, and frames read from a file."""

import h5py
import numpy as np
import pytest

from gori.errors import DamageWarning, FileError, InputError
from gori.record import FrameFile
from gori.record.frame import ARRAYS, FORMAT, VERSION, Frames, ParticleFrame, check, open_frames
from tests.record.test_frames import cloud, pose


def test_a_frame_of_plain_arrays():
    ids, spheres, motion = cloud(6)
    frame = ParticleFrame.of(spheres, motion, ids, time=0.5, poses={"tray": pose(1)}, materials=["grain"])
    assert len(frame) == 6 and frame.time == 0.5 and frame.materials == ("grain",)
    assert np.array_equal(frame.spheres, spheres) and np.array_equal(frame.id, ids)
    assert np.array_equal(frame.mass, motion[:, 3]) and np.array_equal(frame.angular_velocity, motion[:, 4:7])
    assert np.array_equal(frame.speed, np.linalg.norm(motion[:, :3], axis=1)) and frame.material.dtype == np.int64
    spheres[0, 0] = 99.0
    assert frame.position[0, 0] != 99.0  # a copy


def test_spheres_alone_rest_and_have_the_density_of_one():
    frame = ParticleFrame.of([[0, 0, 0, 0.5], [1, 0, 0, 1.0]])
    assert frame.mass == pytest.approx([np.pi / 6, 4 * np.pi / 3]) and not frame.velocity.any()
    assert frame.id.tolist() == [0, 1] and frame.poses == {}


def test_some_of_the_particles():
    frame = ParticleFrame.of(*cloud(9)[1:], id=cloud(9)[0])
    for keep in (frame.radius > 0.7, [3, 1]):
        some = frame.where(keep)
        for name in ARRAYS:
            assert np.array_equal(getattr(some, name), getattr(frame, name)[keep])
        assert some.time == frame.time


def test_arrays_that_do_not_belong_together():
    ids, spheres, motion = cloud(4)
    check(ids, spheres, motion)
    for args, words in (
        ((ids[:3], spheres, motion), "spheres must be 3 x 4"), ((ids, spheres, motion[:, :7]), "motion must be 4 x 8"),
        ((np.zeros((4, 1)), spheres, motion), "id must be 4"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            check(*args)
    with pytest.raises(InputError, match="rows of x y z r"):
        ParticleFrame.of(np.zeros((3, 3)))


@pytest.fixture
def frames(tmp_path):
    with FrameFile(tmp_path / "f.h5", ("tray",), ("grain",)) as file:
        for k in range(4):
            file.append(0.1 * k, *cloud(3 + k, k), [pose(k)])
    return Frames(tmp_path / "f.h5")


def test_frames_by_number_slice_and_time(frames):
    assert len(frames) == 4 and frames.counts.tolist() == [3, 4, 5, 6] and frames[-1].time == pytest.approx(0.3)
    late = frames[2:]
    assert len(late) == 2 and late.counts.tolist() == [5, 6] and len(late[0]) == 5 and late[-1].poses["tray"][0, 3] == 3
    assert [len(frame) for frame in frames[::-1]] == [6, 5, 4, 3]
    assert frames.at(0.14).time == pytest.approx(0.1) and frames.at(99.0).time == pytest.approx(0.3)
    for k in (4, -5):
        with pytest.raises(IndexError, match="of 4"):
            frames[k]
    with pytest.raises(InputError, match="contains no frames yet"):
        frames[:0].at(0.0)


def test_files_that_hold_no_frames(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        Frames(tmp_path / "g.h5")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(FileError, match="cannot be read as HDF5"):
        Frames(tmp_path / "text")
    for attrs, words in (
        ({}, "contains no particle frames, but 'something else'"), ({"format": "x"}, "but 'x'"),
        ({"format": FORMAT, "version": VERSION + 1}, f"version {VERSION + 1} of the format is unknown"),
    ):  # fmt: skip
        with h5py.File(tmp_path / "other.h5", "w") as file:
            file.attrs.update(attrs)
        with pytest.raises(FileError, match=words):
            open_frames(tmp_path / "other.h5")


def test_frames_before_a_damaged_one_are_read(frames):
    """It was an IndexError, or particles of another frame."""
    path = frames.path
    with h5py.File(path) as file:
        place = file["rows"].id.get_offset()
    whole = path.read_bytes()
    data = bytearray(whole)
    data[place + 2 * 16 + 5] = 200  # the first row of the third frame
    path.write_bytes(data)
    with pytest.warns(DamageWarning, match="2 of 4 frames, from number 2 on, are damaged"):
        some = Frames(path)
    assert len(some) == 2 and np.array_equal(some[1].spheres, frames[1].spheres)
    with pytest.raises(FileError, match="cannot be continued"), pytest.warns(DamageWarning):
        FrameFile.resume(path)


def test_a_file_that_is_cut_off(frames):
    path, whole = frames.path, frames.path.read_bytes()
    path.write_bytes(whole[:-40])
    with pytest.warns(DamageWarning, match="is cut off|1 of 4 frames, from number 3 on"):
        some = Frames(path)
        assert len(some) == 3 and np.array_equal(some[2].spheres, frames[2].spheres)
    with pytest.raises(FileError, match="cannot be continued"), pytest.warns(DamageWarning):
        FrameFile.resume(path)
    path.write_bytes(whole[:1000])
    with pytest.raises(FileError, match=r"f\.h5: "):
        Frames(path)
