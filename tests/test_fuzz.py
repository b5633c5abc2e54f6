"""The fuzz on a small scale; 20,000 mutants by `make fuzz`."""

import numpy as np
import pytest

pytest.importorskip("lxml")
pytest.importorskip("trimesh")
pytest.importorskip("mujoco")

import gori
from fuzz import formats, recordings, run, tries
from fuzz.judge import Verdict, judged, not_finite


def test_mutants_load_or_are_refused():
    """Of the first 20,000, fifty gave something else: raw errors out of parsers, names that no file can have, 4 GB."""
    found = run.run(240, seed=7, workers=1)
    figures = found.figures()
    assert found.problems == []
    assert figures["mutants"] == 240 and figures["mutants_past_parser"] > 160
    assert {figures[name] for name in ("foreign_exceptions", "hangs", "mutant_crashes", "not_finite")} == {0}
    assert set(found.counts) == set(tries.SHARES) and found.total()["loaded"] > 50
    assert [row[1] for row in run.rows(found)][-1] == 240


def test_each_format_has_its_share():
    counts = dict.fromkeys(tries.SHARES, 0)
    for number in range(20_000):
        counts[tries.format_of(number)] += 1
    assert min(counts.values()) >= 1000 and sum(counts.values()) == 20_000


@pytest.mark.parametrize("name", formats.FORMATS)
def test_a_number_is_always_the_same_mutant(name):
    for k in range(20):
        one, other = (tries.mutant(name, np.random.default_rng([1, k])) for _ in range(2))
        assert one[1:] == other[1:]


def test_most_mutants_pass_the_parser(tmp_path):
    """Else the fuzz would try parsers that others have tried."""
    formats.fill(tmp_path)
    for name in ("yaml", "dh", "urdf", "srdf", "sdf", "mjcf"):
        passed = 0
        for k in range(60):
            seed, content, _ = tries.mutant(name, np.random.default_rng([2, k]))
            try:
                formats.FORMATS[name].parse(content, tmp_path / seed.target)
                passed += 1
            except Exception:  # whatever it may say
                continue
        assert passed > 40, name


def test_arrays_of_states_and_batches_are_changed(tmp_path):
    """Under a good checksum, so that their contents are judged and not their bytes."""
    stored, work = tmp_path / "stored", tmp_path / "work"
    for folder in (stored, work):
        folder.mkdir()
    recordings.fill(stored)
    told, found = set(), set()
    for k in range(400):
        path, read, words = recordings.mutant(stored, work, np.random.default_rng(k))
        if path.name == "batch.npz":
            told.add(words.partition(" ")[0].rstrip(":"))
            found.add(judged(read, path).what)
    assert {"rows", "codes", "words"} <= told and found == {"loaded", "refused"}


def test_recordings_are_changed_in_their_structure(tmp_path):
    stored, work = tmp_path / "stored", tmp_path / "work"
    stored.mkdir()
    work.mkdir()
    recordings.fill(stored)
    told = {recordings.mutant(stored, work, np.random.default_rng(k))[2] for k in range(40)}
    assert len(told) > 15 and any(" removed" in words for words in told)


def raises(error):
    def read(path):
        raise error

    return read


def test_verdicts(tmp_path):
    """What must not be is told as such."""
    model = gori.compile(gori.load(formats.EXAMPLES / "pendulum.yaml"))
    assert judged(lambda path: model, tmp_path) == Verdict("loaded")
    assert judged(raises(gori.errors.FileError("no")), tmp_path) == Verdict("refused", "no")
    for error, what in (
        (KeyError("a"), "foreign"),
        (MemoryError(), "memory"),
        (gori.errors.SpecError("<ast.Name object at 0x7f>"), "message"),
        (gori.errors.SpecError(""), "message"),
    ):
        assert judged(raises(error), tmp_path).what == what
    assert list(not_finite(model)) == []
    model._t.body_f[1, 0] = np.nan
    assert "tables.body_f" in next(not_finite(model)) and judged(lambda path: model, tmp_path).what == "not finite"


def test_a_wrapped_lack_of_memory_is_one(tmp_path):
    def read(path):
        try:
            raise MemoryError
        except MemoryError as error:
            raise gori.errors.FileError("cannot be read") from error

    assert judged(read, tmp_path).what == "memory"
