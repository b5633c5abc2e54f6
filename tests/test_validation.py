"""The validation report: its frame, and those of its cases that take seconds."""

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gori
from validation import (
    a01_pendulum,
    a02_four_bars,
    a03_andrews,
    balance,
    contact_friction,
    contact_rest,
    gears,
    quick_return,
    rank,
    slider_crank,
)
from validation.check import Check, attempt, compare, order, small
from validation.command import CASES, main
from validation.report import markdown
from validation.solvers import PRECISE, Solver, with_loops

GOOD = small("case", "zero", "solver", 1e-9, 1e-6)
BAD = compare("case", "two | three", "solver", {"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.5}, 0.125, source="published")


def assert_pass(checks):
    checks = list(checks)
    assert checks
    assert not [f"{check.quantity}, {check.solver}: {check.ours}" for check in checks if not check.passed]


# ---- the frame


@pytest.mark.parametrize("rows, code", [([GOOD], 0), ([GOOD, BAD], 1), ([], 1)])
def test_exit_code_says_whether_all_pass(rows, code, tmp_path, capsys):
    assert main(["rank", "--out", str(tmp_path)], rows=lambda name, long: rows) == code
    assert capsys.readouterr().out.count("FAILS") == sum(not row.passed for row in rows)
    written = json.loads((tmp_path / "report.json").read_text())
    assert written["pass"] is (code == 0)
    assert [row["pass"] for row in written["checks"]] == [row.passed for row in rows]


def test_exit_code_of_a_real_case(tmp_path, capsys):
    assert main(["rank", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "report.md").read_text().count("| yes |") == 2
    with pytest.raises(SystemExit) as stop:
        main(["ranks"])
    assert stop.value.code == 2


def test_long_reaches_the_cases(tmp_path, capsys):
    seen = []
    main(["--long", "--jobs", "1", "--out", str(tmp_path)], rows=lambda name, long: seen.append((name, long)) or [GOOD])
    assert seen == [(name, True) for name in CASES]


def test_command_solves_cases_at_the_same_time(tmp_path):
    command = [sys.executable, "-m", "validation", "rank", "rank", "--jobs", "2", "--out", str(tmp_path)]
    result = subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("rank: 2 rows, 0 fail") == 2


def test_of_several_values_the_worst_counts():
    assert not BAD.passed and BAD.error == 0.5 and BAD.quantity == "two | three: b"
    assert BAD.values == {"a": (1.0, 1.0), "b": (2.0, 2.5)}
    assert (
        compare(
            "c", "q", "s", {"a": 1.0, "b": 200.0}, {"a": 1.1, "b": 201.0}, 1.0, relative=True, source="exact"
        ).quantity
        == "q: a"
    )
    with pytest.raises(KeyError, match="b is on one side only"):
        compare("c", "q", "s", {"a": 1.0, "b": 2.0}, {"a": 1.0}, 0.1, source="exact")


def test_what_is_not_a_number_fails():
    row = compare("c", "q", "s", {"a": 1.0, "b": 2.0}, {"a": math.nan, "b": 9.0}, math.inf, source="exact")
    assert not row.passed and row.quantity == "q: a"
    assert not small("c", "q", "s", math.nan, 1.0).passed
    assert not small("c", "q", "s", 1.1, 1.0).passed and small("c", "q", "s", -1.0, 1.0).passed


def test_order_may_be_higher_and_not_lower():
    assert order("c", "q", "s", 2, 8.0, 1.0, 0.1).passed
    assert not order("c", "q", "s", 2, 3.5, 1.0, 0.1).passed


def test_a_run_that_fails_is_a_row_that_fails():
    def work(solver, after):
        yield from [GOOD] * after
        raise gori.errors.SimulationError("it fell apart")

    *before, last = attempt("c", "s", work, 2)
    assert before == [GOOD, GOOD]
    assert not last.passed and last.ours == "SimulationError: it fell apart"
    assert "it fell apart" in markdown([last], "command")


def test_table_keeps_its_columns():
    lines = markdown([GOOD, BAD], "command").splitlines()
    assert "2 checks, 1 fail" in lines[0]
    assert {line.replace("\\|", "").count("|") for line in lines[4:]} == {10}
    assert lines[0].endswith("References: 1 published, 1 exact.")
    assert "| 0.125 |" in lines[-1]  # bounds in full
    assert [line.split(" | ")[-1] for line in lines[-2:]] == ["yes |", "NO |"]


def test_table_goes_into_a_page(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("words\n## The table\nold\n")
    for _ in range(2):
        main(["rank", "--page", str(page), "--out", str(tmp_path)], rows=lambda name, long: [GOOD])
    text = page.read_text()
    assert text.startswith("words\n## The table\n\n`python -m validation rank`: 1 checks, all pass.")
    assert "old" not in text and text.count("| yes |") == 1
    page.write_text("words\n")
    with pytest.raises(ValueError, match="has no line"):
        main(["rank", "--page", str(page), "--out", str(tmp_path)], rows=lambda name, long: [GOOD])


def test_solvers_cover_all_ways_to_close_loops():
    names = [str(solver) for solver in with_loops([PRECISE, gori.GeneralizedAlpha(step=1e-3)])]
    assert names == [
        "Multipliers, Dopri5 rtol 1e-10",
        "Partition, Dopri5 rtol 1e-10",
        "FrozenExplicit, Dopri5 rtol 1e-10",
        "GeneralizedAlpha 0.001 s",
    ]
    assert Solver(gori.RK4(step=1e-3), "partition").halved() == Solver(gori.RK4(step=5e-4), "partition")


def test_the_energy_balance_of_all_runs_is_a_row_of_each_method():
    model = a01_pendulum.model()
    balance.forget()
    for method in (gori.RK4(step=1e-3), gori.RK4(step=0.25), gori.SemiImplicit(step=0.1)):
        Solver(method).run(model, 2.0, sample=0.5)
    rk4, euler = balance.checks("case")
    assert rk4.quantity.endswith("worst of 2 runs") and rk4.solver == "RK4 0.25 s" and rk4.bound == 1e-3
    assert not rk4.passed and 1e-3 < rk4.error < 0.1
    assert euler.bound == 5e-2 and not euler.passed  # with a step of a tenth of a second
    balance.forget()
    assert not list(balance.checks("case"))


# ---- cases

PRECISE_WAYS = [Solver(PRECISE, way) for way in ("multipliers", "partition")]


def test_pendulum():
    assert_pass(a01_pendulum.accurate(Solver(PRECISE)))


@pytest.mark.parametrize("solver", PRECISE_WAYS, ids=str)
def test_double_four_bar(solver):
    assert_pass(a02_four_bars.accurate(solver, 2, 10.0))


@pytest.mark.parametrize("solver", PRECISE_WAYS, ids=str)
def test_andrews(solver):
    assert_pass(a03_andrews.accurate(solver))
    assert_pass(a03_andrews.balanced(solver))


@pytest.mark.parametrize("solver", PRECISE_WAYS, ids=str)
def test_quick_return_turns_as_calculated(solver):
    period, top = quick_return.CALCULATED[2000.0]
    found = quick_return.ours(solver, 2000.0)
    assert found["period"] == pytest.approx(period, abs=5e-5)
    assert found["highest speed"] == pytest.approx(top, abs=5e-3)
    assert found == pytest.approx(quick_return.Exact(2000.0).turn(), rel=1e-6)


def test_quick_return_driven():
    assert_pass(quick_return.kinematics())


def test_slider_crank_driven():
    assert_pass(slider_crank.kinematics("driven", 0.24))
    assert_pass(slider_crank.torque("driven"))
    assert_pass(slider_crank.lock_up("gori.assemble"))


def test_slider_crank_locks_on_its_way():
    model = gori.compile(slider_crank.slider_crank(0.2361, speed=-1.0, drive=slider_crank.DRIVE))
    with pytest.raises(gori.errors.ClosureError, match="pin") as error:
        slider_crank.driven(model, np.linspace(0.0, 1.0, 401))
    assert 0.0 < error.value.time < 0.2


@pytest.mark.parametrize("solver", PRECISE_WAYS, ids=str)
def test_slider_crank_free(solver):
    assert_pass(slider_crank.accurate(solver, slider_crank.exact_end(slider_crank.DURATION)))


def test_rank():
    assert_pass(rank.checks())
    assert all(isinstance(check, Check) for check in rank.checks())


def test_gears():
    assert_pass(gears.checks())


def test_billiards_inclines_and_sliding():
    assert_pass(contact_friction.checks(False))


@pytest.mark.filterwarnings("ignore::gori.errors.ContactWarning")
def test_a_pile_comes_to_rest():
    """Of 24 bodies, 5 s; `python -m validation contact_rest` has 100 and 100 s. Bounds are the same."""
    assert_pass(contact_rest.settles(24, since=4.0, until=5.0))


@pytest.mark.filterwarnings("ignore::gori.errors.ContactWarning")
def test_a_tower_of_cards_stands_by_friction():
    assert_pass(contact_rest.cards(until=2.0))


def test_a_block_slides_as_far_as_in_mujoco():
    pytest.importorskip("mujoco")
    from validation import contact_mujoco

    moving = contact_mujoco.scenes()["block sliding"]
    exact = 1.5**2 / (2.0 * 0.3 * 9.81)
    theirs = contact_mujoco.in_mujoco(moving, contact_mujoco.PEERS["MuJoCo, default softness"])
    assert theirs.place[-1, 0] == pytest.approx(exact, rel=5e-3)
    for way in contact_mujoco.WAYS:
        ours = contact_mujoco.in_gori(moving, way)
        assert ours.place[-1, 0] == pytest.approx(exact, rel=5e-3) and ours.depth < theirs.depth
