"""Files for ParaView: the structure that VTKHDF prescribes, and what VTK reads from them where it is installed."""

import h5py
import numpy as np
import pytest

from gori.errors import FileError, InputError, RecordError
from gori.record import FrameFile, Frames, ParticleFrame
from gori.record.vtkhdf import VtkHdf, VtkWalls
from tests.spec.particles.tray import TRAY, tray

COUNTS = [5, 5, 0, 9, 4]


def frame(k: int) -> ParticleFrame:
    """Radius and material change only when the count does."""
    rng, count = np.random.default_rng(k), COUNTS[k]
    place, motion = rng.normal(size=(count, 4)), rng.normal(size=(count, 8))
    place[:, 3], motion[:, 3], motion[:, 7] = 0.1 + 0.01 * np.arange(count), 2.0, np.arange(count) % 3
    return ParticleFrame.of(place, motion, 10 + np.arange(count), time=0.25 * k, group=np.arange(count) % 2)


@pytest.fixture
def path(tmp_path):
    with VtkHdf(tmp_path / "grains.vtkhdf") as file:
        for k in range(len(COUNTS)):
            file.append(frame(k))
            assert file.frames == k + 1
    return tmp_path / "grains.vtkhdf"


def read(path, k):
    """What a reader takes for step k, by the words of the format."""
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        steps = root["Steps"]
        part = steps["PartOffsets"][k]
        count, start = root["NumberOfPoints"][part], steps["PointOffsets"][k]
        found = {"Points": root["Points"][start : start + count]}
        for name, offsets in steps["PointDataOffsets"].items():
            found[name] = root["PointData"][name][offsets[k] : offsets[k] + count]
        cells = root["Vertices"]["NumberOfCells"][part]
        first, ids = steps["CellOffsets"][k, 0], steps["ConnectivityIdOffsets"][k, 0]
        found["Offsets"] = root["Vertices"]["Offsets"][first : first + cells + 1]
        found["Connectivity"] = root["Vertices"]["Connectivity"][
            ids : ids + root["Vertices"]["NumberOfConnectivityIds"][part]
        ]
        return found


def test_structure(path):
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        kind = root.attrs.get_id("Type")
        assert root.attrs["Type"] == b"PolyData" and not kind.get_type().is_variable_str()
        assert root.attrs["Version"].tolist() == [2, 0]
        steps, n = root["Steps"], len(COUNTS)
        assert steps.attrs["NSteps"] == n and np.allclose(steps["Values"], 0.25 * np.arange(n))
        for name in ("PartOffsets", "NumberOfParts", "PointOffsets", "CellOffsets", "ConnectivityIdOffsets"):
            assert len(steps[name]) == n
        assert steps["CellOffsets"].shape == (n, 4)
        for name in ("Vertices", "Lines", "Polygons", "Strips"):
            assert len(root[name]["NumberOfCells"]) == n
        assert len(root["Vertices"]["Connectivity"]) == max(COUNTS)  # one list for all frames


def test_frames_come_back(path):
    for k, count in enumerate(COUNTS):
        seen, wanted = read(path, k), frame(k)
        assert np.array_equal(seen["Points"], wanted.position.astype("f4"))
        for name in ("radius", "velocity", "angular_velocity", "mass", "material", "group", "id"):
            assert np.array_equal(seen[name], np.asarray(getattr(wanted, name)).astype(seen[name].dtype)), name
        assert seen["Offsets"].tolist() == list(range(count + 1)) and seen["Connectivity"].tolist() == list(
            range(count)
        )


def test_what_stays_is_stored_once(path):
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        assert len(root["PointData"]["radius"]) == 5 + 9 + 4 and len(root["PointData"]["velocity"]) == sum(COUNTS)


def test_converted(path, tmp_path):
    """Frames of a file, also decimated: the same as written directly, but for what single precision rounds."""
    with FrameFile(tmp_path / "f.h5") as file:
        for k in range(len(COUNTS)):
            one = frame(k)
            motion = np.column_stack([one.velocity, one.mass, one.angular_velocity, one.material])
            file.append(one.time, one.id, one.spheres, motion, group=one.group)
    Frames(tmp_path / "f.h5").to_vtkhdf(tmp_path / "b.vtkhdf")
    for k in range(len(COUNTS)):
        one, other = read(path, k), read(tmp_path / "b.vtkhdf", k)
        assert all(np.array_equal(one[name], other[name]) for name in one)
    with pytest.raises(FileError, match="already exists"):
        Frames(tmp_path / "f.h5").to_vtkhdf(tmp_path / "b.vtkhdf")
    Frames(tmp_path / "f.h5")[::2].to_vtkhdf(tmp_path / "b.vtkhdf", overwrite=True)
    assert np.array_equal(read(tmp_path / "b.vtkhdf", 1)["Points"], read(path, 2)["Points"])


def test_bad_input(tmp_path):
    with VtkHdf(tmp_path / "a.vtkhdf") as file:
        file.append(frame(1))
        with pytest.raises(InputError, match="time must increase"):
            file.append(frame(0))
    with pytest.raises(InputError, match="is closed"):
        file.append(frame(3))
    with pytest.raises(RecordError, match="cannot be written"):
        VtkHdf(tmp_path / "nowhere" / "a.vtkhdf")


def test_vtk_reads_it(path):
    """The reader that ParaView uses."""
    pytest.importorskip("vtkmodules")
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOHDF import vtkHDFReader

    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    assert reader.CanReadFile(str(path))
    reader.UpdateInformation()
    assert reader.GetNumberOfSteps() == len(COUNTS)
    for k in (0, 1, 3, 4, 2, 0):  # in any order
        reader.SetStep(k)
        reader.Update()
        particles, wanted = reader.GetOutputDataObject(0), frame(k)
        assert (
            particles.IsA("vtkPolyData") and particles.GetNumberOfPoints() == COUNTS[k] == particles.GetNumberOfVerts()
        )
        assert reader.GetTimeValue() == wanted.time
        if not COUNTS[k]:
            continue
        assert np.array_equal(vtk_to_numpy(particles.GetPoints().GetData()), wanted.position.astype("f4"))
        for name in ("radius", "velocity", "angular_velocity", "mass", "material", "group", "id"):
            values = vtk_to_numpy(particles.GetPointData().GetArray(name))
            assert np.array_equal(values, np.asarray(getattr(wanted, name)).astype(values.dtype)), name
        ids = vtk_to_numpy(particles.GetVerts().GetConnectivityArray())
        assert ids.tolist() == list(range(COUNTS[k]))


def test_few_particles_take_little_space(tmp_path):
    """300 particles in motion, 11 frames: not much more than their numbers."""
    rng = np.random.default_rng(0)
    with VtkHdf(tmp_path / "a.vtkhdf") as file:
        for k in range(11):
            place, motion = rng.normal(size=(300, 4)), rng.normal(size=(300, 8))
            place[:, 3], motion[:, 3], motion[:, 7] = 0.01, 1.0, 0
            file.append(ParticleFrame.of(place, motion, time=float(k)))
    assert (tmp_path / "a.vtkhdf").stat().st_size < 0.3e6


GATE = {"type": "box", "size": [0.5, 0.3, 0.01], "at": [0, 0, 0.3], "material": "steel", "until": 0.6}
FLOOR = {"type": "plane", "material": "steel", "at": [0, 0, -1]}


def walls_of(path, k):
    """Points and triangles of step k."""
    with h5py.File(path) as file:
        root, steps = file["VTKHDF"], file["VTKHDF"]["Steps"]
        count, start = root["NumberOfPoints"][k], steps["PointOffsets"][k]
        cells = root["Polygons"]["NumberOfCells"][k]
        assert root["Polygons"]["Offsets"][: cells + 1].tolist() == (3 * np.arange(cells + 1)).tolist()
        marks = np.stack([root["CellData"][name][:cells] for name in ("body", "shape")], axis=1)
        return (
            root["Points"][start : start + count],
            root["Polygons"]["Connectivity"][: 3 * cells].reshape(-1, 3),
            marks,
        )


def test_walls_beside_particles(tmp_path):
    """The tray goes along x, its lid vanishes at 0.6 s, the floor of the ground stays."""
    bodies = {"tray": TRAY | {"shapes": TRAY["shapes"] | {"gate": GATE}}, "ground": {"shapes": {"floor": FLOOR}}}
    spec = tray(bodies=bodies)
    with FrameFile(tmp_path / "run.particles.h5", ("tray", "ground"), spec=spec) as file:
        for k in range(5):
            T = np.eye(4)
            T[0, 3] = 0.1 * min(k, 2)
            one = frame(0)
            motion = np.column_stack([one.velocity, one.mass, one.angular_velocity, one.material])
            file.append(0.25 * k, one.id, one.spheres, motion, {"tray": T, "ground": np.eye(4)})
    frames = Frames(tmp_path / "run.particles.h5")
    both = frames.to_vtkhdf(tmp_path / "run.vtkhdf")
    assert [path.name for path in both] == ["run.vtkhdf", "run.walls.vtkhdf"]
    first, faces, marks = walls_of(both[1], 0)
    assert len(faces) == 12 + 12 + 2 and np.unique(marks, axis=0).tolist() == [[0, 0], [0, 1], [1, 2]]
    moved, same, _ = walls_of(both[1], 2)
    tray_points = np.unique(faces[marks[:, 0] == 0])
    np.testing.assert_allclose(moved[tray_points] - first[tray_points], [[0.2, 0, 0]] * 16, atol=1e-6)
    floor = np.unique(faces[marks[:, 0] == 1])
    assert np.array_equal(faces, same) and np.array_equal(moved[floor], first[floor])
    later, _, _ = walls_of(both[1], 3)
    gate = np.unique(faces[marks[:, 1] == 1])
    assert np.ptp(moved[gate], axis=0).max() > 0.4 and np.ptp(later[gate], axis=0).max() == 0.0
    with h5py.File(both[1]) as file:
        assert len(file["VTKHDF"]["Points"]) == 4 * len(first)  # the last frame is as the one before
    assert frames.to_vtkhdf(tmp_path / "alone.vtkhdf", walls=False) == (tmp_path / "alone.vtkhdf",)
    with VtkWalls(tmp_path / "w.vtkhdf", spec, 2.0) as file, pytest.raises(InputError, match="time must increase"):
        file.append(frames[1])
        file.append(frames[0])
