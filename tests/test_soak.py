"""What the soak does, on a small scale."""

import numpy as np
import pytest

from soak import files
from soak.calls import calls
from soak.mutants import run
from soak.values import wrong
from soak.watched import tries


def test_wrong_arguments_and_damaged_states_kill_nothing():
    """10,000 of them by `python -m soak.mutants 10000 SEED`."""
    found = run(300, seed=11)
    assert found["api_mutants"] == 300
    assert (found["api_crashes"], found["api_hangs"]) == (0, 0), found["problems"]
    assert found["problems"] == []
    assert found["api_ran"] > 50 and found["api_refused"] > 50
    assert found["api_ran"] + found["api_refused"] == 300


def test_a_crash_is_found(monkeypatch):
    """The child dies, is named, and the next one goes on behind it."""
    monkeypatch.setenv("GORI_MUTANT_DIES_AT", "3")
    found = run(6, seed=1)
    assert found["api_mutants"] == 6 and found["api_crashes"] == 1
    assert found["problems"][0].startswith("3 ") and "SIGSEGV" in found["problems"][0]


@pytest.mark.parametrize("value", [np.ones(3), 1.0, 3, "text", {"a": 1.0}, [1.0, 2.0], len, True, None], ids=str)
def test_values_are_made_wrong_the_same_way_for_a_seed(value):
    for k in range(50):
        one, other = wrong(value, np.random.default_rng(k)), wrong(value, np.random.default_rng(k))
        assert one[1] == other[1] and type(one[0]) is type(other[0])


def test_calls_have_good_arguments():
    assert len(calls()) > 150
    assert calls()["step"].function(**calls()["step"].arguments).time > 0.0


def test_damaged_files_are_read_or_refused():
    """One of three gave a raw KeyError, UnicodeDecodeError or OSError, some ended the process."""
    found = files.run(40, seed=3)
    assert found["problems"] == []
    assert found["files_refused"] > 5 and found["files_partly"] > 0 and found["files_whole"] > 5
    assert found["files_whole"] + found["files_partly"] + found["files_refused"] == found["files"] == 40


BROKEN = """
import json, os, sys, time
for k in range(int(sys.argv[1]), int(sys.argv[2])):
    print(json.dumps({"k": k}), flush=True)
    if k == 1:
        os.abort()
    if k == 3:
        time.sleep(60)
    print(json.dumps({"what": "good"}), flush=True)
"""


def test_what_a_process_dies_of_is_known_and_the_next_one_goes_on():
    found = [(told["k"], told["what"]) for told in tries(["-c", BROKEN], 0, 5, seconds=1.0)]
    assert found == [(0, "good"), (1, "crashes"), (2, "good"), (3, "hangs"), (4, "good")]
    later = BROKEN.replace("if k == 1", "if k == -1").replace("60)", "0)") + "os.abort()"
    found = [(told["k"], told["what"]) for told in tries(["-c", later], 0, 2, seconds=9.0)]
    assert found == [(0, "good"), (1, "good"), (1, "crashes")]
    with pytest.raises(RuntimeError, match="did not start"):
        list(tries(["-c", "1/0"], 0, 1, seconds=1.0))
