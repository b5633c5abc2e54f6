from gori.cli import cache
from gori.kernels import jit


def test_all_kernels_are_found():
    kernels = cache.all_kernels()
    assert {"aba_one", "rnea_batch", "forward_derivatives_batch"} <= set(kernels)
    assert all(isinstance(kernel, jit.Kernel) for kernel in kernels.values())


def test_size_of_a_folder(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "one").write_bytes(b"123")
    (tmp_path / "a" / "b" / "two").write_bytes(b"4567")
    assert cache.folder_size(tmp_path) == 7


def test_only_folders_of_other_sources_are_stale_and_removed(tmp_path):
    for name in ("0123456789abcdef", "fedcba9876543210", "notes"):
        (tmp_path / name).mkdir()
    stale = cache.stale_folders(tmp_path, {tmp_path / "fedcba9876543210"})
    assert [folder.name for folder in stale] == ["0123456789abcdef"]
    assert cache.remove(stale[0]) and not stale[0].exists()


def test_programs_for_a_gpu(tmp_path):
    for name in ("b.cubin", "a.cubin", "a.kernel"):
        (tmp_path / name).write_bytes(b"")
    assert [path.name for path in cache.programs_in(tmp_path)] == ["a.cubin", "b.cubin"]
    assert cache.programs_in(tmp_path / "nowhere") == []
