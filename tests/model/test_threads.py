import os
import subprocess
import sys

import pytest

import gori
from gori.errors import InputError
from gori.kernels.lanes import WIDTH
from gori.model.threads import SMALLEST, checked, run_rows


@pytest.fixture(autouse=True)
def _restore():
    before = gori.threads()
    yield
    gori.threads(before)


@pytest.mark.parametrize("rows", [0, 1, 7, 4 * SMALLEST, 4 * SMALLEST + 3])
@pytest.mark.parametrize("count", [1, 3])
def test_slices_cover_all_rows_once(rows, count):
    gori.threads(count)
    slices = []
    run_rows(lambda start, stop: slices.append((start, stop)), rows, 1)
    covered = sorted(row for start, stop in slices for row in range(start, stop))
    assert covered == list(range(rows)) and all(start % WIDTH == 0 for start, _ in slices)
    assert len(slices) == (count if rows >= 4 * SMALLEST else 1)


def test_errors_of_any_slice_are_raised():
    gori.threads(2)

    def task(start, stop):
        if start == 0:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_rows(task, 2 * SMALLEST, 1)


@pytest.mark.parametrize("bad", [0, -1, "two", 1.5, ""])
def test_counts_that_are_refused(bad):
    with pytest.raises(InputError, match="must be a positive integer"):
        checked(bad, "threads")


def test_the_environment_sets_the_count():
    command = [sys.executable, "-c", "from gori.model.threads import threads; print(threads())"]

    env = os.environ | {"GORI_THREADS": "3"}
    assert subprocess.run(command, capture_output=True, text=True, env=env).stdout.strip() == "3"
