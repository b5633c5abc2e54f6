"""Programs: what they depend on, how they are kept, and what becomes of a damaged file."""

import numpy as np
import pytest

from gori.kernels.batch.members import APART, SHARED, TILE, Laid
from gori.kernels.batch.regions import Regions
from gori.kernels.codes import OK
from gori.kernels.jit import part
from gori.sim.batch import program
from gori.sim.batch.program import BLOCK, SIGNATURES, SUFFIX, Binary, Used, on_gpu, on_host
from tests.sim.batch.tiny import tiny_source

BINARIES = {name: Binary(f"_{name}", bytes([k]) * (k + 3)) for k, name in enumerate(SIGNATURES)}
USED = Used(frozenset({"y", "many"}), None)


@part
def stand(machine, data, memory, t, h, y):
    return OK


@part
def other(machine, data, memory, t, h, y):
    return OK


def test_key_tells_programs_apart():
    key = tiny_source().key("host")
    assert key == tiny_source(law=Laid(np.zeros(9), SHARED)).key("host")  # sizes are not in it
    machines = [{"law": Laid(np.zeros(2), APART)}, {"law": Laid(np.zeros((1, 2)), SHARED)}]
    machines += [{"closed": function} for function in (stand, other, None)]
    others = [tiny_source(**members).key("host") for members in machines]
    others += [tiny_source(name="rk4").key("host"), tiny_source(turning=True).key("host")]
    others += [tiny_source()._replace(starting=True).key("host")]
    others += [tiny_source().key("(9, 0) 0.30")]
    assert len({key, *others}) == 1 + len(others)


def test_on_the_host_it_is_compiled_once(monkeypatch):
    first = on_host(tiny_source())
    monkeypatch.setattr(program, "_compiled_on_host", lambda source: pytest.fail("compiled again"))
    assert on_host(tiny_source(law=Laid(np.ones(5), SHARED))) is first
    assert first.kernels.keys() == SIGNATURES.keys() == BLOCK.keys()


def test_numbers_of_their_own_on_the_host():
    memory, values, mask = np.zeros(8), np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 0, 1, 1], np.uint8)
    table = np.array([memory.ctypes.data, 16 * TILE, 16])
    sets = np.zeros(4, np.int64)
    kernels = on_host(tiny_source()).kernels
    kernels["choose_set"](sets.ctypes.data, np.arange(4).ctypes.data, 4, np.ones(4, np.uint8).ctypes.data, 4)
    arguments = table.ctypes.data, 1, values.ctypes.data, sets.ctypes.data, mask.ctypes.data, 4
    kernels["put_numbers"](*arguments)
    assert memory.tolist() == [1.0, 0.0, 0.0, 0.0, 3.0, 0.0, 4.0, 0.0]


def test_packed_binaries_are_unpacked_as_they_were():
    for regions in (None, Regions({"y": 0, "data.tau": 24}, [0, 0, 32, 0])):
        used = Used(frozenset({"y", "data.tau"}), regions)
        assert program._unpacked(program._packed(BINARIES, used)) == (BINARIES, used)


@pytest.fixture
def compiler(monkeypatch, tmp_path):
    """A GPU's compiler that needs none, and the names of what it has compiled; the cache is a new folder."""
    compiled = []

    def functions(source, room):
        room.use("y", "many")
        return dict.fromkeys(SIGNATURES)

    def binary(function, name, capability, block):
        compiled.append(name)
        return BINARIES[name]

    monkeypatch.setattr(program, "_gpu_kernels", functions)
    monkeypatch.setattr(program, "_binary", binary)
    monkeypatch.setattr(program, "version", lambda package: "0.30")
    monkeypatch.setenv("GORI_CACHE", str(tmp_path))
    return compiled


def kept(folder):
    return list(folder.rglob(f"*{SUFFIX}"))


def test_binaries_are_kept(compiler, tmp_path):
    expected = BINARIES, USED
    assert on_gpu(tiny_source(), (9, 0)) == expected and len(compiler) == len(SIGNATURES)
    assert on_gpu(tiny_source(), (9, 0)) == expected and len(compiler) == len(SIGNATURES)
    assert [path.parent for path in kept(tmp_path)] == [tmp_path / program.folder_of_programs()]
    on_gpu(tiny_source(), (8, 0))  # another GPU
    assert len(compiler) == 2 * len(SIGNATURES) and len(kept(tmp_path)) == 2


def test_folder_is_that_of_the_sources(monkeypatch):
    folder = program.folder_of_programs()
    assert len(folder) == 16 and int(folder, 16) and folder == program.folder_of_programs()
    monkeypatch.setattr(program, "hash_of_all", lambda: "other sources")
    assert program.folder_of_programs() != folder


@pytest.mark.parametrize("damage", [lambda content: content[:-3], lambda content: b"", lambda content: content[::-1]])
def test_a_damaged_file_is_compiled_anew(compiler, tmp_path, damage):
    on_gpu(tiny_source(), (9, 0))
    (file,) = kept(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert on_gpu(tiny_source(), (9, 0)) == (BINARIES, USED)
    assert len(compiler) == 2 * len(SIGNATURES) and file.read_bytes() == whole


def test_a_folder_that_cannot_be_written(compiler, tmp_path, monkeypatch):
    def refuse(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(program, "write_whole", refuse)
    with pytest.warns(match="cannot be kept in .*: No space left on device"):
        assert on_gpu(tiny_source(), (9, 0))[0] == BINARIES


def test_threads_of_vehicles_keep_together():
    blocks = tiny_source().blocks
    together = tiny_source(vehicle=stand)
    assert together.together and not tiny_source().together
    assert together.blocks == {**blocks, "advance": program.TOGETHER} and blocks["advance"] < program.TOGETHER
    assert tiny_source(name="time_stepping").called
    assert not together.called and not tiny_source().called


def test_machines_with_long_steps_have_programs_of_their_sizes():
    one, other = (tiny_source(closed=stand, law=Laid(np.zeros(n), SHARED)) for n in (2, 3))
    assert one.sized and not tiny_source().sized and not one._replace(foreign=True).sized
    assert one.key("host") != other.key("host")
    assert (
        on_host(one).used.regions.at.keys() >= {"y", "many", "machine.law"} and on_host(tiny_source()).used[1] is None
    )
