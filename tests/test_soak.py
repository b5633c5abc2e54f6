"""Trials of `soak`, a few of each: `make soak` runs many."""

from soak import files


def test_damaged_files_are_read_or_refused():
    """One of three gave a raw KeyError, UnicodeDecodeError or OSError, some ended the process."""
    found = files.run(40, seed=3)
    assert found["faults"] == [] and found["refused"] > 5 and found["partly"] > 0 and found["whole"] > 5
    assert found["whole"] + found["partly"] + found["refused"] == 40
